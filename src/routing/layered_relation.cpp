// SPDX-License-Identifier: Apache-2.0
#include "routing/layered_relation.h"

namespace faultline {

LayeredRelation::LayeredRelation(TopologyPtr topology, const FaultSet& known, PathTrees trees,
                                 PathLayers layers, std::uint32_t vcs, std::uint32_t most)
    : RoutingRelation(std::move(topology)),
      known_(known),
      trees_(std::move(trees)),
      layers_(std::move(layers)),
      vcs_(vcs == 0 ? layers_.count() : vcs),
      most_(most) {}

void LayeredRelation::inject(TerminalId source, TerminalId destination, RouteOptions& options) const {
  const std::uint32_t tree = trees_.tree_of(destination);
  for (const ChannelId channel : topology().injection(source)) {
    if (known_.failed(channel)) continue;
    const std::uint8_t layer = layers_.layer(tree, topology().target(channel));
    if (layer != PathLayers::none)
      options.push_back({.channel = channel, .vcs = std::uint32_t{1} << layer, .tag = layer});
  }
}

void LayeredRelation::route(const RouteState& state, RouteOptions& options) const {
  const std::uint32_t vcs = std::uint32_t{1} << state.tag;
  const ChannelId next = trees_.next(trees_.tree_of(state.destination), state.at);
  if (next.valid()) {
    options.push_back({.channel = next, .vcs = vcs, .tag = state.tag});
    return;
  }
  for (const ChannelId channel : topology().ejection(state.destination))
    if (topology().source(channel) == state.at && !known_.failed(channel))
      options.push_back({.channel = channel, .vcs = vcs});
}

}  // namespace faultline
