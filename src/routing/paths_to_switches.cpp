// SPDX-License-Identifier: Apache-2.0
#include "routing/paths_to_switches.h"

#include <algorithm>
#include <limits>

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

SwitchId PathsToSwitches::behind(SwitchId at, std::uint8_t port) const {
  for (const ChannelId channel : topology_.outputs(at))
    if (fabric_.output_port(topology_, channel) == port && !dead_.failed(channel))
      return topology_.target(channel);
  return {};
}

void PathsToSwitches::complete(PortsTowards& ports, const PortsTowards& preferred,
                               const std::vector<SwitchId>& sources) const {
  std::vector<bool> is_followed(topology_.switch_count());
  for (SwitchId at : sources)
    while (at.valid() && !is_followed[at.index()]) {
      is_followed[at.index()] = true;
      at = behind(at, ports[at.index()]);
    }
  std::vector<SwitchId> queue;
  for (const SwitchId at : topology_.switches())
    if (ports[at.index()] != no_port) queue.push_back(at);
  const auto leads_on = [&](SwitchId from, std::uint8_t port) {
    const SwitchId to = port == no_port ? SwitchId() : behind(from, port);
    return to.valid() && ports[to.index()] != no_port;
  };
  for (std::size_t next = 0; next < queue.size(); ++next)
    for (const ChannelId channel : topology_.inputs(queue[next])) {
      const SwitchId from = topology_.source(channel);
      if (!from.valid() || dead_.failed(channel) || is_followed[from.index()] ||
          ports[from.index()] != no_port)
        continue;
      const std::uint8_t wish = preferred[from.index()];
      ports[from.index()] = leads_on(from, wish) ? wish : fabric_.output_port(topology_, channel);
      queue.push_back(from);
    }
}

bool PathsToSwitches::lead(const PortsTowards& ports, SwitchId target, const PortsTowards& shortest) const {
  for (const SwitchId start : topology_.switches()) {
    if (shortest[start.index()] == no_port) continue;
    SwitchId at = start;
    for (std::size_t hops = 0; at.valid() && at != target; ++hops) {
      if (hops == topology_.switch_count() || ports[at.index()] == no_port) return false;
      at = behind(at, ports[at.index()]);
    }
    if (!at.valid()) return false;
  }
  return ports[target.index()] == 0;
}

}  // namespace faultline
