// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/kind.h"
#include "routing/methodology/planned_relation.h"

namespace faultline::routings {
namespace {

class MethodologyRelation final : public PlannedGridRelation {
 public:
  using PlannedGridRelation::PlannedGridRelation;

  void route(const RouteState& state, RouteOptions& options) const override {
    const HeaderLayout& header = layout();
    Tag tag = state.tag;
    const bool misroutes = header.misroutes(tag);
    bool to_intermediate = header.has_intermediate(tag);
    if (to_intermediate && !misroutes && state.at == header.intermediate(tag)) {
      tag = header.without_first(tag);
      to_intermediate = false;
    }
    const std::uint32_t escape = to_intermediate ? 1U : 2U;
    if (header.misroutes(tag)) return misroute(state.at, tag, escape, options);
    const SwitchId to = to_intermediate ? header.intermediate(tag) : grid().home(state.destination);
    if (state.at == to)
      options.push_back({.channel = topology().ejection(state.destination).front(), .vcs = all_vcs()});
    else
      go_nearer(state.at, to, tag, escape, options);
  }

 private:
  void misroute(SwitchId at, Tag tag, std::uint32_t escape, RouteOptions& options) const {
    const std::uint32_t direction = layout().misrouted_direction(tag);
    if (direction >= directions().count()) return;
    const ChannelId channel = directions().channel(at, direction);
    if (channel.valid())
      options.push_back({.channel = channel, .vcs = escape, .tag = layout().after_misrouted_hop(tag)});
  }
  /// The escape channel of the first remaining direction, and all adaptive ones unless adaptivity is off.
  void go_nearer(SwitchId at, SwitchId to, Tag tag, std::uint32_t escape, RouteOptions& options) const {
    const std::uint32_t adaptive = layout().is_adaptive(tag) ? adaptive_mask() : 0;
    for (std::uint32_t rest = directions().minimal(at, to, layout().minus_ties(tag)), vcs = adaptive | escape;
         rest != 0 && vcs != 0; rest &= rest - 1, vcs = adaptive) {
      const auto direction = static_cast<std::uint32_t>(std::countr_zero(rest));
      options.push_back({.channel = directions().channel(at, direction), .vcs = vcs, .tag = tag});
    }
  }
};

struct Methodology {
  std::string mechanisms = "idm";
  std::string ties = "plus";
  std::uint32_t adaptive_vcs = 1;
  static void fields(auto& field) {
    field("mechanisms", &Methodology::mechanisms, any_text(),
          "mechanisms besides minimal adaptive routing: i (intermediate switches), d (adaptivity off), m "
          "(misrouting), together as in idm; or none");
    field("ties", &Methodology::ties, one_of({"plus", "leg"}),
          "direction of a leg that goes exactly half-way round a ring: plus, or as its subheader says");
    field("adaptive_vcs", &Methodology::adaptive_vcs, between(1, 30),
          "adaptive virtual channels, besides the two escape channels");
  }
  static std::vector<Methodology> samples() { return {{}, {"id", "leg", 2}, {"m", "plus", 1}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    Mechanisms allowed = parse_mechanisms(mechanisms);
    allowed.tie_choice = ties == "leg";
    return std::make_shared<const MethodologyRelation>(context.topology, allowed, adaptive_vcs, context.known,
                                                       "methodology");
  }
};

}  // namespace

extern constinit const RoutingKind methodology = routing_kind<Methodology>(
    "methodology",
    "mesh, torus, hypercube: sources that know the faults plan intermediate "
    "switches, adaptivity and misrouting",
    "paper 5, section 2", Survival::plans, "most-free", Knowledge::none(), SourceRole::plan);

}  // namespace faultline::routings
