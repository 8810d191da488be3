// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/kind.h"
#include "routing/tree_relation.h"

namespace faultline::routings {
namespace {

struct Nca {
  static void fields(auto&) {}
  static std::vector<Nca> samples() { return {{}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const AnyUpPort>(context.topology, "nca");
  }
};

}  // namespace

extern constinit const RoutingKind nca =
    routing_kind<Nca>("nca", "k-ary n-tree: up by random ports to a nearest common ancestor, then down",
                      "Dally & Towles, section 8.2.1", Survival::fixed_paths, "random");

}  // namespace faultline::routings
