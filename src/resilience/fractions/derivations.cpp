// SPDX-License-Identifier: Apache-2.0
#include "resilience/fractions/derivations.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace faultline::survival {

using Gate = Circuit::Gate;

SizeCounts Derivations::sum(const SizeCounts& a, const SizeCounts& b) const {
  if (a.counts.empty()) return b;
  if (b.counts.empty()) return a;
  SizeCounts result{.low = std::min(a.low, b.low), .counts = {}};
  const std::size_t end = std::max(a.low + a.counts.size(), b.low + b.counts.size());
  for (auto size = result.low; size < end; ++size) result.counts.push_back(a.at(size) + b.at(size));
  return result;
}

SizeCounts Derivations::product(const SizeCounts& a, const SizeCounts& b) const {
  SizeCounts result{.low = a.low + b.low, .counts = {}};
  if (a.counts.empty() || b.counts.empty() || result.low > largest_) return {};
  result.counts.resize(
      std::min<std::size_t>(a.counts.size() + b.counts.size() - 1, largest_ - result.low + 1));
  for (std::size_t i = 0; i < std::min(a.counts.size(), result.counts.size()); ++i)
    for (std::size_t j = 0; j < b.counts.size() && i + j < result.counts.size(); ++j)
      result.counts[i + j] += a.counts[i] * b.counts[j];
  return result;
}

Derivations::Derivations(const Circuit& requirements, std::uint32_t largest)
    : circuit_(requirements),
      largest_(largest),
      counts_(requirements.node_count()),
      reader_offsets_(requirements.node_count() + 1),
      is_output_(requirements.node_count()) {
  for (Node node = 0; node < circuit_.node_count(); ++node) {
    SizeCounts& counts = counts_[node];
    switch (circuit_.gate(node)) {
      case Gate::one:
        break;
      case Gate::zero:
        counts = {0, {1.0}};
        break;
      case Gate::alive:
        if (largest_ >= 1) counts = {1, {1.0}};
        break;
      case Gate::all:
        for (const Node operand : circuit_.operands(node)) counts = sum(counts, counts_[operand]);
        break;
      case Gate::any:
        counts = {0, {1.0}};
        for (const Node operand : circuit_.operands(node)) counts = product(counts, counts_[operand]);
        break;
      default:
        throw std::logic_error("derivations of a circuit with NOT or loops");
    }
    if (circuit_.gate(node) == Gate::all || circuit_.gate(node) == Gate::any)
      for (const Node operand : circuit_.operands(node)) ++reader_offsets_[operand + 1];
  }
  for (std::size_t node = 0; node < circuit_.node_count(); ++node)
    reader_offsets_[node + 1] += reader_offsets_[node];
  readers_.resize(reader_offsets_.back());
  std::vector<std::uint32_t> next(reader_offsets_.begin(), reader_offsets_.end() - 1);
  for (Node node = 0; node < circuit_.node_count(); ++node)
    if (circuit_.gate(node) == Gate::all || circuit_.gate(node) == Gate::any)
      for (const Node operand : circuit_.operands(node)) readers_[next[operand]++] = node;
  for (const Circuit::Output& output : circuit_.outputs()) is_output_[output.node] = true;
}

void Derivations::draw(Node node, std::uint32_t size, RandomStream& random,
                       std::vector<std::uint32_t>& components) const {
  const auto operands = circuit_.operands(node);
  switch (circuit_.gate(node)) {
    case Gate::alive:
      components.push_back(operands.front());
      return;
    case Gate::any:
      draw_all(operands, size, random, components);
      return;
    case Gate::all: {
      double left = random.next_unit() * counts_[node].at(size);
      Node chosen = operands.front();
      for (const Node operand : operands) {
        const double ways = counts_[operand].at(size);
        if (ways == 0) continue;
        chosen = operand;
        if ((left -= ways) < 0) break;
      }
      return draw(chosen, size, random, components);
    }
    default:
      return;
  }
}

void Derivations::draw_all(std::span<const Node> operands, std::uint32_t size, RandomStream& random,
                           std::vector<std::uint32_t>& components) const {
  // rest[i]: derivations of operands i, i + 1, … together.
  std::vector<SizeCounts> rest(operands.size() + 1);
  rest.back() = {0, {1.0}};
  for (std::size_t i = operands.size(); i-- > 0;) rest[i] = product(counts_[operands[i]], rest[i + 1]);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const SizeCounts& own = counts_[operands[i]];
    double left = random.next_unit() * rest[i].at(size);
    std::uint32_t chosen = own.low;
    for (std::uint32_t part = own.low; part <= size && part - own.low < own.counts.size(); ++part) {
      const double ways = own.at(part) * rest[i + 1].at(size - part);
      if (ways == 0) continue;
      chosen = part;
      if ((left -= ways) < 0) break;
    }
    draw(operands[i], chosen, random, components);
    size -= chosen;
  }
}

Derivations::Contained::Contained(const Derivations& derivations)
    : derivations_(derivations),
      failing_(derivations.counts_.size()),
      failing_operands_(derivations.counts_.size()) {}

void Derivations::Contained::fail(Node node, SizeCounts counts) {
  failing_[node] = std::move(counts);
  for (std::uint32_t i = derivations_.reader_offsets_[node]; i < derivations_.reader_offsets_[node + 1];
       ++i) {
    const Node reader = derivations_.readers_[i];
    if (failing_operands_[reader]++ == 0) touched_.push_back(reader);
    const bool fails = derivations_.circuit_.gate(reader) == Gate::all
                           ? failing_operands_[reader] == 1
                           : failing_operands_[reader] == derivations_.circuit_.operands(reader).size();
    if (!fails) continue;
    queue_.push_back(reader);
    std::push_heap(queue_.begin(), queue_.end(), std::greater<>{});
  }
}

double Derivations::Contained::count(const std::vector<std::uint32_t>& failed) {
  double total = 0;
  std::vector<Node> failing;
  const auto note = [&](Node node, SizeCounts counts) {
    failing.push_back(node);
    if (derivations_.is_output_[node])
      for (const double ways : counts.counts) total += ways;
    fail(node, std::move(counts));
  };
  for (const std::uint32_t component : failed) note(derivations_.circuit_.alive(component), {1, {1.0}});
  // A node comes after those that it reads: all its failing operands are known by then.
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end(), std::greater<>{});
    const Node node = queue_.back();
    queue_.pop_back();
    SizeCounts counts;
    if (derivations_.circuit_.gate(node) == Gate::all) {
      for (const Node operand : derivations_.circuit_.operands(node))
        counts = derivations_.sum(counts, failing_[operand]);
    } else {
      counts = {0, {1.0}};
      for (const Node operand : derivations_.circuit_.operands(node))
        counts = derivations_.product(counts, failing_[operand]);
    }
    note(node, std::move(counts));
  }
  for (const Node node : failing) failing_[node] = {};
  for (const Node node : touched_) failing_operands_[node] = 0;
  touched_.clear();
  return total;
}

}  // namespace faultline::survival
