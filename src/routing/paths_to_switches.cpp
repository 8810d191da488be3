// SPDX-License-Identifier: Apache-2.0
#include "routing/paths_to_switches.h"

#include <algorithm>
#include <deque>
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

/// From the ends backwards, so that a port is given only if it leads to a switch whose packets arrive.
class PathsToSwitches::Completion {
 public:
  Completion(const PathsToSwitches& paths, PortsTowards& ports, const std::vector<SwitchId>& ends,
             const std::vector<SwitchId>& sources)
      : paths_(paths), ports_(ports), arrives_(ports.size()), is_followed_(ports.size()) {
    for (const SwitchId end : ends) add(end);
    for (SwitchId at : sources)
      while (at.valid() && !is_followed_[at.index()]) {
        is_followed_[at.index()] = true;
        at = paths.behind(at, ports[at.index()]);
      }
  }

  void remove_what_does_not_arrive() {
    for_each_way_in([&](SwitchId from, std::uint8_t port) {
      if (ports_[from.index()] == port) add(from);
    });
    for (std::size_t at = 0; at < ports_.size(); ++at)
      if (!arrives_[at] && !is_followed_[at]) ports_[at] = no_port;
    next_ = 0;
  }

  /// Ports of `before` are given as long as there are any. What leads to a switch whose own port is dead may
  /// stay once that switch has another, so such switches are the first to get one.
  void add_what_arrives(const PortsTowards& before, const PortsTowards& otherwise) {
    struct Way {
      SwitchId from;
      std::uint8_t port;
    };
    std::deque<Way> others[2];
    for (;;) {
      for_each_way_in([&](SwitchId from, std::uint8_t port) {
        if (is_followed_[from.index()]) return;
        const bool has_lost_its_own = !paths_.behind(from, before[from.index()]).valid();
        const PortsTowards& wished = has_lost_its_own && !otherwise.empty() ? otherwise : before;
        if (wished[from.index()] == port)
          give(from, port);
        else
          others[has_lost_its_own ? 0 : 1].push_back({from, port});
      });
      std::deque<Way>& best = others[others[0].empty() ? 1 : 0];
      if (best.empty()) return;
      if (!arrives_[best.front().from.index()]) give(best.front().from, best.front().port);
      best.pop_front();
    }
  }

 private:
  void add(SwitchId at) {
    arrives_[at.index()] = true;
    queue_.push_back(at);
  }
  void give(SwitchId at, std::uint8_t port) {
    ports_[at.index()] = port;
    add(at);
  }
  /// visit(switch, its port) for living channels to switches whose packets arrive, each once, from others.
  template <class Visit>
  void for_each_way_in(Visit visit) {
    for (; next_ < queue_.size(); ++next_)
      for (const ChannelId channel : paths_.topology_.inputs(queue_[next_])) {
        const SwitchId from = paths_.topology_.source(channel);
        if (from.valid() && !arrives_[from.index()] && !paths_.dead_.failed(channel))
          visit(from, paths_.fabric_.output_port(paths_.topology_, channel));
      }
  }

  const PathsToSwitches& paths_;
  PortsTowards& ports_;
  std::vector<bool> arrives_, is_followed_;  // by switch
  std::vector<SwitchId> queue_;              // whose packets arrive
  std::size_t next_ = 0;                     // in the queue
};

void PathsToSwitches::complete(PortsTowards& ports, const std::vector<SwitchId>& ends,
                               const std::vector<SwitchId>& sources, const PortsTowards& before,
                               const PortsTowards& otherwise) const {
  Completion completion(*this, ports, ends, sources);
  completion.remove_what_does_not_arrive();
  completion.add_what_arrives(before, otherwise);
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
