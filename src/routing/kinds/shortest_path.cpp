// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "faultline/routing/ejection_classes.h"
#include "faultline/routing/kind.h"

namespace faultline::routings {
namespace {

/// Any channel that brings the packet one hop nearer in the network that the known faults leave.
class ShortestPathRelation final : public RoutingRelation {
 public:
  ShortestPathRelation(TopologyPtr topology, FaultSet known)
      : RoutingRelation(std::move(topology)), known_(std::move(known)), classes_(this->topology(), known_) {
    for (const auto& ejection_switches : classes_.switches)
      distances_.push_back(distances_to(ejection_switches));
  }

  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    const auto& distance = distances(destination);
    for (const ChannelId channel : topology().injection(source))
      if (!known_.failed(channel) && distance[topology().target(channel).index()] != unreachable)
        options.push_back({.channel = channel});
  }

  void route(const RouteState& state, RouteOptions& options) const override {
    const auto& distance = distances(state.destination);
    const std::uint16_t here = distance[state.at.index()];
    if (here == unreachable) return;
    if (here == 0) {
      for (const ChannelId channel : topology().ejection(state.destination))
        if (topology().source(channel) == state.at && !known_.failed(channel))
          options.push_back({.channel = channel});
      return;
    }
    for (const ChannelId channel : topology().outputs(state.at))
      if (!known_.failed(channel) && topology().role(channel) == ChannelRole::network &&
          distance[topology().target(channel).index()] + 1 == here)
        options.push_back({.channel = channel});
  }

  [[nodiscard]] Claim claim() const override {
    return {.minimal = true, .deadlock_free = false, .deadlock_free_cut_through = false, .tolerates = {}};
  }

 private:
  static constexpr std::uint16_t unreachable = std::numeric_limits<std::uint16_t>::max();

  [[nodiscard]] const std::vector<std::uint16_t>& distances(TerminalId destination) const {
    return distances_[classes_.class_of[destination.index()]];
  }

  [[nodiscard]] std::vector<std::uint16_t> distances_to(const std::vector<SwitchId>& ends) const {
    std::vector<std::uint16_t> distance(topology().switch_count(), unreachable);
    std::vector<SwitchId> queue(ends);
    for (const SwitchId end : ends) distance[end.index()] = 0;
    for (std::size_t next = 0; next < queue.size(); ++next)
      for (const ChannelId channel : topology().inputs(queue[next])) {
        const SwitchId before = topology().source(channel);
        if (!before.valid() || known_.failed(channel) || distance[before.index()] != unreachable) continue;
        distance[before.index()] = static_cast<std::uint16_t>(distance[queue[next].index()] + 1);
        queue.push_back(before);
      }
    return distance;
  }

  FaultSet known_;
  EjectionClasses classes_;
  std::vector<std::vector<std::uint16_t>> distances_;  // by class, then by switch: hops to the nearest end
};

struct ShortestPath {
  static constexpr std::uint32_t table_bytes = 2;  // hops
  static void fields(auto&) {}
  static std::vector<ShortestPath> samples() { return {{}}; }
  [[nodiscard]] RelationPtr build(const RoutingContext& context) const {
    return std::make_shared<const ShortestPathRelation>(context.topology, context.known);
  }
};

}  // namespace

extern constinit const RoutingKind shortest_path = routing_kind<ShortestPath>(
    "shortest-path", "any topology: every shortest path that the faults leave; may deadlock",
    "Dally & Towles, section 8.4", Survival::any_path, "most-free");

}  // namespace faultline::routings
