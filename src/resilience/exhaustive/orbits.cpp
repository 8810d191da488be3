// SPDX-License-Identifier: Apache-2.0
#include "resilience/exhaustive/orbits.h"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

namespace faultline::survival {

Orbits::Orbits(std::uint32_t components, const std::vector<Permutation>& group)
    : components_(components), order_(std::max<std::size_t>(group.size(), 1)) {
  for (std::size_t i = 0; i < group.size(); ++i) {
    Permutation sorted = group[i];
    std::ranges::sort(sorted);
    for (std::uint32_t c = 0; c < sorted.size(); ++c)
      if (sorted[c] != c || sorted.size() != components || components > std::numeric_limits<uint16_t>::max())
        throw std::logic_error("a symmetry is not a permutation of the components");
    if (i == 0 && !std::ranges::is_sorted(group[i]))
      throw std::logic_error("the identity is not the first of the symmetries");
    if (i != 0) images_.insert(images_.end(), group[i].begin(), group[i].end());
  }
}

std::uint64_t Orbits::size_if_first(std::span<const std::uint32_t> set) const {
  if (set.empty()) return 1;
  constexpr std::size_t max_here = 16;
  std::array<std::uint32_t, max_here> few{};
  std::vector<std::uint32_t> many(set.size() > max_here ? set.size() : 0);
  const std::span<std::uint32_t> image(many.empty() ? few.data() : many.data(), set.size());
  std::uint64_t fixing = 1;
  for (std::size_t at = 0; at < images_.size(); at += components_) {
    std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
    for (std::size_t i = 0; i < set.size(); ++i) {
      image[i] = images_[at + set[i]];
      least = std::min(least, image[i]);
    }
    if (least > set.front()) continue;
    if (least < set.front()) return 0;
    std::ranges::sort(image);
    const auto order =
        std::lexicographical_compare_three_way(image.begin(), image.end(), set.begin(), set.end());
    if (order < 0) return 0;
    if (order == 0) ++fixing;
  }
  return order_ / fixing;
}

}  // namespace faultline::survival
