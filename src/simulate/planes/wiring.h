// SPDX-License-Identifier: Apache-2.0
// What each port is connected to.
#pragma once

#include <span>
#include <vector>

#include "simulate/wormhole/model.h"

namespace faultline::wormhole::planes {

/// Ports have the topology's numbers, counted from the lowest, so that most lanes of a group read in the same
/// direction; if those are too far apart, a port is numbered by its position among the inputs, or outputs, of
/// its switch. Arbiters count them in the same order.
struct Wiring {
  explicit Wiring(const Topology& topology);

  std::uint32_t ports = 0;               ///< of the widest switch
  std::vector<ChannelId> input, output;  ///< by switch * ports + port; invalid where there is none
  std::vector<std::uint8_t> input_port, output_port;  ///< by channel
};

/// The same, for frequent access without indirection.
struct WiringView {
  explicit WiringView(const Wiring& wiring)
      : ports(wiring.ports),
        input(wiring.input),
        output(wiring.output),
        input_port(wiring.input_port),
        output_port(wiring.output_port) {}

  std::uint32_t ports;
  std::span<const ChannelId> input, output;
  std::span<const std::uint8_t> input_port, output_port;
};

}  // namespace faultline::wormhole::planes
