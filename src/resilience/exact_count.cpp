// SPDX-License-Identifier: Apache-2.0
#include "resilience/exact_count.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace faultline::survival {
namespace {

/// Coefficient i: sets of i faults.
using Polynomial = std::vector<BigInteger>;

Polynomial product(const Polynomial& a, const Polynomial& b, std::size_t terms) {
  Polynomial result(std::min(terms, a.size() + b.size() - 1));
  for (std::size_t i = 0; i < std::min(a.size(), terms); ++i)
    for (std::size_t j = 0; j < b.size() && i + j < terms; ++j) result[i + j] += a[i] * b[j];
  return result;
}

Polynomial sum(Polynomial a, const Polynomial& b) {
  a.resize(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < b.size(); ++i) a[i] += b[i];
  return a;
}

/// `b` has no more terms, and none of its coefficients is larger.
Polynomial difference(Polynomial a, const Polynomial& b) {
  for (std::size_t i = 0; i < b.size(); ++i) a[i] -= b[i];
  return a;
}

/// (1 + z)^n, `terms` of it.
Polynomial all_sets(std::uint64_t n, std::size_t terms) {
  Polynomial result;
  for (std::size_t i = 0; i < std::min<std::size_t>(terms, n + 1); ++i) result.push_back(binomial(n, i));
  return result;
}

/// A component, or a part of the circuit that nothing else reads a piece of, and that reads each of its own
/// components once.
struct Variable {
  std::uint32_t size = 1;  ///< components
  Polynomial alive{1}, dead{0, 1};
  std::uint32_t fewest_deaths = 1;  ///< that make it dead
};

/// The requirements over variables instead of components.
class Reduction {
 public:
  Reduction(const Circuit& given, std::size_t terms)
      : given_(given),
        terms_(terms),
        readers_(given.node_count()),
        image_(given.node_count(), unmapped),
        circuit_(0) {
    count_readers();
    find_parts();
    circuit_ = Circuit(static_cast<std::uint32_t>(variables_.size()));
    for (const Circuit::Output& output : given.outputs()) append_root(map(output.node));
  }

  [[nodiscard]] std::vector<Node> roots() const { return roots_; }
  [[nodiscard]] Circuit& circuit() { return circuit_; }
  [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }
  /// Components that are part of a variable.
  [[nodiscard]] std::uint64_t component_count() const {
    std::uint64_t count = 0;
    for (const Variable& variable : variables_) count += variable.size;
    return count;
  }

 private:
  static constexpr std::uint32_t unmapped = ~std::uint32_t{0};

  [[nodiscard]] bool is_gate(Node node) const {
    return given_.gate(node) == Circuit::Gate::all || given_.gate(node) == Circuit::Gate::any;
  }

  void count_readers() {
    for (const Circuit::Output& output : given_.outputs()) ++readers_[output.node];
    for (auto node = static_cast<Node>(given_.node_count()); node-- > 0;)
      if (readers_[node] != 0 && is_gate(node))
        for (const Node operand : given_.operands(node)) ++readers_[operand];
    // What reads a component's death reads the component.
    for (Node node = 0; node < given_.node_count(); ++node)
      if (given_.gate(node) == Circuit::Gate::dead && readers_[node] != 0)
        readers_[given_.alive(given_.operands(node).front())] += 2;
  }

  void find_parts() {
    std::vector<bool> read_once(given_.node_count());
    for (Node node = 0; node < given_.node_count(); ++node) {
      const auto only_here = [&](Node operand) { return read_once[operand] && readers_[operand] == 1; };
      read_once[node] = given_.gate(node) == Circuit::Gate::alive ||
                        (is_gate(node) && std::ranges::all_of(given_.operands(node), only_here));
    }
    std::vector<bool> inside(given_.node_count());
    for (auto node = static_cast<Node>(given_.node_count()); node-- > 0;) {
      if (readers_[node] == 0 || !read_once[node]) continue;
      if (is_gate(node))
        for (const Node operand : given_.operands(node)) inside[operand] = true;
      if (inside[node]) continue;
      part_at_.emplace(node, static_cast<std::uint32_t>(variables_.size()));
      variables_.push_back(part(node));
    }
  }

  [[nodiscard]] Variable part(Node node) const {
    if (!is_gate(node)) return {};
    const bool all = given_.gate(node) == Circuit::Gate::all;
    Variable result{.size = 0, .alive = {1}, .dead = {1}, .fewest_deaths = 0};
    Polynomial& both = all ? result.alive : result.dead;
    for (const Node operand : given_.operands(node)) {
      const Variable one = part(operand);
      result.size += one.size;
      both = product(both, all ? one.alive : one.dead, terms_);
      result.fewest_deaths = !all                        ? result.fewest_deaths + one.fewest_deaths
                             : result.fewest_deaths == 0 ? one.fewest_deaths
                                                         : std::min(result.fewest_deaths, one.fewest_deaths);
    }
    (all ? result.dead : result.alive) = difference(all_sets(result.size, terms_), both);
    return result;
  }

  Node map(Node node) {
    if (image_[node] != unmapped) return image_[node];
    return image_[node] = map_anew(node);
  }

  Node map_anew(Node node) {
    if (const auto part = part_at_.find(node); part != part_at_.end()) return circuit_.alive(part->second);
    switch (given_.gate(node)) {
      case Circuit::Gate::zero:
        return Circuit::zero;
      case Circuit::Gate::dead:
        return circuit_.dead(part_at_.at(given_.alive(given_.operands(node).front())));
      case Circuit::Gate::all:
      case Circuit::Gate::any:
        break;
      default:
        return Circuit::one;
    }
    std::vector<Node> operands;
    for (const Node operand : given_.operands(node)) operands.push_back(map(operand));
    return given_.gate(node) == Circuit::Gate::all ? circuit_.all(operands) : circuit_.any(operands);
  }

  void append_root(Node node) {
    if (circuit_.gate(node) == Circuit::Gate::all) {
      for (const Node factor :
           std::vector<Node>(circuit_.operands(node).begin(), circuit_.operands(node).end()))
        append_root(factor);
    } else if (node != Circuit::one) {
      roots_.push_back(node);
    }
  }

  const Circuit& given_;
  std::size_t terms_;
  std::vector<std::uint32_t> readers_;  // by given node
  std::vector<Node> image_;             // by given node
  std::unordered_map<Node, std::uint32_t> part_at_;
  std::vector<Variable> variables_;
  Circuit circuit_;
  std::vector<Node> roots_;
};

using Support = std::vector<std::uint32_t>;  // variables, in rising order

class Counter {
 public:
  Counter(Reduction& reduction, std::size_t most_steps)
      : circuit_(reduction.circuit()), variables_(reduction.variables()), most_steps_(most_steps) {}

  struct TooMany {};

  /// Sets of at most terms - 1 faults among the roots' variables with which all roots are true.
  Polynomial count(std::vector<Node> roots, std::size_t terms) {
    std::ranges::sort(roots);
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
    if (roots.empty()) return {1};
    if (roots.front() == Circuit::zero) return {};
    // So few faults cannot make these false; without them the others fall into smaller parts.
    const std::uint64_t all = components_in(union_of_supports(roots));
    std::erase_if(roots, [&](Node root) { return fewest_deaths(root) >= terms; });
    Polynomial result = all_sets(all - components_in(union_of_supports(roots)), terms);
    for (auto& part : parts(roots)) {
      result = product(result, count_part(std::move(part), terms), terms);
      if (result.empty()) return result;
    }
    return result;
  }

  const Support& support(Node node) {
    const auto [entry, is_new] = supports_.try_emplace(node);
    if (!is_new) return entry->second;
    Support result;
    const auto gate = circuit_.gate(node);
    if (gate == Circuit::Gate::alive || gate == Circuit::Gate::dead) {
      result.assign(1, circuit_.operands(node).front());
    } else {
      const std::vector<Node> operands(circuit_.operands(node).begin(), circuit_.operands(node).end());
      for (const Node operand : operands) {
        const Support& more = support(operand);
        result.insert(result.end(), more.begin(), more.end());
      }
      std::ranges::sort(result);
      result.erase(std::unique(result.begin(), result.end()), result.end());
    }
    return supports_[node] = std::move(result);
  }

 private:
  /// Roots that share variables, directly or through others, together.
  std::vector<std::vector<Node>> parts(const std::vector<Node>& roots) {
    std::vector<std::vector<Node>> result;
    std::unordered_map<std::uint32_t, std::size_t> part_of;  // by variable
    std::vector<std::size_t> merged;
    const auto find = [&](std::size_t part) {
      while (merged[part] != part) part = merged[part];
      return part;
    };
    for (const Node root : roots) {
      std::size_t part = result.size();
      result.push_back({root});
      merged.push_back(part);
      for (const std::uint32_t variable : support(root)) {
        const auto [entry, is_new] = part_of.try_emplace(variable, part);
        if (is_new) continue;
        const std::size_t a = find(entry->second), b = find(part);
        if (a == b) continue;
        merged[b] = a;
        result[a].insert(result[a].end(), result[b].begin(), result[b].end());
        result[b].clear();
        part = a;
      }
    }
    std::erase_if(result, [](const std::vector<Node>& part) { return part.empty(); });
    return result;
  }

  Polynomial count_part(std::vector<Node> roots, std::size_t terms) {
    std::ranges::sort(roots);
    const Support all = union_of_supports(roots);
    auto& known = counted_[roots];
    if (known.terms >= terms)
      return {known.polynomial.begin(), known.polynomial.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                       terms, known.polynomial.size()))};
    Polynomial result = branch(roots, all, terms);
    auto& entry = counted_[roots];
    entry = {terms, result};
    return result;
  }

  Polynomial branch(const std::vector<Node>& roots, const Support& all, std::size_t terms) {
    const std::uint32_t variable = most_read(roots);
    Polynomial result;
    for (const bool alive : {true, false}) {
      std::unordered_map<Node, Node> memo;
      std::vector<Node> rest;
      for (const Node root : roots) append_factors(restrict(root, variable, alive, memo), rest);
      const Variable& chosen = variables_[variable];
      const Polynomial& weight = alive ? chosen.alive : chosen.dead;
      if (!alive && chosen.fewest_deaths >= terms) continue;
      const std::size_t spare = alive ? terms : terms - chosen.fewest_deaths;
      Polynomial ways = count(rest, spare);
      if (ways.empty()) continue;
      const std::uint64_t freed =
          components_in(all) - components_in(union_of_supports(rest)) - variables_[variable].size;
      result = sum(std::move(result), product(product(ways, all_sets(freed, terms), terms), weight, terms));
    }
    return result;
  }

  void append_factors(Node node, std::vector<Node>& roots) {
    if (circuit_.gate(node) == Circuit::Gate::all)
      roots.insert(roots.end(), circuit_.operands(node).begin(), circuit_.operands(node).end());
    else if (node != Circuit::one)
      roots.push_back(node);
  }

  Support union_of_supports(const std::vector<Node>& roots) {
    Support result;
    for (const Node root : roots)
      if (root != Circuit::zero) {
        const Support& more = support(root);
        result.insert(result.end(), more.begin(), more.end());
      }
    std::ranges::sort(result);
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  std::uint64_t components_in(const Support& support) {
    std::uint64_t count = 0;
    for (const std::uint32_t variable : support) count += variables_[variable].size;
    return count;
  }

  std::uint32_t most_read(const std::vector<Node>& roots) {
    std::map<std::uint32_t, std::uint32_t> readers;
    for (const Node root : roots)
      for (const std::uint32_t variable : support(root)) ++readers[variable];
    return std::ranges::max_element(readers, {}, [](const auto& entry) { return entry.second; })->first;
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
    steps_ += operands.size();
    if (steps_ > most_steps_) throw TooMany{};
    for (Node& operand : operands) operand = restrict(operand, variable, alive, memo);
    return memo[node] = gate == Circuit::Gate::all ? circuit_.all(operands) : circuit_.any(operands);
  }

  /// A lower bound of the components that must die for `node` to be false: the sum over operands of an OR
  /// that share no variable, the largest of those that do.
  std::uint32_t fewest_deaths(Node node) {
    if (const auto found = fewest_deaths_.find(node); found != fewest_deaths_.end()) return found->second;
    std::uint32_t result = 0;
    const auto gate = circuit_.gate(node);
    const std::vector<Node> operands(circuit_.operands(node).begin(), circuit_.operands(node).end());
    if (gate == Circuit::Gate::alive) {
      result = variables_[operands.front()].fewest_deaths;
    } else if (gate == Circuit::Gate::all) {
      result = fewest_deaths(operands.front());
      for (const Node operand : operands) result = std::min(result, fewest_deaths(operand));
    } else if (gate == Circuit::Gate::any) {
      for (const std::vector<Node>& part : parts(operands)) {
        std::uint32_t most = 0;
        for (const Node operand : part) most = std::max(most, fewest_deaths(operand));
        result += most;
      }
    }
    return fewest_deaths_[node] = result;
  }

  struct Counted {
    std::size_t terms = 0;
    Polynomial polynomial;
  };

  Circuit& circuit_;
  const std::vector<Variable>& variables_;
  std::size_t most_steps_;
  std::size_t steps_ = 0;  // operands rewritten: the work, nearly all of it
  std::unordered_map<Node, Support> supports_;
  std::unordered_map<Node, std::uint32_t> fewest_deaths_;
  std::map<std::vector<Node>, Counted> counted_;
};

}  // namespace

std::optional<std::vector<BigInteger>> count_tolerable_sets(const Circuit& requirements,
                                                            std::uint32_t most_faults,
                                                            std::size_t most_steps) {
  const std::size_t terms = std::size_t{most_faults} + 1;
  Reduction reduction(requirements, terms);
  Counter counter(reduction, most_steps);
  try {
    Polynomial result = counter.count(reduction.roots(), terms);
    std::uint64_t counted = 0;
    Support all;
    for (const Node root : reduction.roots())
      if (root != Circuit::zero)
        all.insert(all.end(), counter.support(root).begin(), counter.support(root).end());
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (const std::uint32_t variable : all) counted += reduction.variables()[variable].size;
    result = product(result.empty() ? Polynomial{0} : result,
                     all_sets(requirements.components() - counted, terms), terms);
    result.resize(terms);
    return result;
  } catch (const Counter::TooMany&) {
    return std::nullopt;
  }
}

}  // namespace faultline::survival
