// SPDX-License-Identifier: Apache-2.0
// A network compared with the hypercube of as many terminals (paper 3, relative cost performance to
// hypercube).
#pragma once

#include "faultline/cost/cost.h"

#pragma GCC visibility push(default)
namespace faultline {

/// The hypercube of N terminals: one terminal per switch, in m = log2 N dimensions. If m is not an integer,
/// the figures lie between those of two hypercubes.
struct HypercubeComparison {
  double dimensions = 0;             ///< m
  double switches = 0;               ///< N
  double links = 0;                  ///< N m / 2 + N, terminal links included
  double switch_ports = 0;           ///< N (m + 1)
  double average_distance = 0;       ///< m / 2 + 2 - 2 / N links, the self pair (0) included
  std::size_t own_switch_ports = 0;  ///< of the network compared
  /// Cost performance of the network relative to that of the hypercube. Cost: total switch ports.
  /// Performance: the inverse of the average distance. (ports of the hypercube × its distance) / (ports ×
  /// distance). The paper prints a curve and no formula; this one is ours.
  double cost_performance = 0;
};

/// `figures` of `topology`, with distances.
[[nodiscard]] HypercubeComparison compare_with_hypercube(const Topology& topology,
                                                         const TopologyFigures& figures);

}  // namespace faultline
#pragma GCC visibility pop
