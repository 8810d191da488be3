// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/ejection_classes.h"
#include "faultline/routing/kind.h"
#include "routing/output_positions.h"
#include "routing/path_trees.h"

namespace faultline::routings {
namespace {

/// Any channel that brings the packet one hop nearer in the network that the known faults leave.
class ShortestPathRelation final : public RoutingRelation {
 public:
  ShortestPathRelation(TopologyPtr topology, FaultSet known)
      : RoutingRelation(std::move(topology)),
        known_(std::move(known)),
        classes_(this->topology(), known_),
        position_(output_positions(this->topology())) {
    for (const auto& ejection_switches : classes_.switches)
      distances_.push_back(HopsTo(this->topology(), known_, ejection_switches).hops);
    if (max_outputs(this->topology()) <= 64)
      for (const auto& distance : distances_) nearer_.push_back(nearer_outputs(distance));
  }

  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    const auto& distance = distances(destination);
    for (const ChannelId channel : topology().injection(source))
      if (!known_.failed(channel) && distance[topology().target(channel).index()] != unreachable)
        options.push_back({.channel = channel});
  }

  [[nodiscard]] InjectionOffer injection_offer(TerminalId source, TerminalId destination) const override {
    const auto& distance = distances(destination);
    for (const ChannelId channel : topology().injection(source))
      if (known_.failed(channel) || distance[topology().target(channel).index()] == unreachable) return {};
    return {1};
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
    for_each_nearer(topology(), known_, distance, state.at,
                    [&](ChannelId channel) { options.push_back({.channel = channel}); });
  }

  [[nodiscard]] bool offers_output_bits() const override { return !nearer_.empty(); }
  [[nodiscard]] std::uint64_t output_bits(SwitchId at, TerminalId destination) const override {
    const std::uint64_t nearer = nearer_[classes_.class_of[destination.index()]][at.index()];
    return nearer != 0 ? nearer : ejecting_outputs(at, destination);
  }

  [[nodiscard]] Claim claim() const override {
    return {.minimal = true, .deadlock_free = false, .deadlock_free_cut_through = false, .tolerates = {}};
  }

 private:
  static constexpr std::uint16_t unreachable = PathTrees::unreachable;

  [[nodiscard]] const std::vector<std::uint16_t>& distances(TerminalId destination) const {
    return distances_[classes_.class_of[destination.index()]];
  }

  /// By switch: the outputs that route() offers, except ejection channels, as output bits.
  [[nodiscard]] std::vector<std::uint64_t> nearer_outputs(const std::vector<std::uint16_t>& distance) const {
    std::vector<std::uint64_t> nearer(topology().switch_count());
    for (const SwitchId at : topology().switches())
      if (distance[at.index()] != unreachable)
        for_each_nearer(topology(), known_, distance, at, [&](ChannelId channel) {
          nearer[at.index()] |= std::uint64_t{1} << position_[channel.index()];
        });
    return nearer;
  }
  [[nodiscard]] std::uint64_t ejecting_outputs(SwitchId at, TerminalId destination) const {
    std::uint64_t found = 0;
    for (const ChannelId channel : topology().ejection(destination))
      if (topology().source(channel) == at && !known_.failed(channel))
        found |= std::uint64_t{1} << position_[channel.index()];
    return found;
  }

  FaultSet known_;
  EjectionClasses classes_;
  std::vector<std::uint16_t> position_;                // by channel: among the outputs of its switch
  std::vector<std::vector<std::uint16_t>> distances_;  // by class, then by switch: hops to the nearest end
  std::vector<std::vector<std::uint64_t>> nearer_;     // the same: output bits; empty if they do not fit
};

struct ShortestPath {
  static constexpr std::uint32_t table_bytes = 10;  // hops and output bits
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
