// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)
namespace faultline {

/// Draws fault sets of a fixed size, uniformly among all sets of that size. The set number `index` of a seed
/// is always the same one.
class FaultSampler {
 public:
  FaultSampler(std::size_t components, std::uint64_t seed)
      : components_(static_cast<std::uint32_t>(components)), seed_(seed) {}

  /// `faults` different components, ascending. Throws Error("faults") for more than there are.
  [[nodiscard]] std::vector<std::uint32_t> draw(std::uint32_t faults, std::uint64_t index) const;

 private:
  std::uint32_t components_;
  std::uint64_t seed_;
};

}  // namespace faultline
#pragma GCC visibility pop
