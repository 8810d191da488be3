// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/kind.h"
#include "routing/ordered_grid.h"

namespace faultline::routings {
namespace {

class DirectionOrderRelation final : public OrderedGridRelation<DirectionOrderRelation> {
 public:
  DirectionOrderRelation(const RoutingContext& context, std::string_view rule)
      : OrderedGridRelation(context.topology, "direction-order", rule, context.switching) {}

  static constexpr Ties ties = Ties::plus;
  static std::uint64_t first_of(const NearerOutputs& nearer, SwitchId at, std::uint64_t outputs) {
    return nearer.in_first_direction(at, outputs);
  }
  /// X+ Y+ Z+ … and then X- Y- Z- …; half-way round a ring, plus.
  template <class Visit>
  void for_each_way(SwitchId at, SwitchId to, Visit visit) const {
    for (const Direction direction : {Direction::plus, Direction::minus})
      for (std::uint32_t dimension = 0; dimension < grid().dimensions(); ++dimension)
        if (grid().nearer(at, to, dimension, direction)) return visit(dimension, direction);
  }
};

struct DirectionOrder {
  std::string ring_rule = "auto";
  static void fields(auto& field) {
    field("ring_rule", &DirectionOrder::ring_rule, one_of({"auto", "dateline", "bubble", "none"}),
          "what keeps the rings of a torus free of deadlock; auto: dateline for wormhole, bubble for "
          "cut-through");
  }
  static std::vector<DirectionOrder> samples() { return {{"auto"}, {"dateline"}, {"bubble"}, {"none"}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const DirectionOrderRelation>(context, ring_rule);
  }
};

}  // namespace

extern constinit const RoutingKind direction_order = routing_kind<DirectionOrder>(
    "direction-order", "mesh, torus, hypercube: X+ Y+ Z+ X- Y- Z-, each the shorter way round",
    "paper 5, direction-order routing", Survival::fixed_paths, "any-free");

}  // namespace faultline::routings
