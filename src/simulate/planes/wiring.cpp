// SPDX-License-Identifier: Apache-2.0
#include "simulate/planes/wiring.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>

#include "simulate/planes/sender_layout.h"

namespace faultline::wormhole::planes {

Wiring::Wiring(const Topology& topology)
    : input_port(topology.channel_count()), output_port(topology.channel_count()) {
  std::uint32_t positions = 0, numbers = 0;
  for (const SwitchId at : topology.switches()) {
    positions = std::max({positions, static_cast<std::uint32_t>(topology.inputs(at).size()),
                          static_cast<std::uint32_t>(topology.outputs(at).size())});
    for (const ChannelId channel : topology.inputs(at))
      numbers = std::max(numbers, topology.input_port(channel) + 1);
    for (const ChannelId channel : topology.outputs(at))
      numbers = std::max(numbers, topology.output_port(channel) + 1);
  }
  const bool as_numbered = std::bit_ceil(std::max(numbers, 8U)) == std::bit_ceil(std::max(positions, 8U));
  ports = as_numbered ? numbers : positions;
  input.resize(topology.switch_count() * ports);
  output.resize(input.size());
  for (const SwitchId at : topology.switches()) {
    std::uint32_t position = 0;
    for (const ChannelId channel : topology.inputs(at)) {
      const std::uint32_t port = as_numbered ? topology.input_port(channel) : position++;
      input_port[channel.index()] = static_cast<std::uint8_t>(port);
      input[at.index() * ports + port] = channel;
    }
    position = 0;
    for (const ChannelId channel : topology.outputs(at)) {
      const std::uint32_t port = as_numbered ? topology.output_port(channel) : position++;
      output_port[channel.index()] = static_cast<std::uint8_t>(port);
      output[at.index() * ports + port] = channel;
    }
  }
}

namespace {

/// One lane's view of a port: the byte of the log that it reads, as an offset within a slot, and how old.
struct LanePull {
  std::uint32_t offset = 0;
  Time delay = 0;
  friend bool operator==(const LanePull&, const LanePull&) = default;
};
using LanePulls = std::vector<std::optional<LanePull>>;

/// Looks things up while pulls are made.
struct Lookup {
  const Topology& topology;
  const Wiring& wiring;
  const Timing& timing;
  std::uint32_t lanes;
  std::span<const std::uint32_t> sender_of;  ///< by injection channel
  std::uint32_t first_sender;                ///< offset of its byte within a slot of the log

  [[nodiscard]] std::uint32_t byte_of(SwitchId at, std::uint32_t port) const {
    return (at.value() / lanes * wiring.ports + port) * lanes + at.value() % lanes;
  }

  /// What arrives at an input is what the switch, or the terminal, at its other end sent.
  [[nodiscard]] std::optional<LanePull> flits(std::size_t position) const {
    const ChannelId channel = wiring.input[position];
    if (!channel.valid()) return {};
    if (topology.role(channel) == ChannelRole::injection)
      return LanePull{first_sender + sender_of[channel.index() - topology.network_channel_count()], 0};
    return LanePull{byte_of(topology.source(channel), wiring.output_port[channel.index()]),
                    timing.flit_delay(topology, channel)};
  }
  /// Credits of an output are the flits that left the input of the switch at its other end.
  [[nodiscard]] std::optional<LanePull> credits(std::size_t position) const {
    const ChannelId channel = wiring.output[position];
    if (!channel.valid() || topology.role(channel) != ChannelRole::network) return {};
    return LanePull{byte_of(topology.target(channel), wiring.input_port[channel.index()]),
                    timing.credit_delay(topology, channel)};
  }
  /// A terminal takes everything that it is sent.
  [[nodiscard]] std::optional<LanePull> ejections(std::size_t position) const {
    const ChannelId channel = wiring.output[position];
    if (!channel.valid() || topology.role(channel) != ChannelRole::ejection) return {};
    return LanePull{byte_of(topology.source(channel), wiring.output_port[channel.index()]),
                    timing.flit_delay(topology, channel) + timing.credit_delay(topology, channel)};
  }
  [[nodiscard]] bool from_terminal(std::size_t position) const {
    const ChannelId channel = wiring.input[position];
    return channel.valid() && topology.role(channel) == ChannelRole::injection;
  }
};

/// Whether two stretches of the log cover all that the lanes read: where they begin.
bool find_stretches(const LanePulls& from, std::uint32_t lanes, Pull& pull) {
  std::vector<LanePull> begins;
  const auto covered = [&](const LanePull& lane) {
    return std::ranges::any_of(begins, [&](const LanePull& begin) {
      return begin.delay == lane.delay && lane.offset >= begin.offset && lane.offset - begin.offset < lanes;
    });
  };
  while (begins.size() <= 2) {
    std::optional<LanePull> lowest;
    for (const auto& lane : from)
      if (lane && !covered(*lane) &&
          (!lowest || std::pair(lane->delay, lane->offset) < std::pair(lowest->delay, lowest->offset)))
        lowest = lane;
    if (!lowest) break;
    begins.push_back(*lowest);
  }
  if (begins.size() > 2) return false;
  pull.mode = Pull::Mode::permute;
  pull.first = begins.front().offset;
  pull.first_delay = begins.front().delay;
  pull.second = begins.back().offset;
  pull.second_delay = begins.back().delay;
  return true;
}

/// Of the lanes that receive something, of which there is one; none if they differ.
std::optional<Time> common_delay(const LanePulls& from) {
  std::optional<Time> delay;
  for (const auto& lane : from) {
    if (!lane) continue;
    if (delay && *delay != lane->delay) return std::nullopt;
    delay = lane->delay;
  }
  return delay;
}

/// Where a lane's byte is once the two stretches lie side by side, in registers of at least 16 bytes.
std::uint8_t index_of(const LanePull& lane, const Pull& pull, std::uint32_t lanes) {
  const bool first =
      lane.delay == pull.first_delay && lane.offset >= pull.first && lane.offset - pull.first < lanes;
  return static_cast<std::uint8_t>(first ? lane.offset - pull.first
                                         : index_bytes(lanes) + lane.offset - pull.second);
}

}  // namespace

Pulls::Pulls(const Topology& topology, const Wiring& wiring, const Timing& timing, std::uint32_t lanes,
             bool permutes, const SenderLayout& senders) {
  const auto groups = static_cast<std::uint32_t>((topology.switch_count() + lanes - 1) / lanes);
  const Lookup lookup{topology, wiring, timing, lanes, senders.sender_of, groups * wiring.ports * lanes};
  pulls.resize(std::size_t{groups} * wiring.ports);
  indices.resize(pulls.size() * 3 * index_bytes(lanes));
  LanePulls flits(lanes), credits(lanes), ejections(lanes);
  const auto make = [&](const LanePulls& from, Pull& pull, std::uint8_t* index) {
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      if (!from[lane]) continue;
      pull.open |= std::uint64_t{1} << lane;
      longest = std::max(longest, from[lane]->delay);
    }
    if (pull.open == 0) return;
    if (permutes && find_stretches(from, lanes, pull)) {
      for (std::uint32_t lane = 0; lane < lanes; ++lane)
        if (from[lane]) index[lane] = index_of(*from[lane], pull, lanes);
      return;
    }
    if (const auto delay = common_delay(from)) {
      pull.mode = Pull::Mode::gather;
      pull.first_delay = *delay;
      pull.lane_0 = static_cast<std::uint32_t>(gather_offsets.size());
      // Entries that no lane uses are as another's: in the slot of this cycle, which terminals send into,
      // other regions write the bytes of their switches.
      const auto used = std::ranges::find_if(from, [](const auto& lane) { return lane.has_value(); });
      for (const auto& lane : from) gather_offsets.push_back((lane ? *lane : **used).offset);
      return;
    }
    pull.mode = Pull::Mode::gather_by_lane;
    pull.lane_0 = static_cast<std::uint32_t>(gathered.size());
    // Entries that no lane uses are read from the cycle before, which no region writes any more.
    for (const auto& lane : from)
      gathered.push_back(lane ? Gathered{lane->offset, lane->delay} : Gathered{0, 1});
  };
  for (std::size_t number = 0; number < pulls.size(); ++number) {
    const std::size_t group = number / wiring.ports, port = number % wiring.ports;
    bool apart = false;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const std::size_t at = group * lanes + lane, position = at * wiring.ports + port;
      flits[lane] = credits[lane] = ejections[lane] = {};
      if (at >= topology.switch_count()) continue;
      flits[lane] = lookup.flits(position);
      credits[lane] = lookup.credits(position);
      ejections[lane] = lookup.ejections(position);
      apart |= lookup.from_terminal(position) ? credits[lane].has_value() : flits[lane] != credits[lane];
    }
    PortPulls& here = pulls[number];
    here.apart = apart;
    std::uint8_t* const index = indices.data() + number * 3 * index_bytes(lanes);
    make(flits, here.flits, index);
    if (apart) make(credits, here.credits, index + index_bytes(lanes));
    make(ejections, here.ejections, index + 2 * index_bytes(lanes));
  }
}

}  // namespace faultline::wormhole::planes
