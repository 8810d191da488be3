// SPDX-License-Identifier: Apache-2.0
// Cost of a network, and the figures that depend on its topology alone.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "faultline/base/progress.h"
#include "faultline/base/stop.h"
#include "faultline/routing/relation.h"

#pragma GCC visibility push(default)
namespace faultline {

struct TopologyFigures {
  std::size_t terminals = 0, switches = 0;
  std::size_t channels = 0, links = 0;  ///< terminal channels and links included
  std::size_t network_channels = 0, injection_channels = 0, ejection_channels = 0;
  std::size_t min_switch_radix = 0, max_switch_radix = 0;  ///< ports: the larger of inputs and outputs
  std::uint64_t switching_elements = 0;  ///< paper 1, section 3.1.1 and Table 3: for this routing
  bool has_distances = false;  ///< otherwise pairs are unconnected, or it would have taken too many steps
  std::uint64_t unconnected_pairs = 0;  ///< ordered pairs of terminals without a path; 0 if not examined
  std::pair<TerminalId, TerminalId> unconnected;  ///< the first of them, if there are any
  std::uint64_t distance_steps = 0;               ///< needed to find the distances
  std::uint32_t diameter = 0;                     ///< links from terminal to terminal
  double average_distance = 0;             ///< links, over all ordered pairs, the self pair (0) included
  std::optional<std::uint64_t> bisection;  ///< absent for networks of more than 2^18 channels
  bool bisection_exact = false;            ///< otherwise an upper bound
};

struct FiguresSpec {
  /// Channels examined in the searches for distances; about 10^8 take a second.
  std::uint64_t max_distance_steps = std::uint64_t{1} << 34;
  Progress progress;
  StopFlag stop = nullptr;  ///< once set, Stopped is thrown
};

/// Channels that topology_figures() examines to find the distances of such a network.
[[nodiscard]] std::uint64_t distance_steps(const Topology& topology);

/// Distances count shortest paths of the topology, whichever paths the routing takes; in k-ary n-trees, tori
/// and hypercubes, which look the same from every terminal, they are measured from one of them.
[[nodiscard]] TopologyFigures topology_figures(const RoutingRelation& relation, const FiguresSpec& spec = {});

/// Channels that carry traffic from one half of the terminals to the other when all other channels are free:
/// the smallest maximum flow over the splits of the terminal numbers into halves by alternating blocks of s,
/// for every s that divides evenly, into a first and a second half, in grids also by the coordinates with
/// each dimension first, and into the half nearest to a terminal and the rest, for 16 terminals. The channels
/// of terminals count too. An upper bound of the true bisection; exact, without the last of these, for trees,
/// and for meshes, tori and hypercubes whose largest radix is even (Dally & Towles, section 3.3).
/// Throws Stopped once `stop` is set.
[[nodiscard]] std::uint64_t bisection_channels(const Topology& topology, StopFlag stop = nullptr);

}  // namespace faultline
#pragma GCC visibility pop
