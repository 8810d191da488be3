// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "faultline/base/file.h"
#include "resilience/circuit/components_of_channel.h"
#include "resilience/circuit/paths.h"

namespace faultline::survival {

/// Every path of one pair of terminals. States and components are numbered in the order in which a search
/// from the source meets them, so that pairs with equivalent paths have equal graphs.
struct PairGraph {
  static constexpr std::uint32_t source = 0;
  static constexpr std::uint32_t sink = 1;

  /// Any of `count` components removes it: labels[first] …, ascending.
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
  /// Equal for equal graphs, and rarely for different ones.
  [[nodiscard]] Hash128 identity() const;
};

/// Searches for the graphs of one network's pairs, in memory that is used again.
class PairGraphs {
 public:
  PairGraphs(const Topology& topology, const ComponentsOfChannel& components)
      : topology_(topology), components_(components), number_of_(components.count(), unmet) {}

  /// The paths from `source`, one of the group's, to `destination`, one of the class's. Valid until the next
  /// call.
  const PairGraph& find(const DestinationClass& destinations, const SourceGroup& group, TerminalId source,
                        TerminalId destination);

 private:
  static constexpr std::uint32_t unmet = ~std::uint32_t{0};

  void append(std::uint32_t from, std::span<const Move> moves, const DestinationClass& destinations,
              TerminalId destination);
  std::uint32_t node(std::uint32_t state);
  void append_labels(ChannelId channel);
  void forget();

  const Topology& topology_;
  const ComponentsOfChannel& components_;
  PairGraph graph_;
  std::vector<std::uint32_t> node_of_;    // by state
  std::vector<std::uint32_t> number_of_;  // by component
  std::vector<std::uint32_t> found_;      // states
  std::vector<Component> met_;
  std::vector<Move> injections_;
};

}  // namespace faultline::survival
