// SPDX-License-Identifier: Apache-2.0
#include "routing/multistep/path_list.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <utility>

namespace faultline {
namespace {

struct RatedPath {
  MultistepPath path;
  std::uint32_t cost, found;  ///< the position among those of its shell
};

/// Whether switches come up a second time. Most of them are told apart by a few bits of their numbers.
class Visited {
 public:
  explicit Visited(std::pmr::memory_resource* memory) : switches_(memory) {}

  /// False if it was there before.
  bool add(SwitchId at) {
    std::uint64_t& word = seen_[at.value() / 64 % seen_.size()];
    const std::uint64_t bit = std::uint64_t{1} << at.value() % 64;
    if ((word & bit) != 0 && std::ranges::find(switches_, at) != switches_.end()) return false;
    word |= bit;
    switches_.push_back(at);
    return true;
  }

 private:
  std::array<std::uint64_t, 8> seen_{};
  std::pmr::vector<SwitchId> switches_;
};

class PathFinder {
 public:
  PathFinder(const BaseRoutes& routes, const Neighbourhoods& near, TerminalId source, TerminalId destination,
             std::pmr::memory_resource* memory)
      : routes_(routes),
        memory_(memory),
        from_(routes.home(source)),
        to_(routes.home(destination)),
        destination_(destination),
        direct_first_(routes.next(from_, destination)),
        direct_last_(routes.last(from_, destination)),
        on_direct_(memory),
        beside_(memory) {
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
  [[nodiscard]] std::pmr::vector<RatedPath> in_shell(std::uint32_t shell, std::uint32_t intermediates) const {
    Near first(memory_), second(beside_, memory_);
    gather(near_source_, shell, first);
    gather(near_destination_, shell, second);
    std::pmr::vector<RatedPath> found(memory_);
    const auto add = [&](TerminalId one, TerminalId two) {
      found.push_back(rated(one, two));
      found.back().found = static_cast<std::uint32_t>(found.size());
    };
    for (const NearTerminal& one : first)
      if (one.shell == shell) add(one.terminal, {});
    for (const NearTerminal& one : second)
      if (one.shell == shell &&
          std::ranges::find(first, one.terminal, &NearTerminal::terminal) == first.end())
        add(one.terminal, {});
    for (const NearTerminal& one : first)
      for (const NearTerminal& two : second)
        if (intermediates == 2 && std::max(one.shell, two.shell) == shell && one.terminal != two.terminal)
          add(one.terminal, two.terminal);
    std::ranges::sort(found, {}, [](const RatedPath& one) { return std::pair(one.cost, one.found); });
    return found;
  }

  /// Empty if the path visits a switch twice.
  [[nodiscard]] std::pmr::vector<ChannelId> channels(const MultistepPath& path) const {
    std::pmr::vector<ChannelId> all(memory_);
    Visited visited(memory_);
    visited.add(from_);
    SwitchId at = from_;
    for (const TerminalId to : {path.first, path.second, destination_}) {
      if (!to.valid()) continue;
      bool is_new = true;
      routes_.walk(at, to, [&](ChannelId channel) {
        all.push_back(channel);
        return is_new = visited.add(routes_.topology().target(channel));
      });
      if (!is_new) return std::pmr::vector<ChannelId>(memory_);
      at = routes_.home(to);
    }
    return all;
  }

 private:
  using Near = std::pmr::vector<NearTerminal>;

  /// The terminals of `near`, which is in the order of shells, up to `last` that are not on the direct path.
  void gather(std::span<const NearTerminal> near, std::uint32_t last, Near& kept) const {
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
    return {{first, second, hops}, hops + dear * shared, 0};
  }

  const BaseRoutes& routes_;
  std::pmr::memory_resource* memory_;
  SwitchId from_, to_;
  TerminalId destination_;
  ChannelId direct_first_, direct_last_;
  std::pmr::vector<SwitchId> on_direct_;
  std::span<const NearTerminal> near_source_, near_destination_;
  Near beside_;  // the destination, at its switch
};

}  // namespace

std::vector<MultistepPath> multistep_paths(const BaseRoutes& routes, const Neighbourhoods& near,
                                           TerminalId source, TerminalId destination, std::size_t most,
                                           std::uint32_t intermediates) {
  // Room for what most pairs need: allocating it on the heap took a fifth of the time.
  std::array<std::byte, std::size_t{1} << 14> room;
  std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
  const PathFinder finder(routes, near, source, destination, &memory);
  std::vector<MultistepPath> paths{finder.direct()};
  if (routes.home(source) == routes.home(destination)) return paths;
  // One intermediate may lie on the path via another.
  std::pmr::vector<std::pmr::vector<ChannelId>> seen(&memory);
  for (std::uint32_t shell = 1; shell <= finder.last_shell() && paths.size() < most; ++shell)
    for (const RatedPath& one : finder.in_shell(shell, intermediates)) {
      if (paths.size() == most) break;
      std::pmr::vector<ChannelId> channels = finder.channels(one.path);
      if (channels.empty() || std::ranges::find(seen, channels) != seen.end()) continue;
      seen.push_back(std::move(channels));
      paths.push_back(one.path);
    }
  return paths;
}

}  // namespace faultline
