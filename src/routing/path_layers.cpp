// SPDX-License-Identifier: Apache-2.0
#include "routing/path_layers.h"

#include <fmt/format.h>

#include "base/sort_unique.h"
#include "faultline/base/error.h"
#include "faultline/routing/kind.h"

namespace faultline {

Dependencies::Dependencies(const Topology& topology) : first_{0}, output_(topology.network_channel_count()) {
  for (const SwitchId at : topology.switches()) {
    const auto outputs = topology.outputs(at);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (topology.role(outputs[i]) == ChannelRole::network)
        output_[outputs[i].index()] = static_cast<std::uint32_t>(i);
  }
  constexpr std::uint64_t most = std::uint64_t{1} << 30;
  std::uint64_t count = 0;
  for (const ChannelId channel : id_range<ChannelId>(0, topology.network_channel_count())) {
    count += topology.outputs(topology.target(channel)).size();
    if (count > most)
      throw Error("routing", topology.name(),
                  fmt::format("must have smaller switches: where paths are divided among virtual channels, "
                              "inputs times outputs of all switches may add up to {}",
                              most));
    first_.push_back(static_cast<std::uint32_t>(count));
  }
}

std::vector<SwitchId> injecting_switches(const Topology& topology, const FaultSet& known) {
  std::vector<SwitchId> switches;
  for (const TerminalId terminal : topology.terminals())
    for (const ChannelId channel : topology.injection(terminal))
      if (!known.failed(channel)) switches.push_back(topology.target(channel));
  sort_unique(switches);
  return switches;
}

void refuse_layers(const Topology& topology, const FaultSet& known, std::uint32_t most) {
  throw TooFewVirtualChannels(
      "routing.vcs", std::to_string(most),
      fmt::format("are too few virtual channels{}: with the shortest paths that it chooses on {}, this "
                  "routing needs more to be free of deadlock; give more with vcs=N, at most 32",
                  known.empty() ? "" : " with these faults", topology.name()));
}

}  // namespace faultline
