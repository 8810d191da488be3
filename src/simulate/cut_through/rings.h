// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/routing/contract.h"

namespace faultline::cut_through {

/// Virtual channels by number, channel * virtual channels + vc, and their successors round the rings that
/// have a bubble condition.
class Rings {
 public:
  explicit Rings(const RoutingRelation& relation) : Rings(relation, relation.virtual_channels()) {}
  /// Channels have `vcs`: the relation's, followed by some that are in no ring.
  Rings(const RoutingRelation& relation, std::uint32_t vcs) : vcs_(vcs) {
    for (const BubbleRing& ring : Contract(relation).bubble_rings()) {
      before_.resize(relation.topology().channel_count() * std::size_t{vcs_}, none);
      for (std::size_t i = 0; i < ring.size(); ++i)
        before_[number(ring[(i + 1) % ring.size()])] = number(ring[i]);
    }
  }

  [[nodiscard]] bool any() const { return !before_.empty(); }
  /// A packet that holds `held` would enter a ring from outside with `asked`.
  [[nodiscard]] bool enters(VirtualChannel held, VirtualChannel asked) const {
    if (before_.empty()) return false;
    const std::uint32_t before = before_[number(asked)];
    return before != none && before != number(held);
  }

  /// A packet that does not come from a virtual channel enters the ring from outside.
  [[nodiscard]] bool holds(VirtualChannel asked) const {
    return !before_.empty() && before_[number(asked)] != none;
  }

  [[nodiscard]] std::uint32_t number(VirtualChannel at) const {
    return static_cast<std::uint32_t>(at.channel.value() * vcs_ + at.vc);
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t vcs_;
  std::vector<std::uint32_t> before_;
};

}  // namespace faultline::cut_through
