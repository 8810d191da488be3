// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/kind.h"
#include "routing/tree_relation.h"

namespace faultline::routings {
namespace {

struct NcaAdaptive {
  static void fields(auto&) {}
  static std::vector<NcaAdaptive> samples() { return {{}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const AnyUpPort>(context.topology, "nca-adaptive");
  }
};

}  // namespace

extern constinit const RoutingKind nca_adaptive = routing_kind<NcaAdaptive>(
    "nca-adaptive",
    "k-ary n-tree: up by the ports with most free buffer space to a nearest common ancestor, then down",
    "Dally & Towles, section 10.4", Survival::fixed_paths, "most-free");

}  // namespace faultline::routings
