// SPDX-License-Identifier: Apache-2.0
// The packets of a routing relation as flows: one network of arcs for each destination, all sharing the
// capacity of the channels.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "faultline/routing/relation.h"
#include "faultline/traffic/pattern.h"

namespace faultline {

/// Which of a relation's options packets may take.
enum class AdmittedTiers : std::uint8_t {
  lowest,        ///< while no channel goes down: those of the lowest tier alone
  all_at_start,  ///< the same at switches; sources choose among all that they are offered
  every,         ///< whatever may happen while channels go down
};

/// Where the packets of one destination may be and go. The first nodes are the sources that send to it, the
/// others the states of the relation that they can reach; nodes and arcs from which the destination cannot be
/// reached are kept.
struct FlowNetwork {
  static constexpr std::uint32_t arrived = ~std::uint32_t{0};
  struct Arc {
    std::uint32_t channel = 0;
    std::uint32_t next = arrived;  ///< a node
    double share =
        0;  ///< of the node's flow, when it takes every channel of the lowest tier with equal probability
  };
  std::vector<double> demands;  ///< by source: flits a cycle when every terminal sends one
  std::vector<std::uint32_t>
      offsets;  ///< CSR: the arcs of node v are arcs[offsets[v]] … arcs[offsets[v + 1] - 1]
  std::vector<Arc> arcs;
  /// All nodes, each after those that its arcs lead to, except for arcs that lead back (packets that may
  /// circle for ever).
  std::vector<std::uint32_t> nearest_first;
  bool is_acyclic = true;

  [[nodiscard]] std::size_t node_count() const { return offsets.size() - 1; }
  [[nodiscard]] std::span<const Arc> arcs_of(std::size_t node) const {
    return std::span(arcs).subspan(offsets[node], offsets[node + 1] - offsets[node]);
  }
};

/// TrafficPattern::share(); throws Error("traffic") for what is no fraction.
[[nodiscard]] double share_of(const TrafficPattern& pattern, const Topology& topology, TerminalId source,
                              TerminalId destination);

/// The network of `destination` and `pattern`, of which `sources` are those that are not silent.
[[nodiscard]] FlowNetwork flow_network(const RoutingRelation& relation, const TrafficPattern& pattern,
                                       std::span<const TerminalId> sources, TerminalId destination,
                                       AdmittedTiers tiers);

/// Sends the demands along the arcs, of which arc a takes shares[a] of its node's flow, and adds the flow on
/// each channel to `loads`. Returns the flow that arrives. Also ends for packets that may circle for ever:
/// what still moves then is negligible.
double spread(const FlowNetwork& network, std::span<const double> shares, std::vector<double>& loads);

/// The same with the networks' own shares.
double spread_evenly(const FlowNetwork& network, std::vector<double>& loads);

/// By node: the least sum of the channels' `lengths` (all positive) on a path to the destination; infinite if
/// there is none.
[[nodiscard]] std::vector<double> distances(const FlowNetwork& network, std::span<const double> lengths);

/// Demands that have a path, in flits a cycle, and the sum of each times the length of its path.
struct Sent {
  double flow = 0, cost = 0;
};

/// Sends every demand along its shortest path and adds what each channel carries to `loads`.
Sent send_shortest(const FlowNetwork& network, std::span<const double> lengths, std::vector<double>& loads);

}  // namespace faultline
