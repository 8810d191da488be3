// SPDX-License-Identifier: Apache-2.0
#include "simulate/hops_to_go.h"

#include <algorithm>
#include <limits>

#include "faultline/routing/based_relation.h"
#include "faultline/routing/contract.h"

namespace faultline {
namespace {

class WithCosts final : public BasedRelation {
 public:
  WithCosts(const RoutingRelation& base, const HopsToGo& hops) : BasedRelation(base), hops_(hops) {}

  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    const std::size_t first = options.size();
    BasedRelation::inject(source, destination, options);
    add_costs(destination, options, first);
  }
  void route(const RouteState& state, RouteOptions& options) const override {
    const std::size_t first = options.size();
    BasedRelation::route(state, options);
    add_costs(state.destination, options, first);
  }

 private:
  void add_costs(TerminalId destination, RouteOptions& options, std::size_t first) const {
    for (std::size_t i = first; i < options.size(); ++i)
      if (options[i].cost == 0) options[i].cost = hops_.by(options[i].channel, destination);
  }

  const HopsToGo& hops_;
};

/// Whether the injection options have a cost, of a pair that has any.
bool knows_costs(const RoutingRelation& relation) {
  const Topology& topology = relation.topology();
  const Contract contract(relation);
  RouteOptions options;
  for (const TerminalId source : topology.terminals())
    for (const TerminalId destination : topology.terminals()) {
      if (source == destination) continue;
      contract.inject(source, destination, options);
      if (!options.empty())
        return std::ranges::all_of(options, [](const RouteOption& option) { return option.cost != 0; });
    }
  return false;
}

}  // namespace

HopsToGo::HopsToGo(const Topology& topology, const FaultSet& dead)
    : topology_(topology),
      classes_(topology, dead),
      from_(classes_.switches.size() * topology.switch_count()) {
  std::vector<SwitchId> queue;
  for (std::size_t one = 0; one < classes_.switches.size(); ++one) {
    const auto hops = from_.begin() + static_cast<std::ptrdiff_t>(one * topology.switch_count());
    queue = classes_.switches[one];
    for (const SwitchId end : queue) hops[end.value()] = 1;
    for (std::size_t next = 0; next < queue.size(); ++next)
      for (const ChannelId channel : topology.inputs(queue[next])) {
        const SwitchId from = topology.source(channel);
        if (!from.valid() || dead.failed(channel) || hops[from.value()] != 0) continue;
        const std::uint16_t here = hops[queue[next].value()];
        if (here >= std::numeric_limits<std::uint16_t>::max() - 1) continue;  // by() counts one more
        hops[from.value()] = static_cast<std::uint16_t>(here + 1);
        queue.push_back(from);
      }
  }
}

std::uint16_t HopsToGo::by(ChannelId channel, TerminalId destination) const {
  const SwitchId next = topology_.target(channel);
  if (!next.valid()) return 1;  // the ejection channel
  const std::uint16_t rest =
      from_[classes_.class_of[destination.index()] * topology_.switch_count() + next.index()];
  return rest == 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(rest + 1);
}

RelationForSelection::RelationForSelection(const RoutingRelation& relation, SimulationSpec& spec)
    : relation_(relation) {
  if (!spec.selection.reads_cost || knows_costs(relation)) return;
  const bool knows_dead = spec.faults.dead && !spec.faults.unseen;
  hops_ = std::make_unique<HopsToGo>(relation.topology(),
                                     knows_dead ? *spec.faults.dead : FaultSet(relation.topology()));
  with_costs_ = std::make_shared<WithCosts>(relation, *hops_);
  for (Rerouting& rerouting : spec.faults.reroutings) {
    later_.push_back(rerouting.relation);
    rerouting.relation = std::make_shared<WithCosts>(*later_.back(), *hops_);
  }
}

}  // namespace faultline
