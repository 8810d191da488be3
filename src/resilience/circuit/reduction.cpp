// SPDX-License-Identifier: Apache-2.0
#include "resilience/circuit/reduction.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace faultline::survival {

Reduction::Reduction(const Circuit& given, std::size_t terms)
    : given_(given),
      terms_(terms),
      readers_(given.node_count()),
      image_(given.node_count(), unmapped),
      circuit_(0) {
  count_readers();
  number(find_parts());
  circuit_ = Circuit(static_cast<std::uint32_t>(variables_.size()));
  for (const Circuit::Output& output : given.outputs()) append_root(map(output.node));
}

void Reduction::count_readers() {
  for (const Circuit::Output& output : given_.outputs()) ++readers_[output.node];
  for (auto node = static_cast<Node>(given_.node_count()); node-- > 0;)
    if (readers_[node] != 0 && is_gate(node))
      for (const Node operand : given_.operands(node)) ++readers_[operand];
  // A reader of a component's death is a reader of the component.
  for (Node node = 0; node < given_.node_count(); ++node)
    if (given_.gate(node) == Circuit::Gate::dead && readers_[node] != 0)
      readers_[given_.alive(given_.operands(node).front())] += 2;
}

std::vector<Node> Reduction::find_parts() const {
  std::vector<bool> read_once(given_.node_count());
  for (Node node = 0; node < given_.node_count(); ++node) {
    const auto only_here = [&](Node operand) { return read_once[operand] && readers_[operand] == 1; };
    read_once[node] = given_.gate(node) == Circuit::Gate::alive ||
                      (is_gate(node) && std::ranges::all_of(given_.operands(node), only_here));
  }
  std::vector<bool> inside(given_.node_count());
  for (auto node = static_cast<Node>(given_.node_count()); node-- > 0;)
    if (readers_[node] != 0 && read_once[node] && is_gate(node))
      for (const Node operand : given_.operands(node)) inside[operand] = true;
  std::vector<Node> parts;
  for (Node node = 0; node < given_.node_count(); ++node)
    if (readers_[node] != 0 && read_once[node] && !inside[node]) parts.push_back(node);
  return parts;
}

/// By index in `parts`.
std::vector<Reduction::Reading> Reduction::readings(const std::vector<Node>& parts) const {
  std::vector<Reading> result(parts.size());
  std::vector<std::uint32_t> index(given_.node_count(), unmapped);
  for (std::uint32_t i = 0; i < parts.size(); ++i) index[parts[i]] = i;
  std::vector<std::size_t> met(given_.node_count());
  for (std::size_t output = 0; output < given_.outputs().size(); ++output) {
    std::vector<std::uint32_t> choices;
    const auto visit = [&](const auto& self, Node node) -> void {
      if (given_.gate(node) == Circuit::Gate::dead) node = given_.alive(given_.operands(node).front());
      if (std::exchange(met[node], output + 1) == output + 1) return;
      if (index[node] != unmapped) {
        Reading& reading = result[index[node]];
        if (reading.outputs++ == 0 || choices < reading.choices) reading.choices = choices;
      } else if (is_gate(node)) {
        const bool any = given_.gate(node) == Circuit::Gate::any;
        if (any) choices.push_back(0);
        for (const Node operand : given_.operands(node)) {
          self(self, operand);
          if (any) ++choices.back();
        }
        if (any) choices.pop_back();
      }
    };
    visit(visit, given_.outputs()[output].node);
  }
  return result;
}

void Reduction::number(const std::vector<Node>& parts) {
  const std::vector<Reading> by = readings(parts);
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::tie(by[b].outputs, by[a].choices) < std::tie(by[a].outputs, by[b].choices);
  });
  for (const std::size_t i : order) {
    part_at_.emplace(parts[i], static_cast<std::uint32_t>(variables_.size()));
    variables_.push_back(part(parts[i]));
  }
}

Variable Reduction::part(Node node) const {
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

Node Reduction::map(Node node) {
  if (image_[node] != unmapped) return image_[node];
  return image_[node] = map_anew(node);
}

Node Reduction::map_anew(Node node) {
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

void Reduction::append_root(Node node) {
  if (circuit_.gate(node) == Circuit::Gate::all) {
    for (const Node factor :
         std::vector<Node>(circuit_.operands(node).begin(), circuit_.operands(node).end()))
      append_root(factor);
  } else if (node != Circuit::one) {
    roots_.push_back(node);
  }
}

}  // namespace faultline::survival
