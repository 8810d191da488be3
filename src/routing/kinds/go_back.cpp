// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/kind.h"
#include "routing/backtracking.h"

namespace faultline::routings {
namespace {

struct GoBack {
  static void fields(auto&) {}
  static std::vector<GoBack> samples() { return {{}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const BacktrackingRelation>(context.topology, "go-back", 1);
  }
};

}  // namespace

extern constinit const RoutingKind go_back = routing_kind<GoBack>(
    "go-back",
    "MiKANT: as all-port; with no live port forward, goes back one hop and tries another port; one virtual "
    "channel, may deadlock",
    "paper 3, go-back algorithm", Survival::fixed_paths, "most-free", Knowledge::neighbours());

}  // namespace faultline::routings
