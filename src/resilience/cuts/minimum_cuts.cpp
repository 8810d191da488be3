// SPDX-License-Identifier: Apache-2.0
#include "resilience/cuts/minimum_cuts.h"

#include <algorithm>
#include <set>

#include "resilience/cuts/network_cuts.h"
#include "resilience/evaluate/every_set.h"

namespace faultline::survival {
namespace {

using Sets = std::set<std::vector<Component>>;

/// Tries every set: required if switches do not know all faults.
MinimumCuts by_enumeration(const Evaluator& evaluator, std::uint32_t components, std::uint32_t size,
                           std::uint64_t max_listed) {
  MinimumCuts result{.size = size, .count = 0, .listed = {}};
  const std::unique_ptr<Evaluator> own = evaluator.clone();
  for_every_set(*own, components, size, [&](const FaultBlock& block, const Verdicts& verdicts) {
    for (std::uint32_t lane = 0; lane < block.lanes; ++lane) {
      if (verdicts.lost_pairs[lane] == 0) continue;
      ++*result.count;
      if (const auto set = block.set(lane); result.listed.size() < max_listed)
        result.listed.emplace_back(set.begin(), set.end());
    }
    return true;
  });
  return result;
}

std::optional<BigInteger> count_sets(const Circuit& requirements, std::uint32_t size) {
  const auto tolerable = count_tolerable_sets(requirements, size, {.steps = 20'000'000});
  if (!tolerable) return std::nullopt;
  return binomial(requirements.components(), size) - tolerable->at(size);
}

/// The sets of `size` components that falsify a gate of alive components, ANDs and ORs, appended to each of
/// `begun`; no more than `most`.
std::vector<std::vector<Component>> extend(const Circuit& circuit, Node gate,
                                           const std::vector<std::vector<Component>>& begun,
                                           std::size_t most) {
  std::vector<std::vector<Component>> result = begun;
  switch (circuit.gate(gate)) {
    case Circuit::Gate::alive:
      for (auto& set : result) set.push_back(circuit.operands(gate).front());
      break;
    case Circuit::Gate::any:
      for (const Node operand : circuit.operands(gate)) result = extend(circuit, operand, result, most);
      break;
    case Circuit::Gate::all:
      result.clear();
      for (const Node operand : circuit.operands(gate))
        for (auto& set : extend(circuit, operand, begun, most))
          if (result.size() < most) result.push_back(std::move(set));
      break;
    default:
      break;
  }
  return result;
}

MinimumCuts in_the_whole_network(const Subject& subject, std::uint32_t size, std::uint64_t max_listed) {
  MinimumCuts result{.size = size, .count = std::nullopt, .listed = {}};
  const auto requirements = cut_requirements(subject, size);
  if (!requirements) return result;
  result.count = count_sets(*requirements, size);
  Sets sets;
  for (const Circuit::Output& cut : requirements->outputs())
    for (auto& set : extend(*requirements, cut.node, {{}}, max_listed)) {
      std::ranges::sort(set);
      sets.insert(std::move(set));
    }
  for (const auto& set : sets)
    if (result.listed.size() < max_listed) result.listed.push_back(set);
  return result;
}

/// The cuts of one pair after the other.
class PairByPair {
 public:
  PairByPair(const Subject& subject, std::uint32_t size, std::uint64_t wanted)
      : topology_(subject.components.topology()),
        channels_(subject.components, subject.survival),
        graphs_(topology_, channels_),
        size_(size),
        wanted_(wanted) {}

  void add(const DestinationClass& destinations) {
    for (const SourceGroup& group : destinations.groups) add(destinations, group);
  }

  [[nodiscard]] bool complete() const { return complete_ && sets_.size() < wanted_; }
  [[nodiscard]] const Sets& sets() const { return sets_; }

 private:
  void add(const DestinationClass& destinations, const SourceGroup& group) {
    for (const TerminalId source : group.sources)
      for (const TerminalId destination : destinations.members) {
        if (sets_.size() >= wanted_) return;
        if (source == destination) continue;
        add(destinations, group, source, destination);
        // Terminals of one class differ only in their own channels: the cuts of one pair give those of all.
        if (!channels_.own_to_terminals()) return;
      }
  }

  void add(const DestinationClass& destinations, const SourceGroup& group, TerminalId source,
           TerminalId destination) {
    const PairGraph& pair = graphs_.find(destinations, group, source, destination);
    const CutGraph graph = cut_graph(pair);
    CutSearch search(graph, false);
    std::vector<bool> goals(graph.vertices.size());
    goals[PairGraph::sink] = true;
    const bool finished = search.run(PairGraph::source, goals, size_, steps_, [&](const Cut& cut) {
      std::vector<Component> set;
      for (const std::uint32_t piece : cut) {
        const PairGraph::Met& met = pair.components[piece];
        set.push_back(channels_.of(met.channel)[met.index]);
      }
      std::ranges::sort(set);
      sets_.insert(std::move(set));
      return sets_.size() < wanted_;
    });
    complete_ = complete_ && finished;
  }

  const Topology& topology_;
  ComponentsOfChannel channels_;
  PairGraphs graphs_;
  std::uint32_t size_;
  std::uint64_t wanted_, steps_ = CutEffort{}.max_steps;
  Sets sets_;
  bool complete_ = true;
};

MinimumCuts by_pairs(const Subject& subject, std::uint32_t size, std::uint64_t max_listed) {
  MinimumCuts result{.size = size, .count = std::nullopt, .listed = {}};
  const auto requirements = compile_requirements(subject);
  if (requirements) result.count = count_sets(*requirements, size);
  // If they could not be counted, they may still be few enough to list.
  constexpr std::uint64_t max_to_count = 100'000;
  const std::uint64_t wanted =
      result.count ? static_cast<std::uint64_t>(std::min(*result.count, BigInteger(max_listed)))
                   : std::max(max_listed, max_to_count);
  PairByPair pairs(subject, size, wanted);
  for_each_destination_class(*subject.relation, subject.survival,
                             [&](const DestinationClass& destinations) { pairs.add(destinations); });
  if (!result.count && pairs.complete()) result.count = pairs.sets().size();
  for (const auto& set : pairs.sets())
    if (result.listed.size() < max_listed) result.listed.push_back(set);
  return result;
}

}  // namespace

std::optional<MinimumCuts> minimum_cuts(const Subject& subject, const Evaluator& evaluator,
                                        const Tolerance& tolerance, std::uint64_t max_listed) {
  if (!tolerance.can_lose) return std::nullopt;
  const std::size_t components = subject.components.count();
  const auto size = static_cast<std::uint32_t>(tolerance.witness.size());
  if (!subject.knowledge.is_all())
    return by_enumeration(evaluator, static_cast<std::uint32_t>(components), size, max_listed);
  return subject.survival == Survival::fixed_paths ? by_pairs(subject, size, max_listed)
                                                   : in_the_whole_network(subject, size, max_listed);
}

}  // namespace faultline::survival
