// SPDX-License-Identifier: Apache-2.0
#include "routing/multistep/path_list.h"

#include <algorithm>

namespace faultline {
namespace {

struct RatedPath {
  MultistepPath path;
  std::uint32_t cost;
};

class PathFinder {
 public:
  PathFinder(const BaseRoutes& routes, const Neighbourhoods& near, TerminalId source, TerminalId destination)
      : routes_(routes),
        from_(routes.home(source)),
        to_(routes.home(destination)),
        destination_(destination),
        direct_first_(routes.next(from_, destination)),
        direct_last_(routes.last(from_, destination)) {
    routes.walk(from_, destination, [&](ChannelId channel) {
      on_direct_.push_back(routes.topology().source(channel));
      return true;
    });
    on_direct_.push_back(to_);
    for (const TerminalId own : near.at(to_))  // besides the destination, with another path to its switch
      if (own != destination && routes.last(from_, own) != direct_last_) beside_.push_back({own, 1});
    near_source_ = near.of(from_);
    near_destination_ = near.of(to_);
  }

  [[nodiscard]] MultistepPath direct() const { return {{}, {}, routes_.hops(from_, destination_)}; }
  [[nodiscard]] std::uint32_t last_shell() const {
    const auto last = [](std::span<const NearTerminal> near) { return near.empty() ? 0 : near.back().shell; };
    return std::max({last(near_source_), last(near_destination_), last(beside_)});
  }

  /// Those of which the farther intermediate is in `shell`, the best first.
  [[nodiscard]] std::vector<RatedPath> in_shell(std::uint32_t shell, std::uint32_t intermediates) const {
    std::vector<NearTerminal> first, second;
    gather(near_source_, shell, first);
    second = beside_;
    gather(near_destination_, shell, second);
    std::vector<RatedPath> found;
    for (const NearTerminal& one : first)
      if (one.shell == shell) found.push_back(rated(one.terminal, {}));
    for (const NearTerminal& one : second)
      if (one.shell == shell &&
          std::ranges::find(first, one.terminal, &NearTerminal::terminal) == first.end())
        found.push_back(rated(one.terminal, {}));
    for (const NearTerminal& one : first)
      for (const NearTerminal& two : second)
        if (intermediates == 2 && std::max(one.shell, two.shell) == shell && one.terminal != two.terminal)
          found.push_back(rated(one.terminal, two.terminal));
    std::ranges::stable_sort(found, {}, &RatedPath::cost);
    return found;
  }

  /// It visits a switch twice.
  [[nodiscard]] bool loops(const std::vector<ChannelId>& channels) const {
    std::vector<SwitchId> visited{from_};
    for (const ChannelId channel : channels) visited.push_back(routes_.topology().target(channel));
    std::ranges::sort(visited);
    return std::ranges::adjacent_find(visited) != visited.end();
  }

  [[nodiscard]] std::vector<ChannelId> channels(const MultistepPath& path) const {
    std::vector<ChannelId> all;
    SwitchId at = from_;
    for (const TerminalId to : {path.first, path.second, destination_}) {
      if (!to.valid()) continue;
      routes_.walk(at, to, [&](ChannelId channel) {
        all.push_back(channel);
        return true;
      });
      at = routes_.home(to);
    }
    return all;
  }

 private:
  /// The terminals of `near`, which is in the order of shells, up to `last` that are not on the direct path.
  void gather(std::span<const NearTerminal> near, std::uint32_t last, std::vector<NearTerminal>& kept) const {
    for (const NearTerminal& one : near) {
      if (one.shell > last) return;
      if (std::ranges::find(on_direct_, routes_.home(one.terminal)) == on_direct_.end()) kept.push_back(one);
    }
  }

  [[nodiscard]] RatedPath rated(TerminalId first, TerminalId second) const {
    const SwitchId middle = routes_.home(first), end = second.valid() ? routes_.home(second) : middle;
    const std::uint32_t between = second.valid() ? routes_.hops(middle, second) : 0;
    const std::uint32_t hops = routes_.hops(from_, first) + between + routes_.hops(end, destination_);
    const ChannelId last = end != to_       ? routes_.last(end, destination_)
                           : second.valid() ? routes_.last(middle, second)
                                            : routes_.last(from_, first);
    const std::uint32_t shared =
        (routes_.next(from_, first) == direct_first_ ? 1 : 0) + (last == direct_last_ ? 1 : 0);
    constexpr std::uint32_t dear = 4;  // hops: a fault next to source or destination would block both
    return {{first, second, hops}, hops + dear * shared};
  }

  const BaseRoutes& routes_;
  SwitchId from_, to_;
  TerminalId destination_;
  ChannelId direct_first_, direct_last_;
  std::vector<SwitchId> on_direct_;
  std::span<const NearTerminal> near_source_, near_destination_;
  std::vector<NearTerminal> beside_;  // the destination, at its switch
};

}  // namespace

std::vector<MultistepPath> multistep_paths(const BaseRoutes& routes, const Neighbourhoods& near,
                                           TerminalId source, TerminalId destination, std::size_t most,
                                           std::uint32_t intermediates) {
  const PathFinder finder(routes, near, source, destination);
  std::vector<MultistepPath> paths{finder.direct()};
  if (routes.home(source) == routes.home(destination)) return paths;
  std::vector<std::vector<ChannelId>> seen;  // one intermediate may lie on the path via another
  for (std::uint32_t shell = 1; shell <= finder.last_shell() && paths.size() < most; ++shell)
    for (const RatedPath& one : finder.in_shell(shell, intermediates)) {
      if (paths.size() == most) break;
      std::vector<ChannelId> channels = finder.channels(one.path);
      if (finder.loops(channels) || std::ranges::find(seen, channels) != seen.end()) continue;
      seen.push_back(std::move(channels));
      paths.push_back(one.path);
    }
  return paths;
}

}  // namespace faultline
