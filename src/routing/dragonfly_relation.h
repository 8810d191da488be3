// SPDX-License-Identifier: Apache-2.0
// Routing of dragonflies (Kim, Dally, Scott & Abts, ISCA 2008, section 4): minimal, or via another group.
#pragma once

#include "faultline/routing/relation.h"
#include "faultline/topology/dragonfly.h"
#include "routing/first_vcs.h"
#include "routing/via.h"

namespace faultline {

/// Virtual channels rise with each global hop, which leaves no cycle of dependencies (section 4.2 there): the
/// local and global channels of the path to an intermediate group have the first, those of the path from
/// there, or of the minimal path, the next, and those in the destination's group the last.
class DragonflyRelation : public RoutingRelation {
 public:
  DragonflyRelation(TopologyPtr topology, std::string_view who)
      : RoutingRelation(std::move(topology)), groups_(this->topology().labelling<DragonflyLabelling>(who)) {}

 protected:
  [[nodiscard]] const DragonflyLabelling& groups() const { return groups_; }
  [[nodiscard]] std::uint32_t all_vcs() const { return first_vcs(virtual_channels()); }

  /// Network channels from `at` to a terminal's switch, via group `via` if it is another one.
  [[nodiscard]] std::uint32_t hops_to(SwitchId at, SwitchId to) const {
    if (groups_.group(at) == groups_.group(to)) return at == to ? 0 : 1;
    return hops_through(at, groups_.group(to), to);
  }
  [[nodiscard]] std::uint32_t hops_via(SwitchId at, std::uint32_t via, SwitchId to) const {
    const std::uint32_t here = groups_.group(at);
    return (at == groups_.gateway(here, via) ? 1 : 2) + hops_to(groups_.gateway(via, here), to);
  }

  void eject(const RouteState& state, RouteOptions& options) const {
    options.push_back(
        {.channel = topology().ejection(state.destination).front(), .vcs = all_vcs(), .cost = 1});
  }
  /// The next channel of the shortest path to `group`, which is another one.
  void leave(SwitchId at, std::uint32_t group, std::uint32_t vc, Tag tag, std::uint32_t hops,
             RouteOptions& options) const {
    const std::uint32_t here = groups_.group(at);
    const SwitchId gateway = groups_.gateway(here, group);
    const ChannelId channel = at == gateway ? groups_.global(here, group) : groups_.local(at, gateway);
    options.push_back({.channel = channel, .vcs = 1U << vc, .tag = tag, .cost = cost_of(hops + 1)});
  }
  /// The next channel of the minimal path to another switch `to`, on virtual channel `vc` until its group is
  /// reached and the one after it there.
  void go(SwitchId at, SwitchId to, std::uint32_t vc, RouteOptions& options) const {
    if (groups_.group(at) != groups_.group(to))
      return leave(at, groups_.group(to), vc, ViaTags::last(), hops_to(at, to), options);
    options.push_back({.channel = groups_.local(at, to), .vcs = 1U << (vc + 1), .cost = 2});
  }

 private:
  [[nodiscard]] std::uint32_t hops_through(SwitchId at, std::uint32_t group, SwitchId to) const {
    const std::uint32_t here = groups_.group(at);
    return (at == groups_.gateway(here, group) ? 1 : 2) + (to == groups_.gateway(group, here) ? 0 : 1);
  }

  const DragonflyLabelling& groups_;
};

/// Via another group. Packets between switches of one group take the minimal path.
class ViaDragonfly final : public DragonflyRelation {
 public:
  ViaDragonfly(TopologyPtr topology, std::string_view who, ViaChoice choice)
      : DragonflyRelation(std::move(topology), who), tags_(groups().groups(), choice) {}

  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    const SwitchId from = groups().home(source), to = groups().home(destination);
    const auto offer = [&](Tag tag, std::uint32_t hops) {
      options.push_back({.channel = topology().injection(source).front(),
                         .vcs = all_vcs(),
                         .tag = tag,
                         .cost = cost_of(hops + 2)});
    };
    if (!tags_.chosen_at_source()) return offer(tags_.fresh(), hops_to(from, to));
    const bool any = for_each_intermediate(
        from, to, [&](std::uint32_t via) { offer(ViaTags::via(via), hops_via(from, via, to)); });
    if (!any) offer(ViaTags::last(), hops_to(from, to));
  }

  void route(const RouteState& state, RouteOptions& options) const override {
    const SwitchId to = groups().home(state.destination);
    if (const auto via = tags_.intermediate(state.tag); via && groups().group(state.at) != *via)
      return leave(state.at, *via, 0, state.tag, hops_via(state.at, *via, to), options);
    if (state.at == to) return eject(state, options);
    go(state.at, to, 1, options);
    if (tags_.chosen_at_source() || state.tag != tags_.fresh()) return;
    for_each_intermediate(state.at, to, [&](std::uint32_t via) {
      leave(state.at, via, 0, ViaTags::via(via), hops_via(state.at, via, to), options);
    });
  }

  [[nodiscard]] std::uint64_t tag_count() const override { return tags_.count(); }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return 3; }
  [[nodiscard]] Claim claim() const override {
    return {.minimal = false, .deadlock_free = true, .deadlock_free_cut_through = true, .tolerates = {}};
  }
  /// Each phase comes nearer to its target, and the second follows the first.
  [[nodiscard]] bool always_progresses() const override { return true; }

 private:
  /// True if there is one: a group that belongs to neither end.
  template <class Visit>
  bool for_each_intermediate(SwitchId from, SwitchId to, Visit visit) const {
    const std::uint32_t first = groups().group(from), last = groups().group(to);
    if (first == last) return false;
    for (std::uint32_t via = 0; via < groups().groups(); ++via)
      if (via != first && via != last) visit(via);
    return groups().groups() > 2;
  }

  ViaTags tags_;
};

}  // namespace faultline
