// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "faultline/routing/kind.h"
#include "routing/grid_differences.h"
#include "routing/methodology/planned_relation.h"
#include "routing/nearer_outputs.h"
#include "routing/output_positions.h"

namespace faultline::routings {
namespace {

class MethodologyRelation final : public PlannedGridRelation {
 public:
  MethodologyRelation(const RoutingContext& context, const Mechanisms& mechanisms, std::uint32_t adaptive_vcs)
      : PlannedGridRelation(context.topology, mechanisms, adaptive_vcs, context.known, "methodology"),
        position_(output_positions(topology())),
        max_outputs_(static_cast<std::uint32_t>(max_outputs(topology()))),
        offers_sets_(max_outputs_ <= 64),
        differences_(topology(), grid(), position_) {
    if (offers_sets_) outputs_.emplace(topology(), grid(), 1, Ties::plus);
    differences_.need_only(GridDifferences::BinarySigns::first_up, topology(), grid(), position_);
  }

  void route(const RouteState& state, RouteOptions& options) const override {
    const Leg leg = leg_of(state.at, state.destination, state.tag);
    if (leg.misroutes) {
      const ChannelId channel = misrouted(state.at, leg.tag);
      if (channel.valid())
        options.push_back(
            {.channel = channel, .vcs = leg.escape, .tag = layout().after_misrouted_hop(leg.tag)});
    } else if (state.at == leg.to) {
      options.push_back({.channel = topology().ejection(state.destination).front(), .vcs = all_vcs()});
    } else {
      go_nearer(state.at, leg, options);
    }
  }

  [[nodiscard]] bool offers_output_sets() const override { return offers_sets_; }
  [[nodiscard]] OutputSets output_sets(SwitchId at, TerminalId destination, Tag tag) const override {
    if (tag == 0) [[likely]]
      return plain_sets(at, destination);
    return planned_sets(at, destination, tag);
  }
  [[nodiscard]] std::uint32_t relative_positions() const override {
    return offers_sets_ && differences_.count() != 0 ? differences_.count() + max_outputs_ : 0;
  }
  [[nodiscard]] std::uint32_t relative_position(SwitchId at, TerminalId destination) const override {
    const SwitchId to = grid().home(destination);
    if (at != to) return differences_.of(at, to);
    return differences_.count() + position_[topology().ejection(destination).front().index()];
  }
  /// Of packets without a plan.
  [[nodiscard]] Tag relative_tags() const override { return 1; }

 private:
  /// Of packets that no plan leads another way, which are most.
  [[nodiscard]] OutputSets plain_sets(SwitchId at, TerminalId destination) const {
    const SwitchId to = grid().home(destination);
    if (at == to) return {{{{output(topology().ejection(destination).front()), all_vcs()}}}};
    const std::uint64_t nearer = outputs_->all(at, to);
    return {{{{nearer, adaptive_mask()}, {outputs_->in_first_direction(at, nearer), last_leg_escape}}}};
  }
  [[gnu::noinline, nodiscard]] OutputSets planned_sets(SwitchId at, TerminalId destination, Tag tag) const {
    const Leg leg = leg_of(at, destination, tag);
    if (leg.misroutes) {
      const ChannelId channel = misrouted(at, leg.tag);
      if (!channel.valid()) return {};
      return {{{{output(channel), leg.escape}}}, layout().after_misrouted_hop(leg.tag)};
    }
    if (at == leg.to) return {{{{output(topology().ejection(destination).front()), all_vcs()}}}};
    return nearer_sets(at, leg);
  }

  static constexpr std::uint32_t first_leg_escape = 1, last_leg_escape = 2;  ///< virtual channels

  /// What a packet does next.
  struct Leg {
    SwitchId to;
    Tag tag;  ///< without what is behind the packet
    std::uint32_t escape;
    bool misroutes;
  };
  [[nodiscard]] Leg leg_of(SwitchId at, TerminalId destination, Tag tag) const {
    const HeaderLayout& header = layout();
    bool to_intermediate = header.has_intermediate(tag);
    if (to_intermediate && !header.misroutes(tag) && at == header.intermediate(tag)) {
      tag = header.without_first(tag);
      to_intermediate = false;
    }
    return {to_intermediate ? header.intermediate(tag) : grid().home(destination), tag,
            to_intermediate ? first_leg_escape : last_leg_escape, header.misroutes(tag)};
  }
  /// Invalid if the header names no channel.
  [[nodiscard]] ChannelId misrouted(SwitchId at, Tag tag) const {
    const std::uint32_t direction = layout().misrouted_direction(tag);
    return direction < directions().count() ? directions().channel(at, direction) : ChannelId();
  }
  /// The escape channel of the first remaining direction, and all adaptive ones unless adaptivity is off.
  void go_nearer(SwitchId at, const Leg& leg, RouteOptions& options) const {
    const std::uint32_t adaptive = layout().is_adaptive(leg.tag) ? adaptive_mask() : 0;
    for (std::uint32_t rest = directions().minimal(at, leg.to, layout().minus_ties(leg.tag)),
                       vcs = adaptive | leg.escape;
         rest != 0 && vcs != 0; rest &= rest - 1, vcs = adaptive) {
      const auto direction = static_cast<std::uint32_t>(std::countr_zero(rest));
      options.push_back({.channel = directions().channel(at, direction), .vcs = vcs, .tag = leg.tag});
    }
  }
  /// The same as sets.
  [[nodiscard]] OutputSets nearer_sets(SwitchId at, const Leg& leg) const {
    if (layout().minus_ties(leg.tag) != 0) return nearer_sets_with_minus_ties(at, leg);
    const std::uint64_t nearer = outputs_->all(at, leg.to);
    return sets_of(leg, nearer, outputs_->in_first_direction(at, nearer));
  }
  [[gnu::noinline, nodiscard]] OutputSets nearer_sets_with_minus_ties(SwitchId at, const Leg& leg) const {
    const std::uint32_t taken = directions().minimal(at, leg.to, layout().minus_ties(leg.tag));
    std::uint64_t nearer = 0;
    for (std::uint32_t rest = taken; rest != 0; rest &= rest - 1)
      nearer |= output(directions().channel(at, static_cast<std::uint32_t>(std::countr_zero(rest))));
    return sets_of(leg, nearer,
                   output(directions().channel(at, static_cast<std::uint32_t>(std::countr_zero(taken)))));
  }
  [[nodiscard]] OutputSets sets_of(const Leg& leg, std::uint64_t nearer, std::uint64_t first) const {
    return {{{{layout().is_adaptive(leg.tag) ? nearer : 0, adaptive_mask()}, {first, leg.escape}}}, leg.tag};
  }
  [[nodiscard]] std::uint64_t output(ChannelId channel) const {
    return std::uint64_t{1} << position_[channel.index()];
  }

  std::vector<std::uint16_t> position_;  ///< by channel: among the outputs of its switch
  std::uint32_t max_outputs_;
  bool offers_sets_;
  GridDifferences differences_;
  std::optional<NearerOutputs> outputs_;  ///< where sets are offered
};

struct Methodology {
  static constexpr std::uint32_t table_bytes = planned_table_bytes;
  std::string mechanisms = "idm";
  std::string ties = "plus";
  std::uint32_t adaptive_vcs = 1;
  static void fields(auto& field) {
    mechanisms_field(field, &Methodology::mechanisms);
    field("ties", &Methodology::ties, one_of({"plus", "leg"}),
          "direction of a leg that goes exactly half-way round a ring: plus, or as its subheader says");
    adaptive_vcs_field(field, &Methodology::adaptive_vcs);
  }
  static std::vector<Methodology> samples() { return {{}, {"id", "leg", 2}, {"m", "plus", 1}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    Mechanisms allowed = parse_mechanisms(mechanisms);
    allowed.tie_choice = ties == "leg";
    return std::make_shared<const MethodologyRelation>(context, allowed, adaptive_vcs);
  }
};

}  // namespace

extern constinit const RoutingKind methodology = routing_kind<Methodology>(
    "methodology",
    "mesh, torus, hypercube: sources that know the faults plan intermediate "
    "switches, adaptivity and misrouting",
    "paper 5, section 2", Survival::plans, "most-free", Knowledge::none(), SourceRole::plan);

}  // namespace faultline::routings
