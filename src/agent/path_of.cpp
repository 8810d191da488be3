// SPDX-License-Identifier: Apache-2.0
#include "agent/path_of.h"

#include <algorithm>
#include <bit>

namespace faultline {

std::vector<ChannelId> path_of(const RoutingRelation& relation, const RouteOption& option,
                               TerminalId destination) {
  const Topology& topology = relation.topology();
  std::vector<ChannelId> path;
  RouteOption taken = option;
  RouteOptions options;
  while (path.size() <= topology.network_channel_count()) {
    options.clear();
    const auto vc = static_cast<std::uint8_t>(std::countr_zero(taken.vcs));
    relation.route({topology.target(taken.channel), destination, taken.channel, vc, taken.tag}, options);
    if (options.empty()) return {};
    taken = *std::ranges::min_element(options, {}, &RouteOption::tier);
    if (topology.role(taken.channel) == ChannelRole::ejection) return path;
    path.push_back(taken.channel);
  }
  return {};
}

}  // namespace faultline
