// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verify/buffers.h"

namespace faultline {

/// The declared bubble rings by buffer. A ring stays one node where faults leave a part of it unused.
class Rings {
 public:
  explicit Rings(const Buffers& buffers) : successor_(buffers.count(), none), first_(buffers.count(), none) {}
  Rings(const Buffers& buffers, const std::vector<BubbleRing>& rings) : Rings(buffers) {
    for (const BubbleRing& ring : rings)
      for (std::size_t i = 0; i < ring.size(); ++i) {
        const std::uint32_t buffer = number(buffers, ring[i]);
        successor_[buffer] = number(buffers, ring[(i + 1) % ring.size()]);
        first_[buffer] = number(buffers, ring.front());
      }
  }

  /// The buffer that stands for the whole ring, or `buffer` itself outside of rings.
  [[nodiscard]] std::uint32_t node(std::uint32_t buffer) const {
    return first_[buffer] == none ? buffer : first_[buffer];
  }
  [[nodiscard]] bool goes_round(std::uint32_t from, std::uint32_t to) const { return successor_[from] == to; }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static std::uint32_t number(const Buffers& buffers, VirtualChannel at) {
    return buffers.number(at.channel, at.vc);
  }
  std::vector<std::uint32_t> successor_, first_;
};

}  // namespace faultline
