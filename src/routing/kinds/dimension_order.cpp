// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/kind.h"
#include "routing/ordered_grid.h"

namespace faultline::routings {
namespace {

class DimensionOrderRelation final : public OrderedGridRelation<DimensionOrderRelation> {
 public:
  DimensionOrderRelation(const RoutingContext& context, std::string_view rule)
      : OrderedGridRelation(context.topology, "dimension-order", rule, context.switching) {}

  /// Half-way round a ring both directions are offered; the selection function chooses.
  static constexpr Ties ties = Ties::both;
  static std::uint64_t first_of(const NearerOutputs& nearer, SwitchId, std::uint64_t outputs) {
    return nearer.in_first_dimension(outputs);
  }
  template <class Visit>
  void for_each_way(SwitchId at, SwitchId to, Visit visit) const {
    const std::uint32_t dimension = first_dimension(at, to);
    grid().for_each_nearer(at, to, dimension, [&](Direction direction) { visit(dimension, direction); });
  }
};

struct DimensionOrder {
  std::string ring_rule = "auto";
  static void fields(auto& field) {
    field("ring_rule", &DimensionOrder::ring_rule, one_of({"auto", "dateline", "bubble", "none"}),
          "what keeps the rings of a torus free of deadlock; auto: dateline for wormhole, bubble for "
          "cut-through");
  }
  static std::vector<DimensionOrder> samples() { return {{"auto"}, {"dateline"}, {"bubble"}, {"none"}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const DimensionOrderRelation>(context, ring_rule);
  }
};

}  // namespace

extern constinit const RoutingKind dimension_order = routing_kind<DimensionOrder>(
    "dimension-order",
    "mesh, torus, hypercube: one dimension after the other, each the shorter way round, or either where both "
    "are equal",
    "Dally & Towles, sections 8.4.2 and 14.2.3", Survival::fixed_paths, "random");

}  // namespace faultline::routings
