// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/kind.h"
#include "routing/backtracking.h"

namespace faultline::routings {
namespace {

struct GoBackVc {
  std::uint32_t vcs = 8;
  static void fields(auto& field) {
    field("vcs", &GoBackVc::vcs, between(2, 32),
          "virtual channels per channel; a search that would need more fails");
  }
  static std::vector<GoBackVc> samples() { return {{}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const BacktrackingRelation>(context.topology, "go-back-vc", vcs);
  }
};

}  // namespace

extern constinit const RoutingKind go_back_vc =
    routing_kind<GoBackVc>("go-back-vc",
                           "MiKANT: as go-back, free of deadlock: a hop against the order up, across, down "
                           "takes the next virtual channel, and a head goes straight back to the switch "
                           "where another port can avoid the dead switch that it met",
                           "paper 3, go-back algorithm, as PAPERS.md reads it", Survival::fixed_paths,
                           "most-free", Knowledge::neighbours());

}  // namespace faultline::routings
