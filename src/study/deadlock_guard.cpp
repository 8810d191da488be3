// SPDX-License-Identifier: Apache-2.0
#include "study/deadlock_guard.h"

#include <fmt/format.h>

#include <set>

#include "faultline/verify/verify.h"
#include "study/rerouting.h"

namespace faultline {
namespace {

bool claims_freedom(const SimulatedPair& pair) {
  const Claim claim = pair.relation.claim();
  return pair.switching == Switching::cut_through ? claim.deadlock_free_cut_through : claim.deadlock_free;
}

bool holds_while_channels_fail(const RoutingRelation& relation) {
  const WhileChannelsFail claimed = relation.claim().while_channels_fail;
  return claimed == WhileChannelsFail::yes ||
         (claimed == WhileChannelsFail::without_escapes && !relation.relies_on_escape());
}

/// A search for deadlocks of packets that commit takes longer than a proof: 6 s for a torus of 32 x 32.
bool is_large(const Topology& topology, bool searches) {
  const std::uint64_t most = std::uint64_t{1} << (searches ? 17 : 22);
  return std::uint64_t{topology.terminal_count()} * topology.switch_count() > most;
}

}  // namespace

std::optional<std::string> unproved_because(const SimulatedPair& pair) {
  const RoutingRelation& relation = pair.relation;
  const bool claimed = pair.known.empty() && claims_freedom(pair);
  const bool takes_first = pair.rule.takes_first && !pair.channels_fail;
  const bool needs_all = relation.relies_on_escape() && pair.rule.commits();
  const bool misses_escape = needs_all && !takes_first;
  if (claimed && !needs_all) return std::nullopt;
  const bool unchecked = is_large(relation.topology(), misses_escape);
  const std::string relies = fmt::format(
      "{} relies on escape channels, which help a packet that asks for all its options; {} commits to one",
      pair.routing, pair.selection);
  if (unchecked && misses_escape) return relies;
  if (unchecked)
    return fmt::format(
        "{} does not claim freedom of deadlock here, and the network is too large to verify it first "
        "(faultline verify does)",
        pair.routing);
  const Verdict verdict = verify(relation, pair.known,
                                 {.switching = pair.switching,
                                  .selection_commits = pair.rule.commits(),
                                  .takes_first = takes_first,
                                  .listed_pairs = 0});
  if (verdict.deadlock_free) return std::nullopt;
  if (misses_escape) return relies;
  return fmt::format(
      "{} with {} {} under {} switching{} (faultline verify)", pair.routing, pair.selection,
      verdict.method == DeadlockMethod::deadlock ? "may deadlock" : "is not proved free of deadlock",
      to_string(pair.switching), pair.known.empty() ? "" : " with these faults");
}

std::optional<std::string> unproved_while_channels_fail(const SimulatedPair& pair) {
  const RoutingRelation& relation = pair.relation;
  const bool relies = relation.relies_on_escape();
  if (!pair.channels_fail) return std::nullopt;
  if (claims_freedom(pair) && holds_while_channels_fail(relation)) return std::nullopt;
  if (relation.claim().while_channels_fail != WhileChannelsFail::no &&
      !is_large(relation.topology(), relies) && deadlock_free_whatever_fails(relation, pair.switching))
    return std::nullopt;
  return fmt::format("{}; deadlock is not excluded, and is detected if it happens",
                     relies ? pair.routing + " relies on escape channels, which may fail during the run"
                            : pair.routing +
                                  " is proved free of deadlock for the channels that are down at "
                                  "first, not for those that fail during the run");
}

std::optional<std::string> unproved_while_rerouted(const SimulatedPair& first, const Damage& damage,
                                                   const SimulationSpec& spec, std::uint64_t delay) {
  if (std::optional<std::string> why = unproved_because(first)) return why;
  std::set<const RoutingRelation*> seen{&first.relation};
  for (const auto& [at, relation] : spec.faults.reroutings) {
    if (!seen.insert(relation.get()).second) continue;
    const std::uint64_t changed = at - delay;
    const FaultSet down = damage_at(damage, spec.faults.outages, changed).dead;
    const std::optional<std::string> why = unproved_because(
        {*relation, down, first.routing, first.selection, first.rule, first.switching, first.channels_fail});
    if (why) return fmt::format("{} for the channels that are down in cycle {}", *why, changed);
  }
  return std::nullopt;
}

}  // namespace faultline
