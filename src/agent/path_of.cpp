// SPDX-License-Identifier: Apache-2.0
#include "agent/path_of.h"

#include <algorithm>

#include "faultline/routing/states.h"

namespace faultline {

std::vector<ChannelId> path_of(const RoutingRelation& relation, const RouteOption& option,
                               TerminalId destination) {
  const Topology& topology = relation.topology();
  std::vector<ChannelId> path;
  RouteOption taken = option;
  RouteOptions options;
  while (path.size() <= topology.network_channel_count()) {
    options.clear();
    relation.route({topology.target(taken.channel), destination, taken.channel, first_vc(taken), taken.tag},
                   options);
    if (options.empty()) return {};
    taken = *std::ranges::min_element(options, {}, &RouteOption::tier);
    path.push_back(taken.channel);
    if (topology.role(taken.channel) == ChannelRole::ejection) return path;
  }
  return {};
}

}  // namespace faultline
