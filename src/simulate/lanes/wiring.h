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

/// One lane's view of a port: the log entry that it reads, as an offset within a slot, how old, how far to
/// rotate it.
struct LanePull {
  bool used = false;
  std::uint32_t offset = 0;
  Time delay = 0;
  std::uint32_t rotate = 0, mask_port = 0;
};

template <class Word>
struct Pulls {
  /// For `groups` groups of `lanes` switches.
  Pulls(const Topology& topology, const Wiring& wiring, const Timing& timing, std::uint32_t lanes,
        std::uint32_t groups);

  std::vector<Pull> pulls;
  std::vector<Word> words;
  Time longest = 0;
};

extern template struct Pulls<std::uint32_t>;
extern template struct Pulls<std::uint64_t>;

}  // namespace faultline::wormhole::lanes
