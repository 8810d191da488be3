// SPDX-License-Identifier: Apache-2.0
#include "resilience/circuit/canonical_forms.h"

#include <algorithm>
#include <utility>

#include "base/sort_unique.h"
#include "faultline/base/random.h"

namespace faultline::survival {
namespace {

constexpr std::uint64_t salt_alive = 1, salt_dead = 2, salt_root = 3, salt_chosen = 4;

}  // namespace

CanonicalForms::CanonicalForms(std::vector<std::uint32_t> types)
    : types_(std::move(types)), forms_(static_cast<std::uint32_t>(types_.size())) {
  for (std::uint32_t variable = 0; variable < types_.size(); ++variable) {
    if (of_type_.size() <= types_[variable]) of_type_.resize(types_[variable] + std::size_t{1});
    of_type_[types_[variable]].push_back(variable);
  }
}

void CanonicalForms::collect(const Circuit& circuit, std::span<const Node> roots) {
  ++epoch_;
  if (seen_.size() < circuit.node_count()) {
    seen_.resize(2 * circuit.node_count());
    index_.resize(seen_.size());
  }
  nodes_.assign(roots.begin(), roots.end());
  for (const Node root : roots) seen_[root] = epoch_;
  const auto is_gate = [&](Node node) {
    return circuit.gate(node) == Circuit::Gate::all || circuit.gate(node) == Circuit::Gate::any;
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (is_gate(nodes_[i]))
      for (const Node operand : circuit.operands(nodes_[i]))
        if (std::exchange(seen_[operand], epoch_) != epoch_) nodes_.push_back(operand);
  std::ranges::sort(nodes_);
  is_root_.assign(nodes_.size(), false);
  gates_.clear();
  operands_.clear();
  offsets_.assign(1, 0);
  variables_.clear();
  leaves_.clear();
  for (std::uint32_t index = 0; index < nodes_.size(); ++index) {
    const Node node = nodes_[index];
    index_[node] = index;
    gates_.push_back(circuit.gate(node));
    if (is_gate(node)) {
      for (const Node operand : circuit.operands(node)) operands_.push_back(index_[operand]);
    } else {
      const std::uint32_t variable = circuit.operands(node).front();
      variables_.push_back(variable);
      leaves_.push_back({variable, index, circuit.gate(node) == Circuit::Gate::alive});
    }
    offsets_.push_back(static_cast<std::uint32_t>(operands_.size()));
  }
  for (const Node root : roots) is_root_[index_[root]] = true;
  sort_unique(variables_);
  for (Leaf& leaf : leaves_)
    leaf.variable =
        static_cast<std::uint32_t>(std::ranges::lower_bound(variables_, leaf.variable) - variables_.begin());
  colours_.clear();
  for (const std::uint32_t variable : variables_) colours_.push_back(mix(types_[variable]));
}

/// A gate's colour is that of what it reads and, the other way, of what reads it.
void CanonicalForms::pass() {
  steps_ += operands_.size();
  below_.assign(nodes_.size(), 0);
  above_.assign(nodes_.size(), 0);
  for (const Leaf& leaf : leaves_)
    below_[leaf.node] = mix(colours_[leaf.variable] + (leaf.alive ? salt_alive : salt_dead));
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (offsets_[node] == offsets_[node + 1]) continue;
    std::uint64_t sum = static_cast<std::uint64_t>(gates_[node]);
    for (std::uint32_t i = offsets_[node]; i < offsets_[node + 1]; ++i) sum += below_[operands_[i]];
    below_[node] = mix(sum);
  }
  for (std::size_t node = nodes_.size(); node-- > 0;) {
    if (is_root_[node]) above_[node] += salt_root;
    if (offsets_[node] == offsets_[node + 1]) continue;
    const std::uint64_t own = mix(above_[node] ^ below_[node]);
    for (std::uint32_t i = offsets_[node]; i < offsets_[node + 1]; ++i) above_[operands_[i]] += own;
  }
  for (const Leaf& leaf : leaves_)
    colours_[leaf.variable] =
        mix(colours_[leaf.variable] + mix(above_[leaf.node] + (leaf.alive ? salt_alive : salt_dead)));
}

std::size_t CanonicalForms::classes() {
  sorted_ = colours_;
  std::ranges::sort(sorted_);
  std::size_t count = 0;
  for (std::size_t i = 0; i < sorted_.size(); ++i) count += i == 0 || sorted_[i] != sorted_[i - 1] ? 1 : 0;
  return count;
}

void CanonicalForms::refine() {
  std::size_t before = classes();
  while (before < variables_.size()) {
    pass();
    const std::size_t now = classes();
    if (now == before) return;
    before = now;
  }
}

/// False where all variables have colours of their own.
bool CanonicalForms::individualise() {
  sorted_ = colours_;
  std::ranges::sort(sorted_);
  std::size_t best = sorted_.size() + 1;
  std::uint64_t colour = 0;
  for (std::size_t i = 0, end = 0; i < sorted_.size(); i = end) {
    while (end < sorted_.size() && sorted_[end] == sorted_[i]) ++end;
    if (end - i > 1 && end - i < best) {
      best = end - i;
      colour = sorted_[i];
    }
  }
  if (best > sorted_.size()) return false;
  std::uint64_t& chosen = *std::ranges::find(colours_, colour);
  chosen = mix(chosen + salt_chosen);
  return true;
}

/// By index in variables_: the variable of the same type that takes its place.
std::vector<std::uint32_t> CanonicalForms::names() {
  std::vector<std::uint32_t> order(variables_.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return colours_[i]; });
  std::vector<std::size_t> used(of_type_.size());
  std::vector<std::uint32_t> result(variables_.size());
  for (const std::uint32_t i : order) {
    const std::uint32_t type = types_[variables_[i]];
    result[i] = of_type_[type][used[type]++];
  }
  return result;
}

std::vector<Node> CanonicalForms::form(const Circuit& circuit, std::span<const Node> roots) {
  collect(circuit, roots);
  refine();
  while (individualise()) refine();
  const std::vector<std::uint32_t> name = names();
  std::vector<Node> image(nodes_.size()), operands, result;
  for (const Leaf& leaf : leaves_)
    image[leaf.node] = leaf.alive ? forms_.alive(name[leaf.variable]) : forms_.dead(name[leaf.variable]);
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (offsets_[node] != offsets_[node + 1]) {
      operands.clear();
      for (std::uint32_t i = offsets_[node]; i < offsets_[node + 1]; ++i)
        operands.push_back(image[operands_[i]]);
      image[node] = gates_[node] == Circuit::Gate::all ? forms_.all(operands) : forms_.any(operands);
    }
    if (is_root_[node]) result.push_back(image[node]);
  }
  std::ranges::sort(result);
  return result;
}

}  // namespace faultline::survival
