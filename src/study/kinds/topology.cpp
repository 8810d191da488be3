// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <nlohmann/json.hpp>

#include "faultline/cost/cost.h"
#include "faultline/results/json.h"
#include "faultline/routing/kind.h"
#include "faultline/study/case.h"

namespace faultline::verbs {
namespace {

struct TopologyVerb {
  bool all_distances = false;

  static void fields(auto& field) {
    field("all-distances", &TopologyVerb::all_distances, {},
          "find diameter and average distance however long it takes (default: where a few minutes will do)");
  }
  static std::vector<TopologyVerb> samples() { return {{}}; }
  [[nodiscard]] nlohmann::ordered_json run(const CaseContext& context) const {
    FiguresSpec spec{.progress = context.progress, .stop = context.stop};
    if (all_distances) spec.most_distance_steps = std::numeric_limits<std::uint64_t>::max();
    return to_json(topology_figures(
        *build_relation(context.topology, FaultSet(*context.topology), context.routing), spec));
  }
};

}  // namespace

extern constinit const VerbKind topology =
    verb_kind<TopologyVerb>("topology", "what a network consists of, costs and promises by its shape");

}  // namespace faultline::verbs
