// SPDX-License-Identifier: Apache-2.0
#include "verify/drain_order.h"

#include "faultline/verify/verify.h"

namespace faultline {
namespace {

DependencyGraph reversed(const DependencyGraph& graph) {
  DependencyGraph reverse;
  reverse.offsets.assign(graph.count() + 1, 0);
  reverse.successors.resize(graph.successors.size());
  for (const std::uint32_t node : graph.successors) ++reverse.offsets[node + 1];
  for (std::size_t i = 1; i < reverse.offsets.size(); ++i) reverse.offsets[i] += reverse.offsets[i - 1];
  std::vector<std::uint64_t> next(reverse.offsets.begin(), reverse.offsets.end() - 1);
  for (std::uint32_t node = 0; node < graph.count(); ++node)
    for (const std::uint32_t successor : graph.of(node)) reverse.successors[next[successor]++] = node;
  return reverse;
}

}  // namespace

DrainOrder drain_order(const DependencyGraph& graph) {
  const DependencyGraph reverse = reversed(graph);
  DrainOrder order{std::vector<std::uint32_t>(graph.count(), Verdict::unranked), 0};
  std::vector<std::uint64_t> waiting(graph.count());
  std::vector<std::uint32_t> queue;
  for (std::uint32_t node = 0; node < graph.count(); ++node) {
    waiting[node] = graph.of(node).size();
    if (waiting[node] == 0) queue.push_back(node);
  }
  for (std::size_t next = 0; next < queue.size(); ++next) {
    order.ranks[queue[next]] = order.ranked++;
    for (const std::uint32_t before : reverse.of(queue[next]))
      if (--waiting[before] == 0) queue.push_back(before);
  }
  return order;
}

}  // namespace faultline
