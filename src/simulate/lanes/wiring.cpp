// SPDX-License-Identifier: Apache-2.0
#include "simulate/lanes/wiring.h"

#include <algorithm>
#include <span>
#include <tuple>

namespace faultline::wormhole::lanes {

Wiring::Wiring(const Topology& topology, std::uint32_t port_count)
    : ports(port_count),
      input(topology.switch_count() * ports),
      output(input.size()),
      downstream(input.size()) {
  for (const ChannelId channel : topology.channels()) {
    const SwitchId from = topology.source(channel), to = topology.target(channel);
    if (to.valid()) input[to.index() * ports + topology.input_port(channel)] = channel;
    if (!from.valid()) continue;
    const std::size_t place = from.index() * ports + topology.output_port(channel);
    output[place] = channel;
    if (to.valid()) downstream[place] = {to.value(), topology.input_port(channel)};
  }
}

namespace {

/// One lane's view of a port: the log entry that it reads, as an offset within a slot, how old, how far to
/// rotate it.
struct LanePull {
  bool used = false;
  std::uint32_t offset = 0;
  Time delay = 0;
  std::uint32_t rotate = 0;
};

/// Looks things up while pulls are made.
struct Lookup {
  const Topology& topology;
  const Wiring& wiring;
  const Timing& timing;
  std::uint32_t switches, word_bits;

  [[nodiscard]] std::uint32_t rotation(std::uint32_t from_port, std::uint32_t to_port) const {
    return (port_bits * to_port + word_bits - port_bits * from_port) % word_bits;
  }
  [[nodiscard]] std::uint32_t outputs_of(SwitchId at) const { return at.value(); }
  [[nodiscard]] std::uint32_t inputs_of(SwitchId at) const { return switches + at.value(); }

  /// What arrives at an input is what the switch at its other end granted to that output.
  [[nodiscard]] LanePull flits(std::uint32_t at, std::uint32_t port) const {
    const ChannelId channel = wiring.input[std::size_t{at} * wiring.ports + port];
    if (!channel.valid() || topology.kind(channel) != ChannelKind::network) return {};
    return {true, outputs_of(topology.source(channel)), timing.flit_delay(topology, channel),
            rotation(topology.output_port(channel), port)};
  }

  /// Credits of an output are what the switch at its other end granted to that input; a terminal takes all it
  /// is sent.
  [[nodiscard]] LanePull credits(std::uint32_t at, std::uint32_t port) const {
    const ChannelId channel = wiring.output[std::size_t{at} * wiring.ports + port];
    if (!channel.valid()) return {};
    const Time delay = timing.credit_delay(topology, channel);
    if (topology.kind(channel) == ChannelKind::ejection)
      return {true, outputs_of(SwitchId(at)), timing.flit_delay(topology, channel) + delay, 0};
    return {true, inputs_of(topology.target(channel)), delay, rotation(topology.input_port(channel), port)};
  }
};

using Source = std::pair<std::uint32_t, Time>;  // a group within a slot, and how long ago

/// The groups that the lanes look into, in order of their first use.
std::vector<Source> sources_of(std::span<const LanePull> lanes) {
  std::vector<Source> sources;
  const auto count = static_cast<std::uint32_t>(lanes.size());
  for (const LanePull& lane : lanes) {
    const Source source{lane.offset / count * count, lane.delay};
    if (lane.used && std::ranges::find(sources, source) == sources.end()) sources.push_back(source);
  }
  return sources;
}

/// Where a lane's word is once the pull's one or two groups lie side by side.
std::uint8_t index_of(const LanePull& lane, const Pull& pull, std::uint32_t lanes) {
  const bool first = lane.offset / lanes * lanes == pull.first && lane.delay == pull.first_delay;
  return static_cast<std::uint8_t>(lane.offset % lanes + (first ? 0 : lanes));
}

Pull pull_from(const std::vector<Source>& sources) {
  if (sources.empty()) return {};
  if (sources.size() > 2) return {.mode = Pull::Mode::gather};
  return {Pull::Mode::permute, sources.front().first, sources.back().first, sources.front().second,
          sources.back().second};
}

void write(std::span<const LanePull> lanes, const Pull& pull, std::uint8_t* bytes) {
  const auto count = static_cast<std::uint32_t>(lanes.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!lanes[i].used) continue;
    bytes[pull_index * count + i] = index_of(lanes[i], pull, count);
    bytes[pull_rotate * count + i] = static_cast<std::uint8_t>(lanes[i].rotate);
    bytes[pull_open * count + i] = 15;
  }
}

}  // namespace

Pulls::Pulls(const Topology& topology, const Wiring& wiring, const Timing& timing, std::uint32_t lanes,
             std::uint32_t groups, std::uint32_t word_bits)
    : pulls(std::size_t{groups} * wiring.ports * 2), bytes(pulls.size() * pull_bytes * lanes) {
  const Lookup lookup{topology, wiring, timing, groups * lanes, word_bits};
  std::vector<LanePull> pulled(lanes);
  for (std::size_t number = 0; number < pulls.size(); ++number) {
    const auto group = static_cast<std::uint32_t>(number / 2 / wiring.ports);
    const auto port = static_cast<std::uint32_t>(number / 2 % wiring.ports);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const std::uint32_t at = group * lanes + lane;
      pulled[lane] = {};
      if (at < topology.switch_count())
        pulled[lane] = number % 2 == 0 ? lookup.flits(at, port) : lookup.credits(at, port);
      longest = std::max(longest, pulled[lane].delay);
    }
    Pull& pull = pulls[number] = pull_from(sources_of(pulled));
    write(pulled, pull, bytes.data() + number * pull_bytes * lanes);
    if (pull.mode != Pull::Mode::gather) continue;
    pull.gathered = static_cast<std::uint32_t>(gathered.size() / lanes);
    for (const LanePull& lane : pulled)
      gathered.push_back(lane.used ? Gathered{lane.offset, lane.delay} : Gathered{});
  }
}

Pushes::Pushes(const Topology& topology, const Wiring& wiring, const Timing& timing, std::uint32_t switches)
    : pushes(std::size_t{switches} * 2 * wiring.ports, Push{.offset = 2 * switches}) {
  const auto set = [&](SwitchId from, std::uint32_t place, std::uint32_t offset, std::uint32_t port,
                       Time delay) {
    pushes[from.index() * 2 * wiring.ports + place] = {offset, static_cast<std::uint16_t>(port * port_bits),
                                                       static_cast<std::uint16_t>(delay)};
    longest = std::max(longest, delay);
  };
  for (const ChannelId channel : topology.channels()) {
    const SwitchId from = topology.source(channel), to = topology.target(channel);
    if (!from.valid()) continue;
    const Time flit = timing.flit_delay(topology, channel), credit = timing.credit_delay(topology, channel);
    const std::uint32_t output = topology.output_port(channel);
    if (!to.valid()) {
      set(from, output, switches + from.value(), output, flit + credit);
      continue;
    }
    const std::uint32_t input = topology.input_port(channel);
    set(from, output, to.value(), input, flit);
    set(to, wiring.ports + input, switches + from.value(), output, credit);
  }
}

}  // namespace faultline::wormhole::lanes
