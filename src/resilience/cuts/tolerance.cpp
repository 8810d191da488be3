// SPDX-License-Identifier: Apache-2.0
#include "resilience/cuts/tolerance.h"

#include <algorithm>
#include <unordered_map>

#include "base/binomial.h"
#include "resilience/cuts/minimum_cut.h"
#include "resilience/evaluate/every_set.h"

namespace faultline::survival {
namespace {

class PairCuts {
 public:
  explicit PairCuts(const Subject& subject)
      : topology_(subject.components.topology()),
        channels_(subject.components, subject.survival),
        graphs_(topology_, channels_),
        hits_(subject.components.count()) {
    best_.faults = limit_ = static_cast<std::uint32_t>(subject.components.count());
  }

  void add(const DestinationClass& destinations) {
    for (const SourceGroup& group : destinations.groups) {
      const auto [source, destination] = example(destinations, group);
      if (!source.valid()) continue;
      const PairGraph& graph = graphs_.find(destinations, group, source, destination);
      const MinimumCut& cut = cut_of(graph);
      switch (cut.status) {
        case MinimumCut::Status::above:
        case MinimumCut::Status::never:
          break;
        case MinimumCut::Status::unknown:
          note_unknown(cut);
          break;
        case MinimumCut::Status::exact:
          note(cut, graph, destinations, group, source, destination);
          break;
      }
    }
  }

  Tolerance result() && {
    if (unknown_below_ && *unknown_below_ <= best_.faults) {
      best_.exact = false;
      best_.faults = *unknown_below_ == 0 ? 0 : *unknown_below_ - 1;
    }
    best_.cut_share.assign(hits_.size(), 0);
    if (pairs_ != 0)
      for (std::size_t component = 0; component < hits_.size(); ++component)
        best_.cut_share[component] = static_cast<double>(hits_[component]) / static_cast<double>(pairs_);
    return std::move(best_);
  }

 private:
  /// Two different terminals of the group and the class, or none.
  static std::pair<TerminalId, TerminalId> example(const DestinationClass& destinations,
                                                   const SourceGroup& group) {
    for (const TerminalId source : group.sources)
      for (const TerminalId destination : destinations.members)
        if (source != destination) return {source, destination};
    return {};
  }

  const MinimumCut& cut_of(const PairGraph& graph) {
    const auto [entry, is_new] = known_.try_emplace(graph.identity());
    if (is_new) entry->second = minimum_cut(graph, limit_);
    return entry->second;
  }

  void note_unknown(const MinimumCut& cut) {
    unknown_below_ = std::min(unknown_below_.value_or(cut.size), cut.size);
  }

  void note(const MinimumCut& cut, const PairGraph& graph, const DestinationClass& destinations,
            const SourceGroup& group, TerminalId source, TerminalId destination) {
    if (cut.size > limit_) return;
    if (cut.size < limit_ || !best_.source.valid()) {
      limit_ = cut.size;
      best_.faults = cut.size == 0 ? 0 : cut.size - 1;
      best_.source = source;
      best_.destination = destination;
      best_.witness.clear();
      for (const std::uint32_t component : cut.components)
        best_.witness.push_back(
            component_at(graph.components[component].channel, graph.components[component].index));
      std::ranges::sort(best_.witness);
      std::ranges::fill(hits_, 0);
      pairs_ = 0;
    }
    pairs_ += destinations.pairs(group);
    for (const std::uint32_t component : cut.members)
      count_hits(graph.components[component], destinations, group, source, destination);
  }

  /// The cut of each pair of a class is that of the example, with its own terminals' channels.
  void count_hits(const PairGraph::Met& met, const DestinationClass& destinations, const SourceGroup& group,
                  TerminalId source, TerminalId destination) {
    const auto is_in = [](const std::vector<TerminalId>& terminals, TerminalId one) {
      return std::ranges::binary_search(terminals, one);
    };
    const TerminalId owner = channels_.own_to_terminals() ? topology_.terminal(met.channel) : TerminalId();
    if (owner == source) {
      for (const TerminalId other : group.sources)
        hits_[component_at(translate(topology_, met.channel, source, other), met.index)] +=
            destinations.members.size() - (is_in(destinations.members, other) ? 1 : 0);
    } else if (owner == destination) {
      for (const TerminalId other : destinations.members)
        hits_[component_at(translate(topology_, met.channel, destination, other), met.index)] +=
            group.sources.size() - (is_in(group.sources, other) ? 1 : 0);
    } else {
      hits_[component_at(met.channel, met.index)] += destinations.pairs(group);
    }
  }

  [[nodiscard]] Component component_at(ChannelId channel, std::uint32_t index) const {
    return channels_.of(channel)[index];
  }

  const Topology& topology_;
  ComponentsOfChannel channels_;
  PairGraphs graphs_;
  Tolerance best_;
  std::optional<std::uint32_t> unknown_below_;
  std::vector<std::uint64_t> hits_;  // by component: pairs
  std::uint64_t pairs_ = 0;          // whose cuts are smallest
  std::uint32_t limit_ = 0;          // size of the smallest cuts; without any, the number of components
  struct LowWord {
    std::size_t operator()(const Hash128& hash) const { return hash.low; }
  };
  std::unordered_map<Hash128, MinimumCut, LowWord> known_;
};

}  // namespace

Tolerance tolerance_by_cuts(const Subject& subject, const Progress& progress) {
  PairCuts cuts(subject);
  for_each_destination_class(*subject.relation, subject.survival,
                             [&](const DestinationClass& destinations) { cuts.add(destinations); },
                             {"destinations searched for minimum cuts", progress});
  return std::move(cuts).result();
}

Tolerance tolerance_by_enumeration(const Evaluator& evaluator, const FaultComponents& components,
                                   std::uint64_t most_sets) {
  const auto count = static_cast<std::uint32_t>(components.count());
  Tolerance tolerance;
  const std::unique_ptr<Evaluator> own = evaluator.clone();
  std::uint64_t budget = most_sets;
  for (std::uint32_t faults = 0; faults <= count; ++faults) {
    const BigInteger sets = binomial(count, faults);
    if (sets > budget) {
      tolerance.exact = false;
      return tolerance;
    }
    budget -= static_cast<std::uint64_t>(sets);
    const auto survived = [&](const FaultBlock& block, const Verdicts& verdicts) {
      const auto failing =
          std::ranges::find_if(verdicts.lost_pairs, [](std::uint64_t pairs) { return pairs != 0; });
      if (failing == verdicts.lost_pairs.end()) return true;
      const auto set = block.set(static_cast<std::size_t>(failing - verdicts.lost_pairs.begin()));
      tolerance.witness.assign(set.begin(), set.end());
      return false;
    };
    if (!for_every_set(*own, count, faults, survived)) return tolerance;
    tolerance.faults = faults;
  }
  return tolerance;
}

}  // namespace faultline::survival
