// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "resilience/circuit/components_of_channel.h"
#include "resilience/circuit/paths.h"

namespace faultline::survival {

/// Every path of one pair of terminals. States and components are numbered as a search from the source meets
/// them, so that pairs whose paths look alike have equal graphs.
struct PairGraph {
  static constexpr std::uint32_t source = 0;
  static constexpr std::uint32_t sink = 1;

  /// Any of `count` components takes it away: labels[first] …, in rising order.
  struct Edge {
    std::uint32_t from = source, to = sink;
    std::uint32_t first = 0, count = 0;
  };
  /// Where a component was met: the entry `index` of ComponentsOfChannel::of(channel).
  struct Met {
    ChannelId channel;
    std::uint32_t index = 0;
  };

  std::uint32_t nodes = 2;
  std::vector<Edge> edges;
  std::vector<std::uint32_t> labels;
  std::vector<Met> components;

  [[nodiscard]] std::span<const std::uint32_t> components_of(const Edge& edge) const {
    return std::span(labels).subspan(edge.first, edge.count);
  }
  /// Equal for equal graphs (a 128-bit hash otherwise).
  [[nodiscard]] std::string identity() const;
};

/// The paths from `source`, one of the group's, to `destination`, one of the class's.
[[nodiscard]] PairGraph pair_graph(const Topology& topology, const ComponentsOfChannel& components,
                                   const DestinationClass& destinations, const SourceGroup& group,
                                   TerminalId source, TerminalId destination);

}  // namespace faultline::survival
