// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/fir.h"
#include "faultline/routing/kind.h"
#include "routing/fir/configure.h"
#include "routing/methodology/planned_relation.h"

namespace faultline::routings {
namespace {

/// The register machine of a switch, and the logic that handles headers before and after it.
class FtFirRelation final : public PlannedGridRelation, public FirConfigured {
 public:
  FtFirRelation(const RoutingContext& context, const Mechanisms& mechanisms, std::uint32_t adaptive_vcs)
      : PlannedGridRelation(context.topology, mechanisms, adaptive_vcs, context.known, "ft-fir"),
        ports_(grid()),
        addresses_(grid()),
        switches_(configure_fir(grid(), topology().switch_count(),
                                {.by_direction = true,
                                 .rings = grid().wraps() ? FirRings::bubble : FirRings::plain,
                                 .adaptive_vcs = adaptive_vcs,
                                 .fault_tolerant = true})) {}

  [[nodiscard]] const FirSwitch& fir_switch(SwitchId at) const override { return switches_[at.index()]; }

  void route(const RouteState& state, RouteOptions& options) const override {
    const FirSwitch& here = switches_[state.at.index()];
    Header packet = layout().decode(state.tag);
    FirHeader bits = control_bits(packet, state);
    // At the intermediate switch the first subheader is deleted.
    if (bits.to_intermediate && !bits.misrouting && bits.destination == here.address) {
      packet = {SwitchId(), packet.then, {}};
      bits = control_bits(packet, state);
    }
    if (!bits.misrouting && bits.destination == here.address) {
      options.push_back({.channel = topology().ejection(state.destination).front(), .vcs = all_vcs()});
      return;
    }
    const std::uint64_t routed = fir_routed(here, fir_allowed(here, bits));
    if (bits.misrouting) count_hop(packet);
    const Tag tag = layout().encode(packet);
    ports_.for_each_routed(state.at, routed, here.vcs, [&](ChannelId channel, std::uint32_t vcs) {
      if (channel.valid()) options.push_back({.channel = channel, .vcs = vcs, .tag = tag});
    });
  }

 private:
  /// Figure 4.2.
  [[nodiscard]] FirHeader control_bits(const Header& packet, const RouteState& state) const {
    FirHeader bits;
    bits.to_intermediate = packet.intermediate.valid();
    bits.destination =
        addresses_.of(grid(), bits.to_intermediate ? packet.intermediate : grid().home(state.destination));
    bits.adaptive = packet.now.adaptive;
    for (const MisroutedRun& run : packet.now.runs) {
      if (run.hops == 0) continue;
      bits.misrouting = true;
      if (const auto port = ports_.port(state.at, run.direction)) bits.misroute_ports = 1U << *port;
      break;
    }
    return bits;
  }
  static void count_hop(Header& packet) {
    for (MisroutedRun& run : packet.now.runs) {
      if (run.hops == 0) continue;
      if (--run.hops == 0) run = {};
      return;
    }
  }

  FirPorts ports_;
  FirAddresses addresses_;
  std::vector<FirSwitch> switches_;
};

struct FtFir {
  static constexpr std::uint32_t table_bytes = planned_table_bytes;
  std::string mechanisms = "idm";
  std::uint32_t adaptive_vcs = 1;
  static void fields(auto& field) {
    mechanisms_field(field, &FtFir::mechanisms);
    adaptive_vcs_field(field, &FtFir::adaptive_vcs);
  }
  static std::vector<FtFir> samples() { return {{}, {"im", 2}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const FtFirRelation>(context, parse_mechanisms(mechanisms), adaptive_vcs);
  }
};

}  // namespace

extern constinit const RoutingKind ft_fir = routing_kind<FtFir>(
    "ft-fir",
    "mesh, torus, hypercube: the methodology as fault-tolerant flexible interval routing, configured by "
    "registers in each switch",
    "paper 5, section 4", Survival::plans, "most-free", Knowledge::none(), SourceRole::plan);

}  // namespace faultline::routings
