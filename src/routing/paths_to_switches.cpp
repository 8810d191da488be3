// SPDX-License-Identifier: Apache-2.0
#include "routing/paths_to_switches.h"

#include <algorithm>
#include <limits>

#include "routing/arrivals.h"

namespace faultline {

PortsTowards PathsToSwitches::shortest(SwitchId target) const {
  constexpr auto unseen = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> hops(topology_.switch_count(), unseen);
  PortsTowards ports(topology_.switch_count(), no_port);
  std::vector<SwitchId> queue{target};
  hops[target.index()] = 0;
  ports[target.index()] = 0;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const SwitchId to = queue[next];
    for (const ChannelId channel : topology_.inputs(to)) {
      const SwitchId from = topology_.source(channel);
      if (!from.valid() || dead_.failed(channel)) continue;
      const auto port = fabric_.output_port(topology_, channel);
      if (hops[from.index()] == unseen) {
        hops[from.index()] = hops[to.index()] + 1;
        queue.push_back(from);
      } else if (hops[from.index()] != hops[to.index()] + 1) {
        continue;
      }
      ports[from.index()] = std::min(ports[from.index()], port);
    }
  }
  return ports;
}

PathsToSwitches::Followed PathsToSwitches::remove_what_does_not_arrive(
    PortsTowards& ports, const std::vector<SwitchId>& ends, const std::vector<SwitchId>& sources) const {
  Arrivals arrivals(topology_, fabric_, dead_, ends);
  arrivals.for_each_way_in([&](ChannelId channel, std::uint8_t port) {
    const SwitchId from = topology_.source(channel);
    if (ports[from.index()] == port) arrivals.add(from);
  });
  std::vector<bool> is_followed(ports.size());
  Followed followed{PortsTowards(ports.size(), no_port), {}};
  for (SwitchId at : sources)
    while (at.valid() && !is_followed[at.index()]) {
      is_followed[at.index()] = true;
      followed.towards[at.index()] = ports[at.index()];
      if (ports[at.index()] == no_port) followed.lost_at.push_back(at);
      at = ports_.behind(at, ports[at.index()]);
    }
  for (const SwitchId at : topology_.switches())
    if (!arrivals.has(at) && !is_followed[at.index()]) ports[at.index()] = no_port;
  return followed;
}

bool PathsToSwitches::lead(const PortsTowards& ports, SwitchId target, const PortsTowards& shortest) const {
  for (const SwitchId start : topology_.switches()) {
    if (shortest[start.index()] == no_port) continue;
    SwitchId at = start;
    for (std::size_t hops = 0; at.valid() && at != target; ++hops) {
      if (hops == topology_.switch_count() || ports[at.index()] == no_port) return false;
      at = ports_.behind(at, ports[at.index()]);
    }
    if (!at.valid()) return false;
  }
  return ports[target.index()] == 0;
}

}  // namespace faultline
