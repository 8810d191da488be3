// SPDX-License-Identifier: Apache-2.0
// Verifying whole relations, in CPU time of one core: enumerating one of all destinations that automorphisms
// map onto each other, and, as the naive method, every destination.
#include <ctime>

#include "bench/figures.h"
#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"
#include "faultline/verify/verify.h"
#include "tests/support/plain_relation.h"

namespace faultline::bench {
namespace {

struct Case {
  const char *topology, *routing;
  bool with_naive;
};

}  // namespace

std::vector<Figure> verify_figures() {
  std::vector<Figure> figures;
  for (const Case& one : {Case{"fat-tree:k=8,n=4", "nca", true}, Case{"fat-tree:k=8,n=5", "nca", false},
                          Case{"fat-tree:k=16,n=4", "nca", false}, Case{"ft-ruft-222:k=8,n=4", "ruft", true},
                          Case{"torus:radix=8x8x8", "duato", true}}) {
    const TopologyPtr topology = build_topology(parse_compact("topology", one.topology));
    const RelationPtr relation = build_healthy_relation(topology, parse_compact("routing", one.routing));
    const FaultSet none(*topology);
    Verdict verdict;
    const auto seconds = [&](const RoutingRelation& asked) {
      const std::clock_t start = std::clock();
      verdict = verify(asked, none, {});
      return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    };
    const auto add = [&](const char* what, double value, const char* unit) {
      figures.push_back({"verify", std::string(one.topology) + " " + one.routing, what, value, unit});
    };
    const double spent = seconds(*relation);
    add("seconds", spent, "s");
    add("states", static_cast<double>(verdict.states) / spent, "1/s");
    if (one.with_naive)
      add("every destination enumerated / verify", seconds(Plain(relation)) / spent, "ratio");
  }
  return figures;
}

}  // namespace faultline::bench
