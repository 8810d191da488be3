// SPDX-License-Identifier: Apache-2.0
#include "simulate/planes/summed_vcs.h"

#include "faultline/routing/contract.h"
#include "simulate/wormhole/choices.h"

namespace faultline::wormhole::planes {
namespace {

/// The relation's VCs that are not escape channels, as the first packet finds them that leaves its switch.
std::uint32_t adaptive_classes(const RoutingRelation& relation) {
  const Topology& topology = relation.topology();
  const TerminalId source(0), destination(topology.terminal_count() - 1);
  const Contract contract(relation);
  RouteOptions options;
  contract.inject(source, destination, options);
  if (options.empty()) return 0;
  const ChannelId held = options.front().channel;
  RouteState state{.at = topology.target(held), .destination = destination, .held = held};
  state.tag = options.front().tag;
  options.clear();
  contract.route(state, options);
  std::uint32_t adaptive = 0;
  for (const RouteOption& option : options)
    for (std::uint32_t vc = 0; vc < relation.virtual_channels(); ++vc)
      if ((option.vcs >> vc & 1) != 0 && topology.role(option.channel) == ChannelRole::network &&
          !contract.is_escape(state, option, static_cast<std::uint8_t>(vc)))
        adaptive |= 1U << vc;
  return adaptive;
}

}  // namespace

std::uint32_t summed_vcs(const RoutingRelation& relation, const SelectionRule& selection, std::uint32_t vcs) {
  if (selection.score != &free_slots) return 0;
  const std::uint32_t all = (1U << vcs) - 1;
  if (!relation.relies_on_escape()) return all;
  const std::uint32_t adaptive = adaptive_classes(relation);
  const Chooser chooser(relation, selection, vcs, 0);
  std::uint32_t summed = 0;
  for (std::uint32_t vc = 0; vc < vcs; ++vc)
    summed |= (adaptive >> chooser.class_of_network_vc(vc) & 1) << vc;
  return summed != 0 ? summed : all;
}

}  // namespace faultline::wormhole::planes
