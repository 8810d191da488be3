// SPDX-License-Identifier: Apache-2.0
// Components by their distance from each switch, for fault sets that lie close together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "faultline/fault/components.h"

#pragma GCC visibility push(default)
namespace faultline {

class Clusters {
 public:
  /// The components within `radius` hops of each switch: switches themselves, and what has all its ends
  /// there. If there are fewer than `least`, the radius grows until there are enough.
  Clusters(const FaultComponents& components, std::uint32_t radius, std::uint32_t least);

  [[nodiscard]] std::uint32_t centres() const { return static_cast<std::uint32_t>(offsets_.size() - 1); }
  [[nodiscard]] std::span<const std::uint32_t> around(std::uint32_t centre) const {
    return std::span(members_).subspan(offsets_[centre], offsets_[centre + 1] - offsets_[centre]);
  }

 private:
  std::vector<std::uint32_t> members_;
  std::vector<std::size_t> offsets_{0};
};

}  // namespace faultline
#pragma GCC visibility pop
