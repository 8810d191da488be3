// SPDX-License-Identifier: Apache-2.0
#include "simulate/planes/wiring.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace faultline::wormhole::planes {

Wiring::Wiring(const Topology& topology)
    : input_port(topology.channel_count()), output_port(topology.channel_count()) {
  std::uint32_t positions = 0, lowest = std::numeric_limits<std::uint32_t>::max(), highest = 0;
  for (const SwitchId at : topology.switches()) {
    positions = std::max({positions, static_cast<std::uint32_t>(topology.inputs(at).size()),
                          static_cast<std::uint32_t>(topology.outputs(at).size())});
    const auto widen = [&](std::uint32_t port) {
      lowest = std::min(lowest, port);
      highest = std::max(highest, port);
    };
    for (const ChannelId channel : topology.inputs(at)) widen(topology.input_port(channel));
    for (const ChannelId channel : topology.outputs(at)) widen(topology.output_port(channel));
  }
  const std::uint32_t numbers = positions == 0 ? 0 : highest - lowest + 1;
  const bool as_numbered = std::bit_ceil(std::max(numbers, 8U)) == std::bit_ceil(std::max(positions, 8U));
  ports = as_numbered ? numbers : positions;
  input.resize(topology.switch_count() * ports);
  output.resize(input.size());
  for (const SwitchId at : topology.switches()) {
    std::uint32_t position = 0;
    for (const ChannelId channel : topology.inputs(at)) {
      const std::uint32_t port = as_numbered ? topology.input_port(channel) - lowest : position++;
      input_port[channel.index()] = static_cast<std::uint8_t>(port);
      input[at.index() * ports + port] = channel;
    }
    position = 0;
    for (const ChannelId channel : topology.outputs(at)) {
      const std::uint32_t port = as_numbered ? topology.output_port(channel) - lowest : position++;
      output_port[channel.index()] = static_cast<std::uint8_t>(port);
      output[at.index() * ports + port] = channel;
    }
  }
}

}  // namespace faultline::wormhole::planes
