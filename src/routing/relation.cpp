// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/relation.h"

#include <stdexcept>

#include "faultline/routing/kind.h"

namespace faultline {

void RoutingRelation::inject(TerminalId source, TerminalId, RouteOptions& options) const {
  for (const ChannelId channel : topology_->injection(source)) options.push_back({.channel = channel});
}

std::uint64_t RoutingRelation::output_bits(SwitchId, TerminalId) const {
  throw std::logic_error("a relation was asked for output bits that it does not offer");
}

bool RoutingRelation::is_escape(const RouteState&, const RouteOption&, std::uint8_t) const { return true; }

std::uint64_t RoutingRelation::switching_elements(SwitchId at) const {
  return std::uint64_t{topology_->inputs(at).size()} * topology_->outputs(at).size();
}

const RoutingKind& find_routing(const Topology& topology, Description& description) {
  if (description.kind.empty()) description.kind = topology.default_routing();
  return find_kind(routing_kinds(), description);
}

RelationPtr build_healthy_relation(TopologyPtr topology, Description description, Switching switching) {
  const RoutingKind& kind = find_routing(*topology, description);
  const FaultSet none(*topology);
  return kind.build({std::move(topology), none, switching}, description);
}

OfferedRelation build_offered_relation(TopologyPtr topology, const Damage& damage, Description description,
                                       Switching switching) {
  const RoutingKind& kind = find_routing(*topology, description);
  if (!is_computed_anew(kind.survival, damage.knowledge, damage.source))
    return {build_healthy_relation(std::move(topology), std::move(description), switching), damage};
  return {kind.build({std::move(topology), damage.dead, switching}, description),
          {damage.dead, Knowledge::none(), damage.source}};
}

RelationPtr build_relation(TopologyPtr topology, const Damage& damage, Description description,
                           Switching switching, SourceOffers offers) {
  const RoutingKind& kind = find_routing(*topology, description);
  if (is_computed_anew(kind.survival, damage.knowledge, damage.source))
    return kind.build({std::move(topology), damage.dead, switching}, description);
  return admissible_relation(build_healthy_relation(std::move(topology), description, switching), damage,
                             offers);
}

RelationPtr build_relation(TopologyPtr topology, const FaultSet& known, Description description,
                           Switching switching) {
  if (known.empty()) return build_healthy_relation(std::move(topology), std::move(description), switching);
  return build_relation(std::move(topology), Damage{known}, std::move(description), switching);
}

}  // namespace faultline
