// SPDX-License-Identifier: Apache-2.0
// Who is at the other end of each port, and where a group's lanes find what those grant.
#pragma once

#include <vector>

#include "simulate/lanes/fabric.h"
#include "simulate/wormhole/model.h"

namespace faultline::wormhole::lanes {

/// A port of a switch, or none.
struct Socket {
  std::uint32_t at = ~0U;
  std::uint32_t port = 0;
  [[nodiscard]] bool valid() const { return at != ~0U; }
};

/// By switch and port number; ports without a channel are invalid.
struct Wiring {
  Wiring(const Topology& topology, std::uint32_t ports);

  std::uint32_t ports;
  std::vector<ChannelId> input, output;
  std::vector<Socket> downstream;  ///< of an output that leads to a switch
};

/// The pulls of `groups` groups of `lanes` switches.
struct Pulls {
  Pulls(const Topology& topology, const Wiring& wiring, const Timing& timing, std::uint32_t lanes,
        std::uint32_t groups, std::uint32_t word_bits);

  std::vector<Pull> pulls;
  std::vector<std::uint8_t> bytes;
  std::vector<Gathered> gathered;
  Time longest = 0;  ///< delay
};

/// The pushes of a fabric of `switches` groups of one switch.
struct Pushes {
  Pushes(const Topology& topology, const Wiring& wiring, const Timing& timing, std::uint32_t switches);

  std::vector<Push> pushes;
  Time longest = 0;  ///< delay
};

}  // namespace faultline::wormhole::lanes
