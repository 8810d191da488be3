// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/kind.h"
#include "routing/tree_relation.h"

namespace faultline::routings {
namespace {

struct Fta {
  static void fields(auto&) {}
  static std::vector<Fta> samples() { return {{}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const AnyUpPort>(context.topology, "fta");
  }
};

}  // namespace

extern constinit const RoutingKind fta = routing_kind<Fta>(
    "fta",
    "k-ary n-tree: adaptive up, deterministic down; offers only ports from which a healthy path leads on",
    "paper 1, sections 3.1.1 and 5.1", Survival::fixed_paths, "most-free");

}  // namespace faultline::routings
