// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/kind.h"
#include "routing/mirrored_tree_relation.h"

namespace faultline::routings {
namespace {

struct OnePort {
  static void fields(auto&) {}
  static std::vector<OnePort> samples() { return {{}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const TieredUpPorts>(context.topology, "one-port", 1);
  }
};

}  // namespace

extern constinit const RoutingKind one_port = routing_kind<OnePort>(
    "one-port", "MiKANT, Clos tree: as minimal; avoids a dead neighbour by the next up port",
    "paper 3, one-port algorithm", Survival::fixed_paths, "most-free", Knowledge::neighbours());

}  // namespace faultline::routings
