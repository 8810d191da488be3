// SPDX-License-Identifier: Apache-2.0
// How many failed links does each of three networks of 64 terminals tolerate, and how likely are more of them
// to disconnect a pair?
#include <faultline/faultline.h>

#include <iostream>

using namespace faultline;

int main() try {
  for (const char* described : {"fat-tree:k=4,n=3", "ft-ruft-222:k=4,n=3", "torus:radix=8x8"}) {
    const TopologyPtr topology = build_topology(parse_compact("topology", described));
    const Resolved<RoutingKind> routing = routing_or_default({}, *topology);
    const RelationPtr relation = build_healthy_relation(topology, routing);
    const FaultComponents links(topology, FaultUnit::link, FaultScope::network);
    ResilienceStudy study(relation, routing.kind().survival,
                          links);  // compiled once, answers any number of questions
    const auto tolerated = study.tolerance().faults;
    std::cout << described << " with " << routing.kind().info.name << ": ";
    if (tolerated == 0)
      std::cout << "a single failed link can disconnect a pair\n";
    else
      std::cout << "every pair stays connected whichever " << tolerated << " of the links fail\n";
    for (const FaultPoint& point : study.fractions({.fault_counts = {2, 8}, .samples = 20'000}).points)
      std::cout << "  " << point.faults << " faults: " << 100 * point.intolerable_fraction << " % of "
                << point.sets << " fault sets disconnect a pair\n";
    const WorstFaults worst = study.worst(2);
    if (worst.components.empty()) {
      std::cout << "  no 2 failed links disconnect a pair\n";
      continue;
    }
    std::cout << "  2 failed links disconnect at most " << worst.bound << " pairs; " << worst.pairs_lost
              << " if these fail:\n";
    for (const std::string& link : worst.components) std::cout << "    " << link << '\n';
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
