// SPDX-License-Identifier: Apache-2.0
// Which pairs a routing serves when its sources know all faults and plan for them, without building its
// relation for each fault set.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "faultline/base/ids.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Used by one thread at a time.
class PlanSearch {
 public:
  struct Losses {
    std::uint64_t pairs = 0;    ///< ordered pairs of different terminals that no plan serves
    bool disconnected = false;  ///< some of them no routing could serve: no living path connects them
  };

  PlanSearch() = default;
  PlanSearch(const PlanSearch&) = delete;
  PlanSearch& operator=(const PlanSearch&) = delete;
  virtual ~PlanSearch() = default;

  [[nodiscard]] virtual std::unique_ptr<PlanSearch> clone() const = 0;
  /// A channel that a symmetry of network and routing maps this one to; the same one for all channels that
  /// can be mapped to it.
  [[nodiscard]] virtual ChannelId canonical(ChannelId channel) const { return channel; }
  /// The effect of losing these channels; a channel may be named twice.
  [[nodiscard]] virtual Losses evaluate(std::span<const ChannelId> dead) = 0;
};

}  // namespace faultline
#pragma GCC visibility pop
