// SPDX-License-Identifier: Apache-2.0
#include "routing/multistep/multistep_relation.h"

#include <algorithm>
#include <optional>

#include "faultline/topology/grid.h"
#include "faultline/topology/labellings.h"
#include "routing/first_vcs.h"
#include "routing/multistep/base_routes.h"
#include "routing/multistep/detours.h"
#include "routing/multistep/known_paths.h"
#include "routing/multistep/neighbourhoods.h"
#include "routing/multistep/path_list.h"
#include "routing/via.h"

namespace faultline {
namespace {

std::string name_of(bool escapes) { return escapes ? "ft-drb" : "drb"; }

constexpr std::uint32_t segments = 3;

/// The rest of a multistep path. A packet with tag 0 is on its direct path.
struct Leg {
  std::uint32_t segment = 0;  ///< `segments`: no virtual channel is left
  TerminalId first, second;   ///< at whose switches this segment and the next one end; then the destination's
};

/// Some channels lead from one switch to the same other one.
bool parallel_channels(const Topology& topology) {
  return std::ranges::any_of(topology.switches(), [&](SwitchId at) {
    std::vector<SwitchId> targets;
    for (const ChannelId channel : topology.outputs(at))
      if (topology.role(channel) == ChannelRole::network) targets.push_back(topology.target(channel));
    std::ranges::sort(targets);
    return std::ranges::adjacent_find(targets) != targets.end();
  });
}

class MultistepRelation final : public RoutingRelation {
 public:
  MultistepRelation(RelationPtr base, const MultistepSpec& spec, bool escapes)
      : RoutingRelation(base->shared_topology()),
        base_(std::move(base)),
        routes_(*base_, name_of(escapes)),
        near_(routes_),
        paths_(spec.paths),
        intermediates_(spec.intermediates),
        known_(topology().terminal_count()),
        adaptive_(first_vcs(spec.adaptive_vcs) << segments),
        vcs_(segments + spec.adaptive_vcs) {
    if (escapes) {
      detours_.emplace(routes_, near_);
      has_parallel_channels_ = parallel_channels(topology());
    }
    const bool terminals_everywhere =
        std::ranges::all_of(topology().switches(), [&](SwitchId at) { return near_.level(at) == 0; });
    if (intermediates_ == 0) intermediates_ = terminals_everywhere ? 2 : 1;
  }

  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    const auto find = [&] {
      return multistep_paths(routes_, near_, source, destination, paths_, intermediates_);
    };
    std::vector<MultistepPath> own;
    for (const MultistepPath& path : known_.of(source, destination, find, own))
      options.push_back({.channel = topology().injection(source).front(),
                         .vcs = 1,
                         .tag = tag({0, path.first, path.second}),
                         .cost = cost_of(path.hops + 2)});
  }

  void route(const RouteState& state, RouteOptions& options) const override {
    const Leg leg = leg_at(state.at, state.tag);
    const TerminalId target = leg.first.valid() ? leg.first : state.destination;
    if (!leg.first.valid() && state.at == routes_.home(state.destination)) {
      options.push_back({.channel = topology().ejection(state.destination).front(), .vcs = 1});
      return;
    }
    if (leg.segment == segments) return;
    offer(state, leg, target, 0, options);
    if (detours_) escape(state, leg, target, options);
  }

  [[nodiscard]] std::uint64_t tag_count() const override {
    const std::uint64_t terminals = topology().terminal_count() + 1;
    return segments * terminals * terminals;
  }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return vcs_; }
  [[nodiscard]] SwitchId intermediate(Tag tag) const override {
    const TerminalId first = leg_of(tag).first;
    return first.valid() ? routes_.home(first) : SwitchId();
  }
  [[nodiscard]] bool is_escape(const RouteState&, const RouteOption&, std::uint8_t vc) const override {
    return vc < segments;
  }
  [[nodiscard]] bool relies_on_escape() const override {
    return adaptive_ != 0 && topology().network_channel_count() != 0;
  }
  [[nodiscard]] bool always_progresses() const override { return true; }
  [[nodiscard]] bool sends_again() const override { return detours_.has_value(); }
  [[nodiscard]] Claim claim() const override {
    const Claim of_base = base_->claim();
    return {.minimal = of_base.minimal && paths_ == 1,
            .deadlock_free = of_base.deadlock_free,
            .deadlock_free_cut_through = of_base.deadlock_free_cut_through,
            .while_channels_fail = WhileChannelsFail::yes,  // by the virtual channel of the segment
            .tolerates = {}};
  }
  /// Those of the base, on the virtual channel of each segment.
  [[nodiscard]] std::vector<BubbleRing> bubble_rings() const override {
    std::vector<BubbleRing> rings;
    for (const BubbleRing& of_base : base_->bubble_rings())
      for (std::uint8_t segment = 0; segment < segments; ++segment) {
        rings.push_back(of_base);
        for (VirtualChannel& member : rings.back()) member.vc = segment;
      }
    return rings;
  }

 private:
  [[nodiscard]] Tag tag(const Leg& leg) const {
    const std::uint64_t terminals = topology().terminal_count() + 1;
    const auto number = [](TerminalId by) { return by.valid() ? std::uint64_t{by.value()} + 1 : 0; };
    return leg.segment + segments * (number(leg.first) + terminals * number(leg.second));
  }
  [[nodiscard]] Leg leg_of(Tag tag) const {
    const std::uint64_t terminals = topology().terminal_count() + 1, by = tag / segments;
    const auto terminal = [](std::uint64_t number) {
      return number != 0 ? TerminalId(static_cast<std::uint32_t>(number - 1)) : TerminalId();
    };
    return {static_cast<std::uint32_t>(tag % segments), terminal(by % terminals), terminal(by / terminals)};
  }
  /// A switch at which a segment ends begins the next one.
  [[nodiscard]] Leg leg_at(SwitchId at, Tag tag) const {
    Leg leg = leg_of(tag);
    while (leg.first.valid() && routes_.home(leg.first) == at)
      leg = {std::min(leg.segment + 1, segments), leg.second, {}};
    return leg;
  }

  void offer(const RouteState& state, const Leg& leg, TerminalId target, std::uint8_t tier,
             RouteOptions& options) const {
    options.push_back({.channel = routes_.next(state.at, target),
                       .vcs = 1U << leg.segment | adaptive_,
                       .tag = tag(leg),
                       .tier = tier,
                       .cost = cost_of(hops_left(state, leg) + 1)});
  }

  [[nodiscard]] std::uint32_t hops_left(const RouteState& state, const Leg& leg) const {
    std::uint32_t hops = 0;
    SwitchId at = state.at;
    for (const TerminalId by : {leg.first, leg.second})
      if (by.valid()) {
        hops += routes_.hops(at, by);
        at = routes_.home(by);
      }
    return hops + routes_.hops(at, state.destination);
  }

  /// What a switch offers a packet whose channel is dead: a parallel channel, the direct path to its
  /// destination if that uses another channel, then a detour, each in a further segment. If no virtual
  /// channel is left for that, the packet waits at its next intermediate switch for a terminal there, which
  /// re-injects it; a switch without a terminal leads it to one.
  void escape(const RouteState& state, const Leg& leg, TerminalId target, RouteOptions& options) const {
    const std::uint32_t next = leg.segment + 1;
    const bool has_terminal = near_.level(state.at) == 0;
    if (next < segments) {
      if (has_parallel_channels_) offer_parallel(state, leg, target, options);
      if (target != state.destination &&
          routes_.next(state.at, state.destination) != routes_.next(state.at, target))
        offer(state, {next, {}, {}}, state.destination, 1, options);
      for (const Detour& detour : detours_->of(state.at, state.destination))
        options.push_back({.channel = detour.out,
                           .vcs = 1U << next | adaptive_,
                           .tag = tag({next, detour.first, detour.second}),
                           .tier = static_cast<std::uint8_t>(2 + detour.worse),
                           .cost = cost_of(detour.hops + 1U)});
    }
    if (has_terminal) return;
    const std::uint32_t last = std::min(next, segments - 1);
    for (const NearTerminal& by : near_.of(state.at))
      if (descends(state.at, by.terminal)) offer(state, {last, by.terminal, {}}, by.terminal, 4, options);
  }

  /// Channels to the same switch as the one that the base routing takes.
  void offer_parallel(const RouteState& state, const Leg& leg, TerminalId target,
                      RouteOptions& options) const {
    const ChannelId dead = routes_.next(state.at, target);
    if (topology().role(dead) != ChannelRole::network) return;
    for (const ChannelId channel : topology().outputs(state.at))
      if (channel != dead && topology().role(channel) == ChannelRole::network &&
          topology().target(channel) == topology().target(dead))
        options.push_back({.channel = channel,
                           .vcs = 1U << (leg.segment + 1) | adaptive_,
                           .tag = tag({leg.segment + 1, leg.first, leg.second}),
                           .tier = 1,
                           .cost = cost_of(hops_left(state, leg) + 1)});
  }

  /// Every channel on such a path leads nearer to some terminal: a packet that takes only such paths never
  /// turns back.
  [[nodiscard]] bool descends(SwitchId at, TerminalId to) const {
    std::uint32_t level = near_.level(at);
    bool falls = true;
    routes_.walk(at, to, [&](ChannelId channel) {
      const std::uint32_t next = near_.level(topology().target(channel));
      falls = next < level;
      level = next;
      return falls;
    });
    return falls;
  }

  RelationPtr base_;
  BaseRoutes routes_;
  Neighbourhoods near_;
  std::optional<Detours> detours_;
  bool has_parallel_channels_ = false;
  std::uint32_t paths_, intermediates_;
  KnownPaths known_;
  std::uint32_t adaptive_;  // a bit each
  std::uint32_t vcs_;
};

/// Of the routing `drb` or `ft-drb`.
RelationPtr base_of(const RoutingContext& context, const Nested<RoutingKind>& asked,
                    const std::string& routing) {
  const Topology& topology = *context.topology;
  const auto build = [&](const Resolved<RoutingKind>& base) {
    return build_healthy_relation(context.topology, base, context.switching);
  };
  if (!asked.is_none()) return build(asked.resolved);
  if (topology.find_labelling<CartesianLabelling>() != nullptr)
    return build(parse_compact("routing.base", "dimension-order"));
  if (topology.find_labelling<TreeLabelling>() != nullptr)
    return build(parse_compact("routing.base", "destro"));
  try {
    return build(parse_compact("routing.base", "dfsssp:vcs=1"));
  } catch (const TooFewVirtualChannels&) {
    throw Error("routing", "base=auto",
                "needs a base for " + topology.name() + ", as in " + routing +
                    ":base=shortest-path: this is neither a mesh, torus, hypercube or fat tree "
                    "nor a network on which dfsssp needs one virtual channel");
  }
}

}  // namespace

RelationPtr build_multistep(const RoutingContext& context, const MultistepSpec& spec, bool escapes) {
  RelationPtr segments_by = base_of(context, spec.base, name_of(escapes));
  return std::make_shared<const MultistepRelation>(std::move(segments_by), spec, escapes);
}

}  // namespace faultline
