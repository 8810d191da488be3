// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/legs.h"

#include <unordered_set>

#include "faultline/routing/admissible.h"
#include "faultline/routing/contract.h"
#include "faultline/routing/states.h"

namespace faultline {
namespace {

class Walk {
 public:
  explicit Walk(const RoutingRelation& relation) : topology_(relation.topology()), relation_(relation) {}

  void take(const RouteOption& option, bool may_choose) {
    const SwitchId to = relation_.intermediate(option.tag);
    // A packet whose first switch chooses the intermediate switch was injected without one.
    const bool only_injected =
        legs_.size() == 1 && topology_.role(legs_.front().channels.back()) == ChannelRole::injection;
    if (legs_.empty() || (to != legs_.back().to && !(only_injected && to.valid())))
      legs_.push_back({.to = to, .channels = {}, .may_choose = false});
    Leg& leg = legs_.back();
    leg.to = to;
    leg.channels.push_back(option.channel);
    leg.may_choose = leg.may_choose || may_choose;
  }
  [[nodiscard]] std::vector<Leg> legs() && { return std::move(legs_); }

 private:
  const Topology& topology_;
  const RoutingRelation& relation_;
  std::vector<Leg> legs_;
};

/// Whether two options of those a packet may take now differ in their channels, or in what they lead to.
bool may_choose(const RouteOptions& options) {
  for (const RouteOption& option : options)
    if (option.channel != options.front().channel || option.tag != options.front().tag) return true;
  return false;
}

}  // namespace

std::vector<Leg> legs_of(const RoutingRelation& relation, TerminalId source, TerminalId destination,
                         const FaultSet& dead) {
  const Topology& topology = relation.topology();
  topology.require(source, "source");
  topology.require(destination, "destination");
  dead.require_of(topology, "dead");
  const Contract asked(relation);
  Walk walk(relation);
  std::unordered_set<StateKey, StateKeyHash> seen;
  RouteOptions options;
  asked.inject(source, destination, options);
  for (keep_lowest_tier(options); !options.empty(); keep_lowest_tier(options)) {
    const RouteOption taken = options.front();
    walk.take(taken, may_choose(options));
    if (dead.failed(taken.channel) || topology.role(taken.channel) == ChannelRole::ejection) break;
    const RouteState state{topology.target(taken.channel), destination, taken.channel, first_vc(taken),
                           taken.tag};
    if (!seen.insert(key_of(relation, state)).second) break;
    options.clear();
    asked.route(state, options);
  }
  return std::move(walk).legs();
}

}  // namespace faultline
