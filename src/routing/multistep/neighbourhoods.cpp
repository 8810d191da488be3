// SPDX-License-Identifier: Apache-2.0
#include "routing/multistep/neighbourhoods.h"

#include <algorithm>
#include <limits>
#include <map>

namespace faultline {
namespace {

constexpr std::uint32_t far = std::numeric_limits<std::uint32_t>::max();

/// Found breadth first; ordered by distance and, at each distance, by the first output port of the search.
struct Found {
  std::uint32_t distance = 0;
  std::uint32_t first_port = 0;
  TerminalId terminal;
};

class Search {
 public:
  Search(const Topology& topology, const std::vector<std::vector<TerminalId>>& terminals)
      : topology_(topology), terminals_(terminals), distance_(topology.switch_count(), far) {}

  std::vector<Found> from(SwitchId start) {
    std::vector<Found> found;
    struct Reached {
      SwitchId at;
      std::uint32_t port;
    };
    std::vector<Reached> queue{{start, 0}};
    distance_[start.index()] = 0;
    const auto enough = [&](const Reached& next) {
      return found.size() >= 2 * Neighbourhoods::max_terminals &&
             distance_[next.at.index()] >= found.back().distance;
    };
    for (std::size_t i = 0; i < queue.size() && !enough(queue[i]); ++i) {
      const auto [at, port] = queue[i];
      for (const ChannelId channel : topology_.outputs(at)) {
        if (topology_.role(channel) != ChannelRole::network) continue;
        const SwitchId next = topology_.target(channel);
        if (distance_[next.index()] != far) continue;
        distance_[next.index()] = distance_[at.index()] + 1;
        queue.push_back({next, at == start ? topology_.output_port(channel) : port});
        for (const TerminalId terminal : terminals_[next.index()])
          found.push_back({distance_[next.index()], queue.back().port, terminal});
      }
    }
    for (const Reached& reached : queue) distance_[reached.at.index()] = far;
    return found;
  }

 private:
  const Topology& topology_;
  const std::vector<std::vector<TerminalId>>& terminals_;  // by switch
  std::vector<std::uint32_t> distance_;
};

/// The base routing takes the same channels to both, from everywhere.
bool is_led_alike(const BaseRoutes& routes, TerminalId a, TerminalId b) {
  return std::ranges::all_of(routes.topology().switches(), [&](SwitchId at) {
    return at == routes.home(a) || routes.next(at, a) == routes.next(at, b);
  });
}

/// Of each distance one of each port, then a second of each, and so on.
std::vector<NearTerminal> in_turn(std::vector<Found> found) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> count;  // of a distance and a port
  struct Ranked {
    Found found;
    std::uint32_t turn;
  };
  std::vector<Ranked> ranked;
  for (const Found& one : found) ranked.push_back({one, count[{one.distance, one.first_port}]++});
  std::ranges::stable_sort(ranked, {}, [](const Ranked& one) {
    return std::tuple(one.found.distance, one.turn, one.found.first_port);
  });
  ranked.resize(std::min(ranked.size(), Neighbourhoods::max_terminals));
  std::vector<NearTerminal> near;
  std::uint32_t shell = 0, distance = 0;
  for (const Ranked& one : ranked) {
    if (one.found.distance != distance) ++shell;
    distance = one.found.distance;
    near.push_back({one.found.terminal, shell});
  }
  return near;
}

}  // namespace

Neighbourhoods::Neighbourhoods(const BaseRoutes& routes) {
  const Topology& topology = routes.topology();
  own_.resize(topology.switch_count());
  for (const TerminalId terminal : topology.terminals()) {
    std::vector<TerminalId>& own = own_[routes.home(terminal).index()];
    const auto alike = [&](TerminalId other) { return is_led_alike(routes, terminal, other); };
    if (std::ranges::none_of(own, alike)) own.push_back(terminal);
  }
  Search search(topology, own_);
  for (const SwitchId at : topology.switches()) {
    std::vector<Found> found = search.from(at);
    levels_.push_back(!own_[at.index()].empty() ? 0 : found.empty() ? far : found.front().distance);
    near_.push_back(in_turn(std::move(found)));
  }
}

}  // namespace faultline
