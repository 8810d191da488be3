// SPDX-License-Identifier: Apache-2.0
// Routing of meshes, tori and hypercubes in two phases: in dimension order to an intermediate switch, then in
// dimension order to the destination (Valiant & Brebner, 1981; Dally & Towles, section 9.1).
#pragma once

#include "routing/grid_relation.h"
#include "routing/ring_rule.h"
#include "routing/via.h"

namespace faultline {

/// Each phase has separate virtual channels, with dateline classes if the rings need them. The dateline class
/// follows from the packet's position.
class ViaGrid final : public GridRelation {
 public:
  ViaGrid(const RoutingContext& context, std::string_view who, std::string_view rule, ViaChoice choice)
      : GridRelation(context.topology, who),
        rule_(ring_rule(rule, context.switching, grid())),
        tags_(topology().switch_count(), choice) {}

  [[nodiscard]] std::uint32_t injection_vcs() const override { return 0; }
  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    const SwitchId from = grid().home(source), to = grid().home(destination);
    const auto offer = [&](Tag tag, std::uint32_t hops) {
      options.push_back({.channel = topology().injection(source).front(),
                         .vcs = all_vcs(),
                         .tag = tag,
                         .cost = cost_of(hops + 2)});
    };
    if (!tags_.chosen_at_source()) return offer(tags_.fresh(), distance(from, to));
    for (const SwitchId via : topology().switches())
      offer(tags_.via(via.value()), distance(from, via) + distance(via, to));
  }

  void route(const RouteState& state, RouteOptions& options) const override {
    const SwitchId to = grid().home(state.destination);
    if (const auto via = tags_.intermediate(state.tag); via && state.at != SwitchId(*via))
      return step(state.at, SwitchId(*via), to, tags_.via(*via), options);
    if (state.at == to) return GridRelation::route(state, options);
    step(state.at, to, to, tags_.last(), options);
    if (state.tag != tags_.fresh() || tags_.chosen_at_source()) return;
    for (const SwitchId via : topology().switches())
      if (via != state.at && via != to) step(state.at, via, to, tags_.via(via.value()), options);
  }

  [[nodiscard]] std::uint64_t tag_count() const override { return tags_.count(); }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return 2 * classes(); }
  [[nodiscard]] SwitchId intermediate(Tag tag) const override {
    const auto via = tags_.intermediate(tag);
    return via ? SwitchId(*via) : SwitchId();
  }
  [[nodiscard]] Claim claim() const override { return ring_claim(rule_, grid(), false); }
  /// Each phase comes nearer to its target, and the second follows the first.
  [[nodiscard]] bool always_progresses() const override { return true; }
  /// One ring of each phase if a grid has one.
  [[nodiscard]] std::vector<BubbleRing> bubble_rings() const override {
    if (rule_ != RingRule::bubble) return {};
    std::vector<BubbleRing> rings = bubble_rings_of(topology(), grid());
    const std::size_t first_phase = rings.size();
    for (std::size_t i = 0; i < first_phase; ++i) {
      BubbleRing ring = rings[i];
      for (VirtualChannel& member : ring) member.vc = 1;
      rings.push_back(std::move(ring));
    }
    return rings;
  }

 private:
  [[nodiscard]] std::uint32_t classes() const { return rule_ == RingRule::dateline ? 2 : 1; }

  /// Of this phase, which leads to `towards`; the packet ends at `to`.
  void step(SwitchId at, SwitchId towards, SwitchId to, Tag tag, RouteOptions& options) const {
    const std::uint32_t dimension = first_dimension(at, towards);
    const std::uint32_t phase = tag == tags_.last() ? 1 : 0;
    const std::uint32_t dateline = classes() == 2 ? dateline_class(at, towards, dimension) : 0;
    const std::uint32_t hops = distance(at, towards) + distance(towards, to);
    grid().for_each_nearer(at, towards, dimension, [&](Direction direction) {
      options.push_back({.channel = grid().output(at, dimension, direction),
                         .vcs = 1U << (phase * classes() + dateline),
                         .tag = tag,
                         .cost = cost_of(hops + 1)});
    });
  }
  void route_towards(SwitchId, const RouteState&, RouteOptions&) const override {}

  [[nodiscard]] std::uint32_t distance(SwitchId a, SwitchId b) const {
    std::uint32_t hops = 0;
    for (std::uint32_t dimension = 0; dimension < grid().dimensions(); ++dimension) {
      const std::uint32_t x = grid().coordinate(a, dimension), y = grid().coordinate(b, dimension);
      const std::uint32_t straight = x < y ? y - x : x - y;
      hops += grid().wraps() ? std::min(straight, grid().radix(dimension) - straight) : straight;
    }
    return hops;
  }

  RingRule rule_;
  ViaTags tags_;
};

}  // namespace faultline
