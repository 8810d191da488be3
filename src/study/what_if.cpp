// SPDX-License-Identifier: Apache-2.0
#include "faultline/study/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <tuple>

#include "base/combinations.h"
#include "base/until_stopped.h"
#include "faultline/fault/living_network.h"
#include "faultline/fault/sampler.h"
#include "faultline/results/json.h"
#include "faultline/routing/table_export.h"
#include "faultline/topology/labellings.h"
#include "faultline/verify/verify.h"
#include "study/addressed_relation.h"
#include "study/relation_output.h"

namespace faultline {
namespace {

constexpr Switching switching = Switching::cut_through;

/// The first `count` different sets that are drawn; there must be more.
std::vector<std::vector<std::uint32_t>> draw_different_sets(const FaultSampler& sampler,
                                                            std::uint32_t failures, std::size_t count) {
  std::vector<std::vector<std::uint32_t>> drawn;
  std::set<std::vector<std::uint32_t>> seen;
  for (std::uint64_t number = 0; drawn.size() < count; ++number) {
    std::vector<std::uint32_t> set = sampler.draw(failures, number);
    if (seen.insert(set).second) drawn.push_back(std::move(set));
  }
  return drawn;
}

class Examination {
 public:
  Examination(const TopologyPtr& topology, const FaultComponents& components, const WhatIfSpec& spec)
      : topology_(topology),
        components_(components),
        spec_(spec),
        tables_(tables_in_use()),
        in_use_(*topology, tables_),
        sets_(choose_up_to(components.count(), spec.failures, std::numeric_limits<std::uint64_t>::max())) {
    if (!is_exhaustive())
      drawn_ = draw_different_sets(FaultSampler(components.count(), spec.seed), spec.failures,
                                   static_cast<std::size_t>(spec.max_sets));
    examine_healthy();
  }

  [[nodiscard]] WhatIf begin() const {
    WhatIf answer;
    answer.healthy = in_use_.use(FaultSet(*topology_));
    answer.remarks = remarks_;
    answer.deadlock_free = is_free_of_deadlock_;
    answer.tables_are_given = has_tables_;
    answer.unreachable_pairs = unconnected_.size();
    answer.unreachable_by_new_tables = unconnected_by_new_tables_;
    answer.sets_total = sets_;
    answer.exhaustive = is_exhaustive();
    answer.sets.resize(static_cast<std::size_t>(std::min(sets_, spec_.max_sets)));
    return answer;
  }

  [[nodiscard]] WhatIfFailed examine(std::uint64_t number) const {
    std::vector<std::uint32_t> set(spec_.failures);
    if (is_exhaustive())
      find_combination(set, components_.count(), number);
    else
      set = drawn_[number];
    const FaultSet dead = components_.fault_set(set);
    WhatIfFailed result;
    for (const std::uint32_t component : set) result.failed.push_back(components_.name(component));
    result.before = in_use_.use(dead);
    result.cut_off_pairs = cut_off_pairs(dead);
    if (computes_tables()) try {
        result.after = react(dead);
        if (result.after->newly_unreachable_pairs != 0) result.separated_pairs = separated_pairs(dead);
      } catch (const TooFewVirtualChannels&) {
        result.after = {.made = false};
      }
    return result;
  }

 private:
  using Pairs = std::vector<std::pair<TerminalId, TerminalId>>;

  [[nodiscard]] bool is_exhaustive() const { return sets_ <= spec_.max_sets; }

  [[nodiscard]] infiniband::ForwardingTables tables_in_use() const {
    const auto& fabric = topology_->labelling<FabricLabelling>("what-if", "topology");
    if (fabric.tables) return *fabric.tables;
    return export_tables(*build_healthy_relation(topology_, spec_.engine, switching), FaultSet(*topology_),
                         spec_.engine.kind().info.name)
        .tables;
  }

  [[nodiscard]] bool computes_tables() const { return spec_.engine.kind().survival != Survival::fixed_paths; }
  [[nodiscard]] RelationPtr relation(const Resolved<RoutingKind>& routing, const FaultSet& dead) const {
    const Damage damage{dead, Knowledge::all(), SourceRole::any};
    return addressed_relation(
        build_relation(topology_, damage, routing, switching, SourceOffers::every_start),
        topology_->labelling<FabricLabelling>("what-if", "topology"));
  }
  /// Of the tables in use, and of those that the engine computes.
  void examine_healthy() {
    remarks_ = remarks_on(*topology_);
    has_tables_ = topology_->labelling<FabricLabelling>("what-if", "topology").tables.has_value();
    const Resolved<RoutingKind> in_use =
        has_tables_ ? Resolved<RoutingKind>(parse_compact("routing", "tables")) : spec_.engine;
    const Verdict verdict = verdict_without_failure(in_use);
    is_free_of_deadlock_ = verdict.deadlock_free;
    unconnected_ = verdict.unreachable;
    separate_ = separate_among(unconnected_);
    unconnected_by_new_tables_ = !has_tables_ && computes_tables();
    if (!computes_tables() && spec_.engine.kind().info.name != "tables")
      remarks_.push_back(fmt::format(
          "engine {} computes no tables after a failure, because its paths are fixed: only those in use are "
          "examined",
          spec_.engine.kind().info.name));
    if (!has_tables_) return;
    std::ranges::move(build_healthy_relation(topology_, in_use, switching)->remarks(),
                      std::back_inserter(remarks_));
    if (computes_tables()) try {
        unconnected_ = verdict_without_failure(spec_.engine).unreachable;
        unconnected_by_new_tables_ = true;
      } catch (const TooFewVirtualChannels&) {  // the sets without new tables say so
      }
  }
  [[nodiscard]] Verdict verdict_without_failure(const Resolved<RoutingKind>& routing) const {
    const FaultSet none(*topology_);
    const RelationPtr healthy = relation(routing, none);
    Verdict verdict = verify(*healthy, none,
                             {.switching = switching,
                              .threads = spec_.threads,
                              .listed_pairs = std::numeric_limits<std::size_t>::max(),
                              .stop = spec_.stop});
    verdict.deadlock_free = verdict.deadlock_free && healthy->virtual_channels() == 1;
    return verdict;
  }

  [[nodiscard]] Pairs separate_among(const Pairs& pairs) const {
    const FaultSet none(*topology_);
    const LivingNetwork network(*topology_, none);
    std::map<TerminalId, std::vector<bool>> reached;
    Pairs separate;
    for (const auto& pair : pairs) {
      const auto [found, is_new] = reached.try_emplace(pair.first);
      if (is_new) found->second = network.reached_from(pair.first);
      if (!found->second[pair.second.index()]) separate.push_back(pair);
    }
    return separate;
  }

  [[nodiscard]] bool sends(TerminalId terminal, const FaultSet& dead) const {
    return !dead.all_failed(topology_->injection(terminal));
  }
  [[nodiscard]] bool receives(TerminalId terminal, const FaultSet& dead) const {
    return !dead.all_failed(topology_->ejection(terminal));
  }
  [[nodiscard]] std::uint64_t cut_off_pairs(const FaultSet& dead) const {
    std::uint64_t senders = 0, receivers = 0, both = 0;
    for (const TerminalId terminal : topology_->terminals()) {
      const bool sends = this->sends(terminal, dead), receives = this->receives(terminal, dead);
      senders += sends ? 1 : 0;
      receivers += receives ? 1 : 0;
      both += sends && receives ? 1 : 0;
    }
    const std::uint64_t terminals = topology_->terminal_count();
    return terminals * (terminals - 1) - (senders * receivers - both);
  }

  /// See WhatIfFailed.
  [[nodiscard]] std::uint64_t separated_pairs(const FaultSet& dead) const {
    return LivingNetwork(*topology_, dead).separate_pairs() - cut_off_pairs(dead) -
           count_of_living(separate_, dead);
  }
  /// Of these pairs, those that the failure does not cut off.
  [[nodiscard]] std::uint64_t count_of_living(const Pairs& pairs, const FaultSet& dead) const {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        pairs, [&](const auto& pair) { return sends(pair.first, dead) && receives(pair.second, dead); }));
  }

  [[nodiscard]] NewTables react(const FaultSet& dead) const {
    const RelationPtr relation = this->relation(spec_.engine, dead);
    const Verdict verdict =
        verify(*relation, dead, {.switching = switching, .listed_pairs = 0, .stop = spec_.stop});
    const TableExport made = export_tables(*relation, dead, spec_.engine.kind().info.name);
    const std::uint64_t unconnected_before = count_of_living(unconnected_, dead);
    return {.unreachable_pairs = verdict.unreachable_pairs,
            .newly_unreachable_pairs =
                verdict.unreachable_pairs - std::min(verdict.unreachable_pairs, unconnected_before),
            .deadlock_free = verdict.deadlock_free && relation->virtual_channels() == 1,
            .virtual_channels = relation->virtual_channels(),
            .changed_entries = differing_entries(*topology_, dead, tables_, made.tables),
            .max_link_load = ForwardingPaths(*topology_, made.tables).use(dead).max_link_load,
            .acyclic_with_switches = made.acyclic_with_switches};
  }

  const TopologyPtr& topology_;
  const FaultComponents& components_;
  const WhatIfSpec& spec_;
  infiniband::ForwardingTables tables_;  // in use
  ForwardingPaths in_use_;
  std::uint64_t sets_;
  std::vector<std::vector<std::uint32_t>> drawn_;  // unless all sets are examined
  // Without a failure
  bool has_tables_ = false;
  std::vector<std::string> remarks_;
  bool is_free_of_deadlock_ = false;
  Pairs separate_;                          // no path leads from the one to the other
  Pairs unconnected_;                       // by the tables
  bool unconnected_by_new_tables_ = false;  // else by those in use
};

}  // namespace

bool WhatIf::holds() const {
  return unexamined == 0 && !may_deadlock() &&
         std::ranges::all_of(sets, [](const WhatIfFailed& set) { return set.holds(); });
}

WhatIf what_if(const TopologyPtr& topology, const FaultComponents& components, const WhatIfSpec& spec,
               const Progress& progress) {
  if (components.count() == 0)
    throw Error("failures", std::to_string(spec.failures),
                "has nothing to fail: the fabric has no components of this unit and scope; choose others");
  if (spec.failures < 1 || spec.failures > components.count())
    throw Error("failures", std::to_string(spec.failures),
                "must be from 1 to the number of components, " + std::to_string(components.count()));
  const Examination examination(topology, components, spec);
  WhatIf answer = examination.begin();
  answer.unexamined = work_until_stopped(answer.sets.size(), spec.threads, spec.stop, "fault sets", progress,
                                         [&](std::size_t i) { answer.sets[i] = examination.examine(i); });
  std::erase_if(answer.sets, [](const WhatIfFailed& set) { return set.failed.empty(); });
  if (answer.sets.empty()) throw Stopped();
  std::ranges::stable_sort(answer.sets, [](const WhatIfFailed& a, const WhatIfFailed& b) {
    return std::tuple(b.before.arriving_routes(), a.before.crossed_entries) >
           std::tuple(a.before.arriving_routes(), b.before.crossed_entries);
  });
  return answer;
}

nlohmann::ordered_json to_json(const WhatIf& answer) {
  nlohmann::ordered_json healthy = to_json(answer.healthy);
  healthy["unreachable_pairs"] = answer.unreachable_pairs;
  healthy["deadlock_free"] = answer.deadlock_free;
  nlohmann::ordered_json json{{"holds", answer.holds()},
                              {"healthy", std::move(healthy)},
                              {"sets", answer.sets.size()},
                              {"sets_total", answer.sets_total},
                              {"exhaustive", answer.exhaustive && answer.unexamined == 0},
                              {"interrupted", answer.unexamined != 0},
                              {"remarks", answer.remarks},
                              {"by_set", nlohmann::ordered_json::array()}};
  for (const WhatIfFailed& set : answer.sets) {
    nlohmann::ordered_json& entry =
        json["by_set"].emplace_back(nlohmann::ordered_json{{"failed", set.failed},
                                                           {"cut_off_pairs", set.cut_off_pairs},
                                                           {"separated_pairs", set.separated_pairs},
                                                           {"before", to_json(set.before)}});
    entry["after"] = nullptr;
    if (set.after && set.after->made)
      entry["after"] = {{"unreachable_pairs", set.after->unreachable_pairs},
                        {"newly_unreachable_pairs", set.after->newly_unreachable_pairs},
                        {"deadlock_free", set.after->deadlock_free},
                        {"virtual_channels", set.after->virtual_channels},
                        {"changed_entries", set.after->changed_entries},
                        {"max_link_load", set.after->max_link_load},
                        {"acyclic_with_switches", set.after->acyclic_with_switches}};
    entry["tables_made"] = set.after && set.after->made;
  }
  return json;
}

}  // namespace faultline
