// SPDX-License-Identifier: Apache-2.0
#include "resilience/worst/circuit_losses.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>

namespace faultline::survival {
namespace {

using Gate = Circuit::Gate;

constexpr std::uint32_t never = ~std::uint32_t{0};

}  // namespace

void add_worst(LossBound& bound, std::uint32_t budget) {
  std::vector<double> worst(std::min<std::size_t>(budget, bound.harm.size()));
  std::ranges::partial_sort_copy(bound.harm, worst, std::greater<>{});
  // Added to make up for rounding: a bound that is too low would prune the worst set.
  const double more = std::accumulate(worst.begin(), worst.end(), 0.0) * (1 + 1e-9) + 1e-6;
  bound.at_most = bound.lost + std::min(bound.endangered, static_cast<std::uint64_t>(more));
}

CircuitLosses::CircuitLosses(Circuit circuit)
    : circuit_(std::move(circuit)), deaths_(circuit_.node_count()), weight_(circuit_.node_count()) {
  find_groups();
}

void CircuitLosses::find_groups() {
  const std::size_t words = (circuit_.components() + std::size_t{63}) / 64;
  std::vector<std::uint64_t> support(circuit_.node_count() * words);
  for (Node node = 0; node < circuit_.node_count(); ++node) {
    first_.push_back(static_cast<std::uint32_t>(groups_.size()));
    std::uint64_t* own = support.data() + node * words;
    const Gate gate = circuit_.gate(node);
    if (gate == Gate::alive) {
      const std::uint32_t component = circuit_.operands(node).front();
      own[component / 64] |= std::uint64_t{1} << (component % 64);
    } else if (gate == Gate::all || gate == Gate::any) {
      for (const Node operand : circuit_.operands(node))
        for (std::size_t word = 0; word < words; ++word) own[word] |= support[operand * words + word];
      if (gate == Gate::any)
        append_groups(node, support, words);
      else
        groups_.resize(groups_.size() + circuit_.operands(node).size());
    } else if (gate != Gate::zero && gate != Gate::one) {
      throw std::logic_error("losses of a circuit with NOT or loops");
    }
  }
}

/// Operands that share components, directly or through others, get one number.
void CircuitLosses::append_groups(Node node, const std::vector<std::uint64_t>& support, std::size_t words) {
  std::vector<std::vector<std::uint64_t>> met;  // supports of the groups so far, which share nothing
  for (const Node operand : circuit_.operands(node)) {
    const std::span theirs(support.data() + operand * words, words);
    const auto number = static_cast<std::uint32_t>(met.size());
    groups_.push_back(number);
    met.emplace_back(theirs.begin(), theirs.end());
    for (std::uint32_t group = 0; group < number; ++group) {
      bool shares = false;
      for (std::size_t word = 0; word < words; ++word)
        shares = shares || (met[group][word] & theirs[word]) != 0;
      if (!shares) continue;
      for (std::size_t word = 0; word < words; ++word)
        met[number][word] |= std::exchange(met[group][word], 0);
      std::replace(groups_.begin() + static_cast<std::ptrdiff_t>(first_.back()), groups_.end(), group,
                   number);
    }
  }
}

/// At most `most`, which also stands for any larger number.
std::uint32_t CircuitLosses::least_deaths(Node node, std::uint32_t most) const {
  const auto operands = circuit_.operands(node);
  switch (circuit_.gate(node)) {
    case Gate::zero:
      return 0;
    case Gate::all: {
      std::uint32_t least = most;
      for (const Node operand : operands) least = std::min(least, deaths_[operand]);
      return least;
    }
    case Gate::any: {
      // Operands of one group may die of the same components: the one with the most components needed counts.
      std::vector<std::uint32_t> by_group;
      for (std::size_t i = 0; i < operands.size(); ++i) {
        const std::uint32_t group = groups_[first_[node] + i];
        if (group >= by_group.size()) by_group.resize(group + std::size_t{1});
        by_group[group] = std::max(by_group[group], deaths_[operands[i]]);
      }
      std::uint64_t sum = 0;
      for (const std::uint32_t deaths : by_group) sum += deaths;
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(sum, most));
    }
    default:
      return most;
  }
}

void CircuitLosses::pass_on(Node node, std::uint32_t budget) {
  const double weight = weight_[node];
  const auto operands = circuit_.operands(node);
  if (circuit_.gate(node) == Gate::all) {
    for (const Node operand : operands)
      if (deaths_[operand] <= budget) weight_[operand] += weight;
    return;
  }
  double sum = 0;
  for (const Node operand : operands) sum += deaths_[operand];
  for (const Node operand : operands) weight_[operand] += weight * deaths_[operand] / sum;
}

LossBound CircuitLosses::bound(const Decided& decided, std::uint32_t budget) {
  const std::uint32_t most = budget + 1;
  LossBound result{
      .lost = 0, .endangered = 0, .at_most = 0, .harm = std::vector<double>(circuit_.components())};
  std::vector<std::uint32_t> own(circuit_.components(), 1);
  for (const Component component : decided.dead) own[component] = 0;
  for (const Component component : decided.spared) own[component] = most;
  for (Node node = 0; node < circuit_.node_count(); ++node)
    deaths_[node] = circuit_.gate(node) == Gate::alive ? std::min(most, own[circuit_.operands(node).front()])
                                                       : least_deaths(node, most);
  std::ranges::fill(weight_, 0);
  for (const Circuit::Output& output : circuit_.outputs()) {
    if (deaths_[output.node] == 0) result.lost += output.pairs;
    if (deaths_[output.node] == 0 || deaths_[output.node] > budget) continue;
    result.endangered += output.pairs;
    weight_[output.node] += static_cast<double>(output.pairs);
  }
  for (auto node = static_cast<Node>(circuit_.node_count()); node-- > 0;) {
    if (weight_[node] == 0) continue;
    if (circuit_.gate(node) == Gate::alive)
      result.harm[circuit_.operands(node).front()] += weight_[node];
    else
      pass_on(node, budget);
  }
  add_worst(result, budget);
  return result;
}

}  // namespace faultline::survival
