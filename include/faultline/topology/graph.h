// SPDX-License-Identifier: Apache-2.0
// Networks from graph files, and graph files from networks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faultline/formats/graph_file.h"
#include "faultline/topology/topology.h"

#pragma GCC visibility push(default)
namespace faultline {

/// What a graph file says of a network's parts beyond what a Topology holds.
class GraphLabelling final : public Labelling {
 public:
  static constexpr std::string_view needed = "attributes of a graph file (topology graph)";
  [[nodiscard]] std::string_view name() const override { return needed; }

  struct OfChannel {
    std::optional<double> length;                ///< metres
    std::optional<std::uint32_t> terminal_port;  ///< of an injection or ejection channel
    formats::GraphAttributes attributes;
  };
  std::vector<formats::GraphAttributes> switches, terminals;
  std::vector<OfChannel> channels;
};

struct GraphReading {
  std::string path;   ///< of the file, for errors
  std::string field;  ///< likewise
  /// If the file has no terminals: this many on each switch, on the ports after its cables.
  std::uint32_t terminals_per_switch = 1;
  /// For cables with a length and no flight time: how far a flit travels per cycle. Absent: they take one
  /// cycle.
  std::optional<double> metres_per_cycle;
};

/// Nodes without a type are switches. Switches and terminals are numbered in the order of the nodes, channels
/// in the order of the edges. A cable has one port number at a switch, for both directions; where the file
/// has none, the next that is free. Names are those of the file, otherwise the ids, with "switch " or
/// "terminal " before a number. Throws Error(field) with the line for a cable between two terminals or from a
/// switch to itself, for a port that is taken, and for more than max_terminals terminals or fewer than two.
[[nodiscard]] Topology network_of(const formats::GraphFile& graph, const std::string& name,
                                  const GraphReading& reading);

/// The number of terminals of that network, without building it.
[[nodiscard]] std::uint64_t terminals_of(const formats::GraphFile& graph, std::uint32_t terminals_per_switch);

/// Every switch, terminal and channel, so that network_of gives the same network: same names, ports, links,
/// flight times, positions in a drawing and numbers. Only links may get other numbers, where some order of
/// the channels of different roles does not begin them in the order of their numbers: in a relation file that
/// numbers them otherwise.
[[nodiscard]] formats::GraphFile graph_of(const Topology& topology);

}  // namespace faultline
#pragma GCC visibility pop
