// SPDX-License-Identifier: Apache-2.0
#include "resilience/cuts/tolerance.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>

#include "base/binomial.h"
#include "resilience/cuts/minimum_cut.h"
#include "resilience/evaluate/every_set.h"

namespace faultline::survival {
namespace {

/// By component: the terminal that alone loses channels to it; none if several do, or the network.
std::vector<TerminalId> only_losers(const FaultComponents& components, const ComponentsOfChannel& channels) {
  const Topology& topology = components.topology();
  std::vector<std::optional<TerminalId>> losers(components.count());
  for (const ChannelId channel : topology.channels())
    for (const Component component : channels.of(channel)) {
      const TerminalId terminal = topology.terminal(channel);
      losers[component] = losers[component].value_or(terminal) == terminal ? terminal : TerminalId();
    }
  std::vector<TerminalId> only;
  for (const auto& loser : losers) only.push_back(loser.value_or(TerminalId()));
  return only;
}

/// By terminal: those with the same number have channels that components take away in the same pattern, so
/// that one can stand for another. A component that takes channels of several terminals, or of a terminal and
/// of the network, sets its terminals apart; the switch that a channel is attached to does not.
std::vector<std::uint32_t> kinds_of_attachment(const FaultComponents& components,
                                               const ComponentsOfChannel& channels) {
  const Topology& topology = components.topology();
  const std::vector<TerminalId> loser_of = only_losers(components, channels);
  std::map<std::vector<std::uint32_t>, std::uint32_t> kinds;
  std::vector<std::uint32_t> kind_of;
  for (const TerminalId terminal : topology.terminals()) {
    std::vector<std::uint32_t> pattern;
    std::map<Component, std::uint32_t> number_of;
    const auto append = [&](std::span<const ChannelId> attachments) {
      for (const ChannelId channel : attachments) {
        for (const Component component : channels.of(channel)) {
          if (is_attached_switch(components, component, channel)) continue;
          pattern.push_back(loser_of[component] == terminal ? 0 : terminal.value() + 1);
          pattern.push_back(number_of.try_emplace(component, number_of.size()).first->second);
        }
        pattern.push_back(~std::uint32_t{0});
      }
      pattern.push_back(~std::uint32_t{0});
    };
    append(topology.injection(terminal));
    append(topology.ejection(terminal));
    kind_of.push_back(kinds.try_emplace(std::move(pattern), kinds.size()).first->second);
  }
  return kind_of;
}

class PairCuts {
 public:
  PairCuts(const Subject& subject, std::uint64_t search_steps)
      : topology_(subject.components.topology()),
        channels_(subject.components, subject.survival),
        kind_of_(kinds_of_attachment(subject.components, channels_)),
        graphs_(topology_, channels_),
        hits_(subject.components.count()),
        search_steps_(search_steps) {
    best_.faults = limit_ = static_cast<std::uint32_t>(subject.components.count());
  }

  void add(const DestinationClass& destinations) {
    for (const SourceGroup& group : destinations.groups)
      for (const std::vector<TerminalId>& sources : by_kind(group.sources))
        for (const std::vector<TerminalId>& members : by_kind(destinations.members))
          if (const PairClass pairs(sources, members); pairs.source.valid())
            add(pairs, graphs_.find(destinations, group, pairs.source, pairs.destination));
  }

  Tolerance result() && {
    best_.can_lose = best_.source.valid();
    if (unknown_below_ && *unknown_below_ <= best_.faults) {
      best_.exact = false;
      best_.faults = *unknown_below_ == 0 ? 0 : *unknown_below_ - 1;
    }
    if (knows_all_cuts()) add_shares();
    return std::move(best_);
  }

 private:
  /// Pairs whose paths are alike, up to the terminals' own channels.
  struct PairClass {
    PairClass(const std::vector<TerminalId>& from, const std::vector<TerminalId>& to)
        : sources(from), destinations(to) {
      for (const TerminalId one : from)
        for (const TerminalId other : to)
          if (one != other && !source.valid()) std::tie(source, destination) = std::pair(one, other);
    }
    [[nodiscard]] std::uint64_t from(TerminalId one) const {
      return destinations.size() - (std::ranges::binary_search(destinations, one) ? 1 : 0);
    }
    [[nodiscard]] std::uint64_t to(TerminalId one) const {
      return sources.size() - (std::ranges::binary_search(sources, one) ? 1 : 0);
    }
    [[nodiscard]] std::uint64_t count() const {
      std::uint64_t count = 0;
      for (const TerminalId one : sources) count += from(one);
      return count;
    }

    const std::vector<TerminalId>& sources;
    const std::vector<TerminalId>& destinations;
    TerminalId source, destination;  ///< an example; none if there is no pair
  };

  [[nodiscard]] std::vector<std::vector<TerminalId>> by_kind(const std::vector<TerminalId>& terminals) const {
    std::map<std::uint32_t, std::vector<TerminalId>> of_kind;
    for (const TerminalId terminal : terminals) of_kind[kind_of_[terminal.index()]].push_back(terminal);
    std::vector<std::vector<TerminalId>> found;
    for (auto& [kind, members] : of_kind) found.push_back(std::move(members));
    return found;
  }

  void add(const PairClass& pairs, const PairGraph& graph) {
    const MinimumCut& cut = cut_of(graph);
    switch (cut.status) {
      case MinimumCut::Status::above:
      case MinimumCut::Status::never:
        break;
      case MinimumCut::Status::unknown:
        note_unknown(cut);
        break;
      case MinimumCut::Status::exact:
        note(cut, graph, pairs);
        break;
    }
  }

  const MinimumCut& cut_of(const PairGraph& graph) {
    const auto [entry, is_new] = known_.try_emplace(graph.identity());
    if (is_new) entry->second = minimum_cut(graph, limit_, search_steps_);
    return entry->second;
  }

  void note_unknown(const MinimumCut& cut) {
    unknown_below_ = std::min(unknown_below_.value_or(cut.size), cut.size);
  }

  void note(const MinimumCut& cut, const PairGraph& graph, const PairClass& pairs) {
    if (cut.size > limit_) return;
    if (cut.size < limit_ || !best_.source.valid()) {
      limit_ = cut.size;
      best_.faults = cut.size == 0 ? 0 : cut.size - 1;
      best_.source = pairs.source;
      best_.destination = pairs.destination;
      best_.witness.clear();
      for (const std::uint32_t component : cut.components)
        best_.witness.push_back(
            component_at(graph.components[component].channel, graph.components[component].index));
      std::ranges::sort(best_.witness);
      std::ranges::fill(hits_, 0);
      pairs_ = 0;
      knows_members_ = true;
    }
    pairs_ += pairs.count();
    if (!cut.members) knows_members_ = false;
    for (const std::uint32_t component : cut.members.value_or(std::vector<std::uint32_t>()))
      count_hits(graph.components[component], pairs);
  }

  /// Of every pair that the fewest faults disconnect, all components of its smallest cuts.
  [[nodiscard]] bool knows_all_cuts() const {
    return knows_members_ && (!unknown_below_ || *unknown_below_ > limit_);
  }
  void add_shares() {
    best_.cut_share.assign(hits_.size(), 0);
    if (pairs_ == 0) return;
    for (std::size_t component = 0; component < hits_.size(); ++component)
      best_.cut_share[component] = static_cast<double>(hits_[component]) / static_cast<double>(pairs_);
  }

  /// The cut of each pair of a class is that of the example, with its own terminals' channels.
  void count_hits(const PairGraph::Met& met, const PairClass& pairs) {
    const TerminalId owner = channels_.own_to_terminals() ? topology_.terminal(met.channel) : TerminalId();
    if (owner.valid() && owner == pairs.source) {
      for (const TerminalId other : pairs.sources)
        hits_[component_at(translate(topology_, met.channel, owner, other), met.index)] += pairs.from(other);
    } else if (owner.valid() && owner == pairs.destination) {
      for (const TerminalId other : pairs.destinations)
        hits_[component_at(translate(topology_, met.channel, owner, other), met.index)] += pairs.to(other);
    } else {
      hits_[component_at(met.channel, met.index)] += pairs.count();
    }
  }

  [[nodiscard]] Component component_at(ChannelId channel, std::uint32_t index) const {
    return channels_.of(channel)[index];
  }

  const Topology& topology_;
  ComponentsOfChannel channels_;
  std::vector<std::uint32_t> kind_of_;  // of attachment, by terminal
  PairGraphs graphs_;
  Tolerance best_;
  std::optional<std::uint32_t> unknown_below_;
  std::vector<std::uint64_t> hits_;  // by component: pairs
  std::uint64_t search_steps_;
  std::uint64_t pairs_ = 0;    // whose cuts are smallest
  bool knows_members_ = true;  // of the smallest cuts of all of these
  std::uint32_t limit_ = 0;    // size of the smallest cuts; without any, the number of components
  struct LowWord {
    std::size_t operator()(const Hash128& hash) const { return hash.low; }
  };
  std::unordered_map<Hash128, MinimumCut, LowWord> known_;
};

}  // namespace

Tolerance tolerance_by_cuts(const Subject& subject, const Progress& progress, std::uint64_t search_steps) {
  PairCuts cuts(subject, search_steps);
  for_each_destination_class(*subject.relation, subject.survival,
                             [&](const DestinationClass& destinations) { cuts.add(destinations); },
                             {"destinations searched for minimum cuts", progress});
  return std::move(cuts).result();
}

Tolerance tolerance_by_enumeration(const Evaluator& evaluator, const FaultComponents& components,
                                   std::uint64_t max_sets) {
  const auto count = static_cast<std::uint32_t>(components.count());
  Tolerance tolerance;
  const std::unique_ptr<Evaluator> own = evaluator.clone();
  std::uint64_t budget = max_sets;
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
    if (!for_every_set(*own, count, faults, survived)) {
      tolerance.can_lose = true;
      return tolerance;
    }
    tolerance.faults = faults;
  }
  return tolerance;
}

}  // namespace faultline::survival
