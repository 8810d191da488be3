// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "faultline/routing/kind.h"
#include "routing/grid_relation.h"
#include "routing/nearer_outputs.h"
#include "routing/ring_rule.h"

namespace faultline::routings {
namespace {

/// Every channel that brings the packet nearer, on every virtual channel.
class MinimalAdaptiveRelation final : public GridRelation {
 public:
  MinimalAdaptiveRelation(TopologyPtr topology, std::uint32_t vcs)
      : GridRelation(std::move(topology), "minimal-adaptive"), vcs_(vcs) {
    ignore_binary_signs();
    if (fits_output_bits()) bits_.emplace(this->topology(), grid(), vcs, Ties::both);
    if (fits_output_sets()) outputs_.emplace(this->topology(), grid(), 1, Ties::both);
  }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return vcs_; }
  [[nodiscard]] bool offers_output_bits() const override { return fits_output_bits(); }
  [[nodiscard]] bool offers_output_sets() const override { return fits_output_sets(); }
  [[nodiscard]] std::uint32_t relative_positions() const override { return differences(); }
  [[nodiscard]] Claim claim() const override {
    const bool one_line = grid().dimensions() == 1 && rings_are_trivial(grid());
    return {
        .minimal = true, .deadlock_free = one_line, .deadlock_free_cut_through = one_line, .tolerates = {}};
  }

 private:
  void route_towards(SwitchId to, const RouteState& state, RouteOptions& options) const override {
    for_each_nearer(state.at, to,
                    [&](ChannelId channel) { options.push_back({.channel = channel, .vcs = all_vcs()}); });
  }
  [[nodiscard]] std::uint64_t bits_towards(SwitchId to, SwitchId at) const override {
    return bits_->all(at, to) * all_vcs();
  }
  [[nodiscard]] OutputSets sets_towards(SwitchId to, SwitchId at, Tag) const override {
    return {{{{outputs_->all(at, to), all_vcs()}}}};
  }

  template <class Visit>
  void for_each_nearer(SwitchId at, SwitchId to, Visit visit) const {
    for (std::uint32_t dimension = 0; dimension < grid().dimensions(); ++dimension)
      grid().for_each_nearer(at, to, dimension,
                             [&](Direction direction) { visit(grid().output(at, dimension, direction)); });
  }

  std::uint32_t vcs_;
  std::optional<NearerOutputs> bits_, outputs_;  ///< where they fit
};

struct MinimalAdaptive {
  std::uint32_t vcs = 1;
  static void fields(auto& field) {
    field("vcs", &MinimalAdaptive::vcs, between(1, 32), "virtual channels a channel");
  }
  static std::vector<MinimalAdaptive> samples() { return {{1}, {2}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const MinimalAdaptiveRelation>(context.topology, vcs);
  }
};

}  // namespace

extern constinit const RoutingKind minimal_adaptive = routing_kind<MinimalAdaptive>(
    "minimal-adaptive", "mesh, torus, hypercube: any channel on a shortest path; may deadlock",
    "Dally & Towles, section 10.1", Survival::fixed_paths, "most-free");

}  // namespace faultline::routings
