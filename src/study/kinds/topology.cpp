// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "faultline/cost/cost.h"
#include "faultline/results/json.h"
#include "faultline/routing/kind.h"
#include "faultline/study/case.h"

namespace faultline::verbs {
namespace {

struct TopologyVerb {
  static void fields(auto&) {}
  static std::vector<TopologyVerb> samples() { return {{}}; }
  [[nodiscard]] nlohmann::ordered_json run(const CaseContext& context) const {
    return to_json(
        topology_figures(*build_relation(context.topology, FaultSet(*context.topology), context.routing)));
  }
};

}  // namespace

extern constinit const VerbKind topology =
    verb_kind<TopologyVerb>("topology", "what a network consists of, costs and promises by its shape");

}  // namespace faultline::verbs
