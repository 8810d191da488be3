// SPDX-License-Identifier: Apache-2.0
// The least load of the busiest channel with which a routing relation can serve a traffic pattern: a maximum
// concurrent flow (Shahrokhi & Matula, 1990), its throughput written as a load.
#pragma once

#include <span>
#include <vector>

#include "simulate/ideal/flow_network.h"

namespace faultline {

/// The flow networks of all destinations.
class FlowNetworks {
 public:
  FlowNetworks(const RoutingRelation& relation, const TrafficPattern& pattern, AdmittedTiers tiers);

  template <class Visit>
  void for_each(Visit visit) const {
    for (const FlowNetwork& network : kept_) visit(network);
    for (std::size_t d = kept_.size(); d < destinations_; ++d) visit(build(TerminalId(d)));
  }
  /// Empty if they are too large to keep: then for_each() builds each of them again.
  [[nodiscard]] std::span<const FlowNetwork> kept() const;
  [[nodiscard]] std::size_t channel_count() const { return relation_.topology().channel_count(); }
  [[nodiscard]] std::size_t arc_count() const { return arc_count_; }

 private:
  [[nodiscard]] FlowNetwork build(TerminalId destination) const;

  const RoutingRelation& relation_;
  const TrafficPattern& pattern_;
  AdmittedTiers tiers_;
  std::vector<TerminalId> sources_;
  std::size_t destinations_;
  std::size_t arc_count_ = 0;
  std::vector<FlowNetwork> kept_;
};

/// What every channel carries, and the flow that arrives.
struct Routed {
  std::vector<double> loads;
  double flow = 0;
};

[[nodiscard]] Routed route_evenly(const FlowNetworks& networks);

/// Bounds of the least busiest load: no routing is below `low`, `best` has a busiest channel of `high`.
struct LoadBracket {
  double low = 0, high = 0;
  std::vector<double> best;  ///< loads, by channel

  [[nodiscard]] bool is_closed(double gap) const { return high - low <= gap * low; }
};

/// Routes everything over shortest paths. With the channels' lengths as weights, no routing has a weighted
/// mean load below theirs, and no busiest channel is below its weighted mean.
class ShortestRouting {
 public:
  explicit ShortestRouting(std::span<const double> lengths)
      : lengths_(lengths), routed_{std::vector<double>(lengths.size())} {}

  void add(const FlowNetwork& network);
  /// Raises `low`, after all networks have been added.
  void raise(LoadBracket& bracket) const;
  [[nodiscard]] const Routed& routed() const { return routed_; }

 private:
  std::span<const double> lengths_;
  Routed routed_;
  double cost_ = 0;
};

/// Raises `low` by shortest paths.
Routed raise(LoadBracket& bracket, const FlowNetworks& networks, std::span<const double> lengths);

/// No length is 0: otherwise a path round a cycle would cost nothing more.
inline constexpr double least_length = 1e-12;

/// Lengths that favour channels below the highest load: the multiplicative weights exp(steepness * load),
/// scaled so that the largest is 1.
[[nodiscard]] std::vector<double> weights(std::span<const double> loads, double steepness);

}  // namespace faultline
