// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/fir.h"

#include "faultline/routing/kind.h"
#include "routing/fir/configure.h"
#include "routing/grid_relation.h"
#include "routing/ring_rule.h"

namespace faultline::routings {
namespace {

FirRings rings_of(RingRule rule) {
  return rule == RingRule::bubble     ? FirRings::bubble
         : rule == RingRule::dateline ? FirRings::dateline
                                      : FirRings::plain;
}

/// The output of each switch's register machine, whatever it is configured for.
class FirRelation final : public GridRelation, public FirConfigured {
 public:
  FirRelation(const RoutingContext& context, const FirPlan& plan, RingRule rule)
      : GridRelation(context.topology, "fir"),
        rule_(rule),
        plan_(plan),
        ports_(grid()),
        addresses_(grid()),
        switches_(configure_fir(grid(), topology().switch_count(), plan)) {}

  [[nodiscard]] const FirSwitch& fir_switch(SwitchId at) const override { return switches_[at.index()]; }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return plan_.vcs(); }
  [[nodiscard]] bool offers_output_bits() const override { return fits_output_bits(); }
  [[nodiscard]] Claim claim() const override { return ring_claim(rule_, grid(), true); }
  [[nodiscard]] std::vector<BubbleRing> bubble_rings() const override {
    return bubble_rings_of(rule_, topology(), grid());
  }
  [[nodiscard]] bool is_escape(const RouteState&, const RouteOption&, std::uint8_t vc) const override {
    return vc < plan_.escape_vcs();
  }
  [[nodiscard]] bool relies_on_escape() const override { return plan_.adaptive_vcs != 0; }

 private:
  void route_towards(SwitchId to, const RouteState& state, RouteOptions& options) const override {
    for_each_port(to, state.at, [&](ChannelId channel, std::uint32_t vcs) {
      options.push_back({.channel = channel, .vcs = vcs});
    });
  }
  [[nodiscard]] std::uint64_t bits_towards(SwitchId to, SwitchId at) const override {
    std::uint64_t found = 0;
    for_each_port(to, at, [&](ChannelId channel, std::uint32_t vcs) { found |= bits(channel, vcs); });
    return found;
  }

  template <class Visit>
  void for_each_port(SwitchId to, SwitchId at, Visit visit) const {
    const FirSwitch& here = switches_[at.index()];
    const std::uint64_t routed =
        fir_routed(here, fir_allowed(here, {.destination = addresses_.of(grid(), to)}));
    ports_.for_each_routed(at, routed, here.vcs, visit);
  }

  RingRule rule_;
  FirPlan plan_;
  FirPorts ports_;
  FirAddresses addresses_;
  std::vector<FirSwitch> switches_;
};

struct Fir {
  std::string algorithm = "duato";
  std::uint32_t adaptive_vcs = 1;
  std::string ring_rule = "auto";
  static void fields(auto& field) {
    field("algorithm", &Fir::algorithm, one_of({"dimension-order", "direction-order", "duato"}),
          "what the registers are configured for");
    field("adaptive_vcs", &Fir::adaptive_vcs, between(1, 30),
          "duato: adaptive virtual channels, besides the one or two escape channels");
    field(
        "ring_rule", &Fir::ring_rule, one_of({"auto", "dateline", "bubble", "none"}),
        "what keeps the rings of a torus free of deadlock; auto: dateline for wormhole, bubble for "
        "cut-through; dateline: one of two virtual channels, by whether the destination lies beyond the end "
        "of the line");
  }
  static std::vector<Fir> samples() {
    return {
        {}, {"dimension-order", 1, "bubble"}, {"direction-order", 1, "dateline"}, {"duato", 2, "dateline"}};
  }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    const RingRule rule = faultline::ring_rule(ring_rule, context.switching,
                                               context.topology->labelling<CartesianLabelling>("fir"));
    return std::make_shared<const FirRelation>(
        context,
        FirPlan{.by_direction = algorithm == "direction-order",
                .rings = rings_of(rule),
                .adaptive_vcs = algorithm == "duato" ? adaptive_vcs : 0},
        rule);
  }
};

}  // namespace

extern constinit const RoutingKind fir = routing_kind<Fir>(
    "fir", "mesh, torus, hypercube: flexible interval routing, configured by registers in each switch",
    "paper 5, section 3", Survival::fixed_paths, "most-free");

}  // namespace faultline::routings
