// SPDX-License-Identifier: Apache-2.0
#include "routing/destination_classes.h"

#include <algorithm>

#include "faultline/routing/alike.h"
#include "faultline/routing/ejection_classes.h"

namespace faultline {

DestinationClasses DestinationClasses::of_single(const Topology& topology) {
  DestinationClasses classes;
  for (const TerminalId terminal : topology.terminals()) {
    classes.class_of.push_back(terminal.value());
    classes.first.push_back(terminal);
  }
  return classes;
}

DestinationClasses DestinationClasses::of_alike(const RoutingRelation& relation, const FaultSet& dead) {
  const Topology& topology = relation.topology();
  const AlikeDestinations routes(relation);
  if (!routes.applicable()) return of_single(topology);
  const EjectionClasses ejected(topology, dead);
  std::vector<SwitchId> switches;
  for (const SwitchId at : topology.switches()) switches.push_back(at);

  DestinationClasses classes;
  std::vector<std::vector<std::uint32_t>> of_ejection(ejected.switches.size());
  for (const TerminalId terminal : topology.terminals()) {
    std::vector<std::uint32_t>& known = of_ejection[ejected.class_of[terminal.index()]];
    auto same = std::ranges::find_if(
        known, [&](std::uint32_t number) { return routes.alike(switches, classes.first[number], terminal); });
    if (same == known.end()) {
      known.push_back(static_cast<std::uint32_t>(classes.first.size()));
      classes.first.push_back(terminal);
      same = known.end() - 1;
    }
    classes.class_of.push_back(*same);
  }
  return classes;
}

}  // namespace faultline
