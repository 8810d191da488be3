// SPDX-License-Identifier: Apache-2.0
#include "routing/methodology/planned_relation.h"

#include "routing/methodology/grid_plan_search.h"
#include "routing/ring_rule.h"

namespace faultline {

PlannedGridRelation::PlannedGridRelation(const TopologyPtr& topology, const Mechanisms& mechanisms,
                                         std::uint32_t adaptive_vcs, const FaultSet& known,
                                         std::string_view who)
    : RoutingRelation(topology),
      grid_(this->topology().labelling<CartesianLabelling>(who)),
      directions_(grid_),
      plans_(grid_, mechanisms, known, who),
      mechanisms_(mechanisms),
      adaptive_vcs_(adaptive_vcs) {
  for (const TerminalId terminal : topology->terminals()) {
    sends_.push_back(!known.failed(topology->injection(terminal).front()));
    receives_.push_back(!known.failed(topology->ejection(terminal).front()));
  }
}

void PlannedGridRelation::inject(TerminalId source, TerminalId destination, RouteOptions& options) const {
  const InjectionOffer offer = injection_offer(source, destination);
  if (offer.vcs != 0)
    options.push_back({.channel = topology().injection(source).front(), .vcs = offer.vcs, .tag = offer.tag});
}

Claim PlannedGridRelation::claim() const {
  return {
      .minimal = false, .deadlock_free = !grid_.wraps(), .deadlock_free_cut_through = true, .tolerates = {}};
}

std::vector<BubbleRing> PlannedGridRelation::bubble_rings() const {
  if (!grid_.wraps()) return {};
  std::vector<BubbleRing> rings;
  for (std::uint8_t vc = 0; vc < escape_vcs; ++vc)
    for (BubbleRing& ring : bubble_rings_of(topology(), grid_, vc)) rings.push_back(std::move(ring));
  return rings;
}

std::unique_ptr<PlanSearch> PlannedGridRelation::plan_search(std::string_view kernel) const {
  return kernel == "reference" ? make_plain_plan_search(shared_topology(), mechanisms_)
                               : make_grid_plan_search(shared_topology(), mechanisms_, kernel);
}

}  // namespace faultline
