// SPDX-License-Identifier: Apache-2.0
// One fault set from each class of symmetric fault sets.
#pragma once

#include <span>

#include "resilience/exhaustive/symmetries.h"

namespace faultline::survival {

/// Sets of numbers below `components`, in rising order, under a group of permutations.
class Orbits {
 public:
  /// Without permutations every set is its own class. Throws std::logic_error if a member is not a
  /// permutation.
  Orbits(std::uint32_t components, const std::vector<Permutation>& group);

  /// How many sets the symmetries turn `set` into, itself included; 0 if one of them precedes it in
  /// lexicographic order.
  [[nodiscard]] std::uint64_t size_if_first(std::span<const std::uint32_t> set) const;

  /// visit(set, size) for the first set of each class of sets of `count` members that begin with `set`,
  /// which is the first of its class (or empty). If a set is the first of its class, so it is without its
  /// last member: an image that came before the shorter set would come before the longer one (orderly
  /// generation: Read, 1978).
  template <class Visit>
  void for_each(std::vector<std::uint32_t>& set, std::size_t count, const Visit& visit) const {
    if (set.size() == count) {
      visit(std::span<const std::uint32_t>(set), size_if_first(set));
      return;
    }
    const auto missing = static_cast<std::uint32_t>(count - set.size());
    for (std::uint32_t next = set.empty() ? 0 : set.back() + 1; next + missing <= components_; ++next) {
      set.push_back(next);
      const std::uint64_t size = size_if_first(set);
      if (size != 0 && missing == 1)
        visit(std::span<const std::uint32_t>(set), size);
      else if (size != 0)
        for_each(set, count, visit);
      set.pop_back();
    }
  }

 private:
  std::uint32_t components_;
  std::size_t order_;                  ///< of the group
  std::vector<std::uint16_t> images_;  ///< by permutation but the identity, and component
};

}  // namespace faultline::survival
