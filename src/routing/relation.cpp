// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/relation.h"

#include <algorithm>
#include <stdexcept>

#include "faultline/routing/kind.h"

namespace faultline {
namespace {

RelationPtr build(TopologyPtr topology, const FaultSet& dead, const Resolved<RoutingKind>& routing,
                  Switching switching) {
  RelationPtr built = routing.kind().build({std::move(topology), dead, switching}, routing.parameters());
  if (built == nullptr) throw std::logic_error("the routing " + to_compact(routing) + " built nothing");
  return built;
}

}  // namespace

void RoutingRelation::inject(TerminalId source, TerminalId, RouteOptions& options) const {
  for (const ChannelId channel : topology_->injection(source)) options.push_back({.channel = channel});
}

std::uint64_t RoutingRelation::output_bits(SwitchId, TerminalId) const {
  throw std::logic_error("a relation that offers_output_bits() must override output_bits()");
}

OutputSets RoutingRelation::output_sets(SwitchId, TerminalId, Tag) const {
  throw std::logic_error("a relation that offers_output_sets() must override output_sets()");
}

bool RoutingRelation::is_escape(const RouteState&, const RouteOption&, std::uint8_t) const { return true; }

std::uint64_t RoutingRelation::switching_elements(SwitchId at) const {
  return std::uint64_t{topology_->inputs(at).size()} * topology_->outputs(at).size();
}

Resolved<RoutingKind> routing_or_default(const Resolved<RoutingKind>& asked, const Topology& topology) {
  if (!asked.is_none()) return asked;
  Description own = asked.description();
  if (own.path.empty()) own.path = "routing";
  own.kind = topology.default_routing();
  const auto name = [](const RoutingKind* kind) { return kind->info.name; };
  const auto kinds = routing_kinds();
  const auto kind = std::ranges::find(kinds, topology.default_routing(), name);
  if (kind == kinds.end())
    throw std::logic_error(topology.name() + ": names the default routing '" +
                           std::string(topology.default_routing()) + "', which is no routing");
  return Named(**kind, std::move(own));
}

RelationPtr build_healthy_relation(TopologyPtr topology, const Resolved<RoutingKind>& routing,
                                   Switching switching) {
  const Resolved<RoutingKind> found = routing_or_default(routing, *topology);
  const FaultSet none(*topology);
  return build(std::move(topology), none, found, switching);
}

OfferedRelation build_offered_relation(TopologyPtr topology, const Damage& damage,
                                       const Resolved<RoutingKind>& routing, Switching switching) {
  damage.dead.require_of(*topology, "routing.faults");
  const Resolved<RoutingKind> found = routing_or_default(routing, *topology);
  if (!is_computed_anew(found.kind().survival, damage.knowledge, damage.source))
    return {build_healthy_relation(std::move(topology), found, switching), damage};
  return {build(std::move(topology), damage.dead, found, switching),
          {damage.dead, Knowledge::none(), damage.source}};
}

RelationPtr build_relation(TopologyPtr topology, const Damage& damage, const Resolved<RoutingKind>& routing,
                           Switching switching, SourceOffers offers) {
  damage.dead.require_of(*topology, "routing.faults");
  const Resolved<RoutingKind> found = routing_or_default(routing, *topology);
  if (is_computed_anew(found.kind().survival, damage.knowledge, damage.source))
    return build(std::move(topology), damage.dead, found, switching);
  return admissible_relation(build_healthy_relation(std::move(topology), found, switching), damage, offers);
}

RelationPtr build_relation(TopologyPtr topology, const FaultSet& known, const Resolved<RoutingKind>& routing,
                           Switching switching) {
  known.require_of(*topology, "routing.faults");
  if (known.empty()) return build_healthy_relation(std::move(topology), routing, switching);
  return build_relation(std::move(topology), Damage{known}, routing, switching);
}

}  // namespace faultline
