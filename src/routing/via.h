// SPDX-License-Identifier: Apache-2.0
// What routings via an intermediate switch or group have in common: who chooses it, and how the tag encodes
// it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "faultline/routing/relation.h"

namespace faultline {

/// Where the options with their different intermediates are offered.
enum class ViaChoice : std::uint8_t {
  at_injection,     ///< each an option of the one injection channel: Valiant's random choice
  at_first_switch,  ///< each an option of an output, besides the minimal path: its queues can be compared
};

class ViaTags {
 public:
  ViaTags(std::size_t intermediates, ViaChoice choice) : intermediates_(intermediates), choice_(choice) {}

  [[nodiscard]] bool chosen_at_source() const { return choice_ == ViaChoice::at_injection; }
  /// On the way to the destination, without an intermediate target.
  [[nodiscard]] static constexpr Tag last() { return 0; }
  [[nodiscard]] static constexpr Tag via(std::uint32_t intermediate) { return Tag{1} + intermediate; }
  /// Nothing has been chosen.
  [[nodiscard]] Tag fresh() const { return 1 + intermediates_; }
  [[nodiscard]] std::uint64_t count() const { return chosen_at_source() ? fresh() : fresh() + 1; }
  /// The target of a packet with `tag`.
  [[nodiscard]] std::optional<std::uint32_t> intermediate(Tag tag) const {
    if (tag == last() || tag == fresh()) return std::nullopt;
    return static_cast<std::uint32_t>(tag - 1);
  }

 private:
  std::uint64_t intermediates_;
  ViaChoice choice_;
};

[[nodiscard]] inline std::uint16_t cost_of(std::uint32_t channels) {
  return static_cast<std::uint16_t>(
      std::min<std::uint32_t>(channels, std::numeric_limits<std::uint16_t>::max()));
}

}  // namespace faultline
