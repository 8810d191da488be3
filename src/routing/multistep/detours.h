// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "routing/multistep/base_routes.h"
#include "routing/multistep/neighbourhoods.h"

namespace faultline {

/// A detour around a channel: via `first` and, if one terminal does not suffice, then via `second`.
struct Detour {
  TerminalId first, second;
  ChannelId out;           ///< the first channel
  std::uint16_t hops = 0;  ///< to the destination
  std::uint8_t worse = 0;  ///< 0: among the shortest
};

/// For each switch and terminal, detours around the channel that the base routing takes there: one by each
/// other output from which a nearby terminal, and from it the destination, is reached without coming back,
/// the shortest. If a switch finds none, it looks for a second terminal, near the destination.
class Detours {
 public:
  Detours(const BaseRoutes& routes, const Neighbourhoods& near);

  [[nodiscard]] std::span<const Detour> of(SwitchId at, TerminalId to) const {
    const std::size_t row = to.index() * switches_ + at.index();
    return std::span(all_).subspan(offsets_[row], offsets_[row + 1] - offsets_[row]);
  }

 private:
  std::size_t switches_;
  std::vector<std::size_t> offsets_;  // by terminal and switch, as BaseRoutes
  std::vector<Detour> all_;
};

}  // namespace faultline
