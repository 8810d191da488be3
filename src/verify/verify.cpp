// SPDX-License-Identifier: Apache-2.0
#include "faultline/verify/verify.h"

#include "faultline/routing/contract.h"
#include "verify/changed_options.h"
#include "verify/dead_end.h"
#include "verify/deadlock_set.h"
#include "verify/drain_order.h"
#include "verify/escape.h"

namespace faultline {
namespace {

/// Of the first pair listed that has one.
std::optional<DeadEnd> first_dead_end(const RoutingRelation& relation, const FaultSet& dead,
                                      const Verdict& verdict) {
  for (const auto& [source, destination] : verdict.unreachable)
    if (auto end = find_dead_end(enumerate_plays(relation, destination, dead), source, destination))
      return end;
  return std::nullopt;
}

class DeadlockProof {
 public:
  DeadlockProof(const RoutingRelation& relation, const FaultSet& dead, const VerifySpec& spec,
                const Buffers& buffers, const Survey& survey)
      : relation_(relation),
        dead_(dead),
        switching_(spec.switching),
        commits_(spec.selection_commits && !spec.takes_first),  // one option is all there is to ask for
        buffers_(buffers),
        survey_(survey),
        stop_(spec.stop),
        has_rings_(spec.switching == Switching::cut_through && !relation.bubble_rings().empty()) {}

  void decide(Verdict& verdict) const {
    DrainOrder order = drain_order(survey_.dependencies);
    if (order.complete()) return prove(verdict, DeadlockMethod::acyclic_dependencies, std::move(order.ranks));
    if (auto ranks = escape_order())
      return prove(verdict, has_rings_ ? DeadlockMethod::bubble : DeadlockMethod::escape, std::move(*ranks));
    if (has_rings_)
      return;  // a configuration that fills a ring is not allowed to arise: none that is found would count
    DeadlockSet set = find_deadlock_set(relation_, dead_, buffers_, order, commits_, stop_);
    if (!set.packets.empty()) {
      verdict.method = DeadlockMethod::deadlock;
      verdict.deadlock = std::move(set.packets);
      verdict.schedule = std::move(set.schedule);
    } else if (switching_ == Switching::cut_through && set.is_empty() &&
               !(commits_ && survey_.has_unnumbered)) {
      prove(verdict, DeadlockMethod::escape, std::move(set.ranks));
    }
  }

 private:
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> escape_order() const {
    if (!survey_.escape_is_open || (commits_ && survey_.has_closed_options)) return std::nullopt;
    if (switching_ == Switching::cut_through) {
      if (!survey_.has_adaptive_moves && !has_rings_)
        return std::nullopt;  // nothing beyond the direct dependencies
      return escape_order_cut_through(relation_, dead_, buffers_, survey_, stop_);
    }
    if (!survey_.has_adaptive_moves) return std::nullopt;
    return escape_order_wormhole(relation_, dead_, buffers_, survey_, stop_);
  }

  static void prove(Verdict& verdict, DeadlockMethod method, std::vector<std::uint32_t> ranks) {
    verdict.deadlock_free = true;
    verdict.method = method;
    verdict.ranks = std::move(ranks);
  }

  const RoutingRelation& relation_;
  const FaultSet& dead_;
  Switching switching_;
  bool commits_;
  const Buffers& buffers_;
  const Survey& survey_;
  StopFlag stop_;
  bool has_rings_;
};

}  // namespace

std::string_view to_string(DeadlockMethod method) {
  switch (method) {
    case DeadlockMethod::acyclic_dependencies:
      return "acyclic-dependencies";
    case DeadlockMethod::escape:
      return "escape";
    case DeadlockMethod::bubble:
      return "bubble";
    case DeadlockMethod::deadlock:
      return "deadlock";
    case DeadlockMethod::unproved:
      break;
  }
  return "unproved";
}

Verdict verify(const RoutingRelation& relation, const FaultSet& dead, const VerifySpec& spec,
               const Progress& progress) {
  dead.require_of(relation.topology(), "verify.faults");
  const FirstOption first(relation);
  const RoutingRelation& used = spec.takes_first ? first : relation;
  const Contract contract(used);  // refuses a number of virtual channels for which there would be no memory
  const Buffers buffers(used);
  Survey found = survey(used, dead, buffers, spec, progress);
  Verdict verdict = std::move(found.verdict);
  verdict.dead_end = first_dead_end(used, dead, verdict);
  DeadlockProof(used, dead, spec, buffers, found).decide(verdict);
  return verdict;
}

bool deadlock_free_whatever_fails(const RoutingRelation& relation, Switching switching) {
  return verify(EveryTier(relation), FaultSet(relation.topology()),
                {.switching = switching, .selection_commits = true, .listed_pairs = 0})
      .deadlock_free;
}

std::vector<std::pair<TerminalId, TerminalId>> packets_of(const std::vector<WaitingPacket>& deadlock,
                                                          std::uint32_t copies) {
  std::vector<std::pair<TerminalId, TerminalId>> packets;
  for (const WaitingPacket& packet : deadlock)
    packets.insert(packets.end(), copies, {packet.source, packet.destination});
  return packets;
}

}  // namespace faultline
