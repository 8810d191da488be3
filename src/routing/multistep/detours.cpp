// SPDX-License-Identifier: Apache-2.0
#include "routing/multistep/detours.h"

#include <algorithm>

#include "routing/via.h"

namespace faultline {
namespace {

struct RatedDetour {
  ChannelId out;
  std::uint32_t hops = 0;
  Detour detour;
};

class Finder {
 public:
  Finder(const BaseRoutes& routes, const Neighbourhoods& near) : routes_(routes), near_(near) {}

  void find(SwitchId at, TerminalId to, std::vector<Detour>& found) {
    best_.clear();
    const ChannelId dead = routes_.next(at, to);
    for (const NearTerminal& by : near_.of(at)) {
      const ChannelId out = routes_.next(at, by.terminal);
      if (out == dead || by.terminal == to) continue;
      const SwitchId middle = routes_.home(by.terminal);
      const std::uint32_t hops = routes_.hops(at, by.terminal) + routes_.hops(middle, to);
      if (improves(out, hops) && !routes_.comes_by(middle, to, at))  // following the path is what takes time
        keep({out, hops, {.first = by.terminal, .second = {}}});
    }
    if (best_.empty()) find_pairs(at, to, dead);
    std::ranges::stable_sort(best_, {}, &RatedDetour::hops);
    for (const RatedDetour& one : best_) {
      Detour& kept = found.emplace_back(one.detour);
      kept.out = one.out;
      kept.hops = cost_of(one.hops);
      kept.worse = one.hops == best_.front().hops ? 0 : 1;
    }
  }

 private:
  void find_pairs(SwitchId at, TerminalId to, ChannelId dead) {
    const SwitchId end = routes_.home(to);
    for (const NearTerminal& by : near_.of(at)) {
      const ChannelId out = routes_.next(at, by.terminal);
      const SwitchId middle = routes_.home(by.terminal);
      if (out == dead || middle == end) continue;
      const auto consider = [&](TerminalId last) {
        const SwitchId from = routes_.home(last);
        if (last == to || from == middle || from == at) return;
        const std::uint32_t hops =
            routes_.hops(at, by.terminal) + routes_.hops(middle, last) + routes_.hops(from, to);
        if (improves(out, hops) && !routes_.comes_by(from, to, at) && !takes(middle, last, dead))
          keep({out, hops, {.first = by.terminal, .second = last}});
      };
      for (const NearTerminal& last : near_.of(end)) consider(last.terminal);
      for (const TerminalId last : near_.at(end)) consider(last);
    }
  }

  [[nodiscard]] bool takes(SwitchId from, TerminalId to, ChannelId channel) const {
    bool found = false;
    routes_.walk(from, to, [&](ChannelId taken) { return !(found = taken == channel); });
    return found;
  }

  [[nodiscard]] bool improves(ChannelId out, std::uint32_t hops) const {
    const auto rival = std::ranges::find(best_, out, &RatedDetour::out);
    return rival == best_.end() || hops < rival->hops;
  }

  /// Of each output, the shortest: what improves() says takes the place of another one.
  void keep(const RatedDetour& one) {
    const auto rival = std::ranges::find(best_, one.out, &RatedDetour::out);
    if (rival == best_.end())
      best_.push_back(one);
    else
      *rival = one;
  }

  const BaseRoutes& routes_;
  const Neighbourhoods& near_;
  std::vector<RatedDetour> best_;
};

}  // namespace

Detours::Detours(const BaseRoutes& routes, const Neighbourhoods& near)
    : switches_(routes.topology().switch_count()) {
  Finder finder(routes, near);
  for (const TerminalId to : routes.topology().terminals())
    for (const SwitchId at : routes.topology().switches()) {
      offsets_.push_back(all_.size());
      if (at != routes.home(to)) finder.find(at, to, all_);
    }
  offsets_.push_back(all_.size());
}

}  // namespace faultline
