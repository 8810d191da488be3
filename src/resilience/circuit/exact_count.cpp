// SPDX-License-Identifier: Apache-2.0
#include "resilience/circuit/exact_count.h"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/sort_unique.h"
#include "faultline/base/random.h"
#include "resilience/circuit/canonical_forms.h"
#include "resilience/circuit/reduction.h"

namespace faultline::survival {
namespace {

using Support = std::vector<std::uint32_t>;  // variables, in rising order

/// By variable: alike ones have the same number.
std::vector<std::uint32_t> types(const std::vector<Variable>& variables) {
  std::vector<std::uint32_t> result;
  std::map<std::pair<Polynomial, Polynomial>, std::uint32_t> known;
  for (const Variable& variable : variables)
    result.push_back(
        known.try_emplace({variable.alive, variable.dead}, static_cast<std::uint32_t>(known.size()))
            .first->second);
  return result;
}

class Counter {
 public:
  Counter(Reduction& reduction, CountBudget& budget)
      : circuit_(reduction.circuit()),
        variables_(reduction.variables()),
        budget_(budget),
        forms_(types(variables_)),
        met_(variables_.size()),
        met_in_(variables_.size()) {}

  struct TooMany {};

  /// Sets of at most terms - 1 faults among `universe` components, those of the roots among them, with which
  /// all roots are true.
  Polynomial count(const std::vector<Node>& given, std::size_t terms, std::uint64_t universe) {
    // Terms that so few faults cannot make false are left out: the rest falls into smaller parts, and more of
    // them are equal.
    std::vector<Node> roots;
    for (const Node root : given) append_factors(within(root, static_cast<std::uint32_t>(terms - 1)), roots);
    sort_unique(roots);
    if (!roots.empty() && roots.front() == Circuit::zero) return {};
    Polynomial result{1};
    for (auto& part : parts(roots)) {
      universe -= part.components;
      std::ranges::sort(part.nodes);
      result = multiplied(result, count_part(part, terms), terms);
      if (result.empty()) return result;
    }
    return multiplied(result, all_sets(universe, terms), terms);
  }

 private:
  struct NodesHash {
    std::size_t operator()(const std::vector<Node>& nodes) const {
      std::uint64_t hash = nodes.size();
      for (const Node node : nodes) hash = mix(hash ^ node);
      return hash;
    }
  };
  struct Counted {
    std::size_t terms = 0;
    Polynomial polynomial;
  };

  /// Nodes that share variables, directly or through others.
  struct Part {
    std::vector<Node> nodes;
    std::uint64_t components = 0;
  };

  std::vector<Part> parts(const std::vector<Node>& nodes) {
    std::vector<Part> result(nodes.size());
    std::vector<std::size_t> merged(nodes.size());
    const auto find = [&](std::size_t part) {
      while (merged[part] != part) part = merged[part] = merged[merged[part]];
      return part;
    };
    ++epoch_;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      merged[i] = i;
      for (const std::uint32_t variable : support(nodes[i])) {
        if (met_[variable] == epoch_) {
          const std::size_t a = find(met_in_[variable]), b = find(i);
          merged[std::max(a, b)] = std::min(a, b);
        } else {
          met_[variable] = epoch_;
          met_in_[variable] = i;
          result[find(i)].components += variables_[variable].size;
        }
      }
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::size_t part = find(i);
      result[part].nodes.push_back(nodes[i]);
      if (part != i) result[part].components += std::exchange(result[i].components, 0);
    }
    std::erase_if(result, [](const Part& part) { return part.nodes.empty(); });
    return result;
  }

  const Support& support(Node node) {
    while (supports_.size() <= node) supports_.emplace_back();
    std::optional<Support>& known =
        supports_[node];  // a deque, because references to its members must stay valid
    if (known) return *known;
    Support result;
    const auto gate = circuit_.gate(node);
    if (gate == Circuit::Gate::alive || gate == Circuit::Gate::dead) {
      result.assign(1, circuit_.operands(node).front());
    } else {
      for (const Node operand : circuit_.operands(node)) {
        const Support& more = support(operand);
        result.insert(result.end(), more.begin(), more.end());
      }
      sort_unique(result);
    }
    return *(known = std::move(result));
  }

  Polynomial count_part(const Part& part, std::size_t terms) {
    Counted& known = counted(part.nodes);
    if (known.terms < terms) {
      Polynomial result = branch(part, terms);
      known = {terms, std::move(result)};
    }
    const Polynomial& all = known.polynomial;
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(terms, all.size()))};
  }

  /// One entry for all parts that are equal up to the names of variables.
  Counted& counted(const std::vector<Node>& nodes) {
    Counted*& entry = entries_[nodes];
    if (entry == nullptr) {
      const std::size_t before = forms_.steps();
      entry = &counted_[forms_.form(circuit_, nodes)];
      spend(forms_.steps() - before);
    }
    return *entry;
  }

  void spend(std::size_t steps) {
    if (steps > budget_.steps || is_set(budget_.stop)) throw TooMany{};
    budget_.steps -= steps;
  }

  Polynomial multiplied(const Polynomial& a, const Polynomial& b, std::size_t terms) {
    spend(words(a) * words(b));
    return product(a, b, terms);
  }

  /// Branches on the first of the variables: with a fixed order, what remains after different choices is
  /// often equal.
  Polynomial branch(const Part& part, std::size_t terms) {
    std::uint32_t variable = support(part.nodes.front()).front();
    for (const Node root : part.nodes) variable = std::min(variable, support(root).front());
    const Variable& chosen = variables_[variable];
    Polynomial result;
    for (const bool alive : {true, false}) {
      if (!alive && chosen.fewest_deaths >= terms) continue;
      std::unordered_map<Node, Node> memo;
      std::vector<Node> rest;
      for (const Node root : part.nodes) append_factors(restrict(root, variable, alive, memo), rest);
      const std::size_t spare = alive ? terms : terms - chosen.fewest_deaths;
      const Polynomial ways = count(rest, spare, part.components - chosen.size);
      if (!ways.empty())
        result = sum(std::move(result), multiplied(ways, alive ? chosen.alive : chosen.dead, terms));
    }
    return result;
  }

  void append_factors(Node node, std::vector<Node>& roots) {
    if (circuit_.gate(node) == Circuit::Gate::all)
      roots.insert(roots.end(), circuit_.operands(node).begin(), circuit_.operands(node).end());
    else if (node != Circuit::one)
      roots.push_back(node);
  }

  Node restrict(Node node, std::uint32_t variable, bool alive, std::unordered_map<Node, Node>& memo) {
    const auto gate = circuit_.gate(node);
    if (gate == Circuit::Gate::alive || gate == Circuit::Gate::dead) {
      if (circuit_.operands(node).front() != variable) return node;
      return (gate == Circuit::Gate::alive) == alive ? Circuit::one : Circuit::zero;
    }
    if (gate != Circuit::Gate::all && gate != Circuit::Gate::any) return node;
    if (!std::ranges::binary_search(support(node), variable)) return node;
    if (const auto found = memo.find(node); found != memo.end()) return found->second;
    std::vector<Node> operands(circuit_.operands(node).begin(), circuit_.operands(node).end());
    spend(operands.size());
    for (Node& operand : operands) operand = restrict(operand, variable, alive, memo);
    return memo[node] = gate == Circuit::Gate::all ? circuit_.all(operands) : circuit_.any(operands);
  }

  /// A gate that is false if `node` is, as long as no more than `budget` components are dead: operands that
  /// cannot become false with what their siblings leave of the budget are replaced by true.
  Node within(Node node, std::uint32_t budget) {
    const auto gate = circuit_.gate(node);
    if (gate != Circuit::Gate::zero && fewest_deaths(node) > budget) return Circuit::one;
    if (gate != Circuit::Gate::all && gate != Circuit::Gate::any) return node;
    const std::uint64_t key = std::uint64_t{node} << 32 | budget;
    if (const auto found = within_.find(key); found != within_.end()) return found->second;
    std::vector<Node> operands(circuit_.operands(node).begin(), circuit_.operands(node).end());
    if (gate == Circuit::Gate::all) {
      for (Node& operand : operands) operand = within(operand, budget);
      return within_[key] = circuit_.all(operands);
    }
    const std::uint32_t spare = budget - fewest_deaths(node);
    std::vector<Node> kept;
    for (const Part& part : parts(operands)) {
      const std::uint32_t own = most_fewest_deaths(part.nodes);
      for (const Node operand : part.nodes) kept.push_back(within(operand, own + spare));
    }
    return within_[key] = circuit_.any(kept);
  }

  std::uint32_t most_fewest_deaths(const std::vector<Node>& part) {
    std::uint32_t most = 0;
    for (const Node operand : part) most = std::max(most, fewest_deaths(operand));
    return most;
  }

  /// A lower bound of the components that must die for `node` to be false: the sum over operands of an OR
  /// that share no variable, the largest of those that do.
  std::uint32_t fewest_deaths(Node node) {
    if (fewest_deaths_.size() <= node) fewest_deaths_.resize(node + std::size_t{1}, unknown);
    if (fewest_deaths_[node] != unknown) return fewest_deaths_[node];
    std::uint32_t result = 0;
    const auto gate = circuit_.gate(node);
    const std::vector<Node> operands(circuit_.operands(node).begin(), circuit_.operands(node).end());
    if (gate == Circuit::Gate::alive) {
      result = variables_[operands.front()].fewest_deaths;
    } else if (gate == Circuit::Gate::all) {
      result = fewest_deaths(operands.front());
      for (const Node operand : operands) result = std::min(result, fewest_deaths(operand));
    } else if (gate == Circuit::Gate::any) {
      for (const Part& part : parts(operands)) result += most_fewest_deaths(part.nodes);
    }
    return fewest_deaths_[node] = result;
  }

  static constexpr std::uint32_t unknown = ~std::uint32_t{0};

  Circuit& circuit_;
  const std::vector<Variable>& variables_;
  CountBudget& budget_;
  std::deque<std::optional<Support>> supports_;     // by node
  std::vector<std::uint32_t> fewest_deaths_;        // by node
  std::unordered_map<std::uint64_t, Node> within_;  // by node and budget
  CanonicalForms forms_;
  std::unordered_map<std::vector<Node>, Counted, NodesHash> counted_;   // by canonical form
  std::unordered_map<std::vector<Node>, Counted*, NodesHash> entries_;  // by nodes: their form's
  std::uint32_t epoch_ = 0;
  std::vector<std::uint32_t> met_;   // by variable: the epoch in which a part last had it
  std::vector<std::size_t> met_in_;  // by variable: the node that had it first
};

}  // namespace

std::optional<std::vector<BigInteger>> count_tolerable_sets(const Circuit& requirements,
                                                            std::uint32_t max_faults, CountBudget& budget) {
  const std::size_t terms = std::size_t{max_faults} + 1;
  Reduction reduction(requirements, terms);
  Counter counter(reduction, budget);
  try {
    Polynomial result = counter.count(reduction.roots(), terms, requirements.components());
    result.resize(terms);
    return result;
  } catch (const Counter::TooMany&) {
    return std::nullopt;
  }
}

std::optional<std::vector<BigInteger>> count_tolerable_sets(const Circuit& requirements,
                                                            std::uint32_t max_faults, CountBudget&& budget) {
  return count_tolerable_sets(requirements, max_faults, budget);
}

}  // namespace faultline::survival
