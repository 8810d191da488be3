// SPDX-License-Identifier: Apache-2.0
#include "resilience/fractions/distinct_picks.h"

#include <algorithm>

#include "base/sort_unique.h"

namespace faultline::survival {

using Gate = Circuit::Gate;

DistinctPicks::DistinctPicks(const Circuit& requirements, std::uint32_t largest)
    : circuit_(requirements),
      largest_(largest),
      by_size_(requirements.node_count()),
      support_(requirements.node_count()) {
  for (Node node = 0; node < circuit_.node_count(); ++node) {
    BySize& own = by_size_[node];
    const auto operands = circuit_.operands(node);
    switch (circuit_.gate(node)) {
      case Gate::zero:
        own = {0};
        break;
      case Gate::alive:
        own = {none, 1};
        break;
      case Gate::all:
        for (const Node operand : operands) {
          own.resize(std::max(own.size(), by_size_[operand].size()), none);
          for (std::size_t size = 0; size < by_size_[operand].size(); ++size)
            own[size] = std::min(own[size], by_size_[operand][size]);
        }
        break;
      case Gate::any:
        own = of_any(operands);
        break;
      default:
        break;  // what is always true has no derivation
    }
  }
}

DistinctPicks::BySize DistinctPicks::together(const BySize& a, const BySize& b, bool apart) const {
  if (a.empty() || b.empty()) return {};
  BySize result(std::min<std::size_t>(a.size() + b.size() - 1, std::size_t{largest_} + 1), none);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; a[i] != none && j < b.size(); ++j) {
      if (b[j] == none) continue;
      std::uint32_t& fewest = result[std::min<std::size_t>(i + j, largest_)];
      fewest = std::min(fewest, apart ? a[i] + b[j] : std::max(a[i], b[j]));
    }
  return result;
}

DistinctPicks::BySize DistinctPicks::of_any(std::span<const Node> operands) {
  // Groups of operands that share components, directly or through others.
  struct Group {
    BySize by_size{0};
    std::vector<std::uint32_t> support;
  };
  std::vector<Group> groups;
  for (const Node operand : operands) {
    Group merged{by_size_[operand], support(operand)};
    std::erase_if(groups, [&](const Group& group) {
      std::vector<std::uint32_t> shared;
      std::ranges::set_intersection(group.support, merged.support, std::back_inserter(shared));
      if (shared.empty()) return false;
      merged.by_size = together(group.by_size, merged.by_size, false);
      merged.support.insert(merged.support.end(), group.support.begin(), group.support.end());
      sort_unique(merged.support);
      return true;
    });
    groups.push_back(std::move(merged));
  }
  BySize result{0};
  for (const Group& group : groups) result = together(result, group.by_size, true);
  return result;
}

const std::vector<std::uint32_t>& DistinctPicks::support(Node node) {
  std::vector<std::uint32_t>& known = support_[node];
  if (!known.empty()) return known;
  std::vector<std::uint32_t> found;
  if (circuit_.gate(node) == Gate::alive) {
    found.push_back(circuit_.operands(node).front());
  } else if (circuit_.gate(node) == Gate::all || circuit_.gate(node) == Gate::any) {
    for (const Node operand : circuit_.operands(node)) {
      const auto& more = support(operand);
      found.insert(found.end(), more.begin(), more.end());
    }
    sort_unique(found);
  }
  return support_[node] = std::move(found);
}

std::uint32_t DistinctPicks::largest_of(std::uint32_t components) const {
  std::uint32_t result = 0;
  for (const Circuit::Output& output : circuit_.outputs())
    for (std::uint32_t size = result + 1; size <= largest_; ++size)
      if (fewest(output.node, size) <= components) result = size;
  return result;
}

}  // namespace faultline::survival
