// SPDX-License-Identifier: Apache-2.0
#include "study/rerouting.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "faultline/simulate/clock.h"

namespace faultline {
namespace {

/// Cycles in which channels go down or come up.
std::set<std::uint64_t> changes(const FaultSchedule& outages) {
  std::set<std::uint64_t> cycles;
  for (const Outage& outage : outages)
    for (const std::uint64_t cycle : {outage.from, outage.until})
      if (cycle < max_cycles) cycles.insert(cycle);  // no run reaches the others
  return cycles;
}

void check_virtual_channels(const RoutingRelation& first, const RoutingRelation& changed, std::uint64_t cycle,
                            const std::string& field) {
  if (changed.virtual_channels() == first.virtual_channels()) return;
  throw Error(field, fmt::format("{} virtual channels", changed.virtual_channels()),
              fmt::format("must be {}, as before the first fault, also for the tables of cycle {}; give the "
                          "routing a number that serves all, as in lash:vcs=8",
                          first.virtual_channels(), cycle));
}

}  // namespace

Damage damage_at(const Damage& damage, const FaultSchedule& outages, std::uint64_t cycle) {
  Damage all = damage;
  for (const ChannelId channel : channels_down_in(outages, cycle)) all.dead.fail(channel);
  return all;
}

std::vector<Rerouting> reroutings(const ReroutedCase& rerouted, const FaultSchedule& outages,
                                  std::uint64_t delay, const std::string& field) {
  const std::set<std::uint64_t> cycles = changes(outages);
  constexpr std::size_t most = 256;
  if (cycles.size() > most)
    throw Error(field, std::to_string(cycles.size()) + " changes of the network",
                "must be used with a schedule of at most " + std::to_string(most) +
                    " cycles in which something goes down or comes up: each has tables of its own");
  std::map<std::vector<ChannelId>, RelationPtr> built{{{}, rerouted.relation}};
  std::vector<Rerouting> all;
  for (const std::uint64_t cycle : cycles) {
    RelationPtr& relation = built[channels_down_in(outages, cycle)];
    if (relation == nullptr)
      relation = build_relation(rerouted.topology, damage_at(rerouted.damage, outages, cycle),
                                rerouted.routing, rerouted.switching);
    check_virtual_channels(*rerouted.relation, *relation, cycle, field);
    all.push_back({cycle + delay, relation});
  }
  return all;
}

std::vector<Pause> pauses_before(std::span<const Rerouting> reroutings, std::uint64_t delay) {
  std::vector<Pause> pauses;
  for (const auto& [at, relation] : reroutings) pauses.push_back({at - delay, at});
  return pauses;
}

}  // namespace faultline
