// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/kind.h"
#include "routing/mirrored_tree_relation.h"

namespace faultline::routings {
namespace {

struct AllPort {
  static void fields(auto&) {}
  static std::vector<AllPort> samples() { return {{}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const TieredUpPorts>(context.topology, "all-port",
                                                 context.topology->switch_count());
  }
};

}  // namespace

extern constinit const RoutingKind all_port = routing_kind<AllPort>(
    "all-port", "MiKANT, Clos tree: as minimal; avoids dead neighbours by trying all up ports in turn",
    "paper 3, all-port algorithm", Survival::fixed_paths, "most-free", Knowledge::neighbours());

}  // namespace faultline::routings
