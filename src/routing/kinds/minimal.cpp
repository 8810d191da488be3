// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/kind.h"
#include "routing/mirrored_tree_relation.h"

namespace faultline::routings {
namespace {

struct Minimal {
  static void fields(auto&) {}
  static std::vector<Minimal> samples() { return {{}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const TieredUpPorts>(context.topology, "minimal", 0);
  }
};

}  // namespace

extern constinit const RoutingKind minimal = routing_kind<Minimal>(
    "minimal", "MiKANT, Clos tree: up by the destination's digits, then down; one path per pair",
    "paper 3, minimal per-hop deterministic routing", Survival::fixed_paths, "most-free",
    Knowledge::neighbours());

}  // namespace faultline::routings
