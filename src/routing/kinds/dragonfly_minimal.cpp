// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/kind.h"
#include "routing/dragonfly_relation.h"

namespace faultline::routings {
namespace {

class MinimalRelation final : public DragonflyRelation {
 public:
  explicit MinimalRelation(TopologyPtr topology)
      : DragonflyRelation(std::move(topology), "dragonfly-minimal") {}

  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    const std::uint32_t hops = hops_to(groups().home(source), groups().home(destination));
    options.push_back(
        {.channel = topology().injection(source).front(), .vcs = all_vcs(), .cost = cost_of(hops + 2)});
  }
  void route(const RouteState& state, RouteOptions& options) const override {
    const SwitchId to = groups().home(state.destination);
    if (state.at == to)
      eject(state, options);
    else
      go(state.at, to, 0, options);
  }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return 2; }
  [[nodiscard]] Claim claim() const override {
    // Where switches have several global links, two of these in a row may be shorter.
    const auto& [p, a, h] = groups().shape();
    return {.minimal = a == 1 || h == 1,
            .deadlock_free = true,
            .deadlock_free_cut_through = true,
            .tolerates = {}};
  }
};

struct DragonflyMinimal {
  static void fields(auto&) {}
  static std::vector<DragonflyMinimal> samples() { return {{}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const MinimalRelation>(context.topology);
  }
};

}  // namespace

extern constinit const RoutingKind dragonfly_minimal = routing_kind<DragonflyMinimal>(
    "dragonfly-minimal", "dragonfly: over the one global link between the two groups",
    "Kim, Dally, Scott & Abts, ISCA 2008, section 4.1 (MIN)", Survival::fixed_paths, "random");

}  // namespace faultline::routings
