// SPDX-License-Identifier: Apache-2.0
#include "resilience/circuit/circuit.h"

#include <algorithm>
#include <array>

#include "base/sort_unique.h"
#include "faultline/base/random.h"

namespace faultline::survival {
namespace {

bool contains(const std::vector<Node>& nodes, Node node) {
  return std::ranges::find(nodes, node) != nodes.end();
}

}  // namespace

Circuit::Circuit(std::uint32_t components) : components_(components) {
  add(Gate::zero, {});
  add(Gate::one, {});
  for (std::uint32_t component = 0; component < components; ++component)
    add(Gate::alive, std::array{component});
}

Node Circuit::add(Gate gate, std::span<const Node> operands) {
  gates_.push_back(gate);
  operands_.insert(operands_.end(), operands.begin(), operands.end());
  offsets_.push_back(static_cast<std::uint32_t>(operands_.size()));
  return static_cast<Node>(gates_.size() - 1);
}

/// The same for any order of the operands.
std::uint32_t Circuit::hash(Gate gate, std::span<const Node> operands) const {
  std::uint64_t sum = static_cast<std::uint64_t>(gate);
  for (const Node operand : operands) sum += mix(operand + 0x9e3779b97f4a7c15ULL);
  return static_cast<std::uint32_t>(mix(sum) >> 32);
}

/// As sets: no operand of a node or of the given list occurs twice.
bool Circuit::equal(Node node, Gate gate, std::span<const Node> operands) const {
  const auto own = this->operands(node);
  if (gates_[node] != gate || own.size() != operands.size()) return false;
  if (std::ranges::equal(own, operands)) return true;
  std::vector<Node> a(own.begin(), own.end()), b(operands.begin(), operands.end());
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}

Node Circuit::find_or_add(Gate gate, std::span<const Node> operands) {
  if (2 * (table_used_ + 1) > table_.size()) grow_table();
  const std::uint32_t key = hash(gate, operands);
  std::size_t position = key & (table_.size() - 1);
  for (; table_[position].node != zero; position = (position + 1) & (table_.size() - 1))
    if (table_[position].hash == key && equal(table_[position].node, gate, operands))
      return table_[position].node;
  ++table_used_;
  table_[position] = {add(gate, operands), key};
  return table_[position].node;
}

void Circuit::grow_table() {
  std::vector<Entry> old(std::max<std::size_t>(1024, 2 * table_.size()));
  old.swap(table_);
  for (const Entry& entry : old) {
    if (entry.node == zero) continue;
    std::size_t position = entry.hash & (table_.size() - 1);
    while (table_[position].node != zero) position = (position + 1) & (table_.size() - 1);
    table_[position] = entry;
  }
}

Node Circuit::dead(std::uint32_t component) { return find_or_add(Gate::dead, std::array{component}); }

void Circuit::append_factors(Node node, std::vector<Node>& factors) const {
  if (gates_[node] != Gate::all) {
    if (node != one && !contains(factors, node)) factors.push_back(node);
    return;
  }
  for (const Node factor : operands(node))
    if (!contains(factors, factor)) factors.push_back(factor);
}

Node Circuit::all(std::span<const Node> operands) {
  std::vector<Node> factors;
  for (const Node operand : operands) append_factors(operand, factors);
  if (contains(factors, zero)) return zero;
  if (factors.empty()) return one;
  return factors.size() == 1 ? factors.front() : find_or_add(Gate::all, factors);
}

Node Circuit::any(std::span<const Node> operands) {
  std::vector<Node> terms;
  for (const Node operand : operands)
    if (operand != zero) terms.push_back(operand);
  sort_unique(terms);
  if (terms.empty()) return zero;
  if (terms.front() == one) return one;
  return terms.size() == 1 ? terms.front() : any_of_distinct(std::move(terms));
}

Node Circuit::without(Node node, const std::vector<Node>& factors) {
  std::vector<Node> all_factors, kept;
  append_factors(node, all_factors);
  for (const Node factor : all_factors)
    if (!contains(factors, factor)) kept.push_back(factor);
  return all(kept);
}

/// Pulls out the factors that all terms have in common.
Node Circuit::any_of_distinct(std::vector<Node> terms) {
  std::vector<Node> common, factors;
  append_factors(terms.front(), common);
  for (const Node term : std::span(terms).subspan(1)) {
    if (common.empty()) break;
    factors.clear();
    append_factors(term, factors);
    std::erase_if(common, [&](Node factor) { return !contains(factors, factor); });
  }
  if (common.empty()) return find_or_add(Gate::any, terms);
  for (Node& term : terms) term = without(term, common);
  std::vector<Node> product = common;
  product.push_back(any(terms));
  return all(product);
}

Node Circuit::open_loop(std::uint32_t count) {
  const auto first = static_cast<Node>(node_count());
  for (std::uint32_t i = 0; i < count; ++i) add(Gate::unknown, {});
  return first;
}

void Circuit::close_loop(Node first, std::span<const Node> definitions) {
  loops_.push_back({first, static_cast<Node>(node_count()), {definitions.begin(), definitions.end()}});
}

void Circuit::add_output(Node node, std::uint64_t pairs) {
  if (pairs == 0) return;
  const auto [entry, is_new] = output_of_.emplace(node, outputs_.size());
  if (is_new)
    outputs_.push_back({node, pairs});
  else
    outputs_[entry->second].pairs += pairs;
}

void Circuit::require(Node node) {
  std::vector<Node> factors;
  append_factors(node, factors);
  for (const Node factor : factors) add_output(factor, 1);
}

}  // namespace faultline::survival
