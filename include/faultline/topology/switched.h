// SPDX-License-Identifier: Apache-2.0
// Networks of switches with multi-homed terminals: switch-ring, switch-clique and switch-torus (paper 4).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faultline/topology/attachments.h"
#include "faultline/topology/topology.h"

#pragma GCC visibility push(default)
namespace faultline {

/// The switch network that multi-homed terminals are attached to.
struct SwitchNetwork {
  enum class Shape : std::uint8_t { ring, clique, torus };
  Shape shape = Shape::ring;
  std::uint32_t rows = 1;     ///< of a torus; otherwise 1
  std::uint32_t columns = 0;  ///< the switches of a ring or a clique

  [[nodiscard]] std::uint32_t switches() const { return rows * columns; }
  /// Pairs of switches, in the order of the links of the topology.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> links() const;
  /// Permutations of the switches that preserve the links, the identity first: rotations and reflections of
  /// each dimension. They form a group. Whether they also map terminals to terminals is not checked here.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> symmetries() const;
};

/// switch-ring, switch-clique and switch-torus: how the network was constructed.
class SwitchedLabelling final : public Labelling {
 public:
  static constexpr std::string_view needed =
      "attachments of a switched network (switch-ring, switch-clique, switch-torus)";
  SwitchedLabelling(SwitchNetwork switch_network, Attachments attached)
      : network(switch_network), attachments(std::move(attached)) {}
  [[nodiscard]] std::string_view name() const override { return needed; }

  SwitchNetwork network;
  Attachments attachments;
};

/// Throws std::logic_error for an attachment to a switch that the network does not have, and for more than
/// max_terminals switches.
void require_attachments(const SwitchNetwork& network, const Attachments& attachments);

/// Ports of a switch: those to other switches first, then its terminals in their order. Terminal links are
/// bidirectional. Throws Error("topology.terminals") for more than max_terminals,
/// Error("topology.degree") for more than 16 ports at each of so many, and as require_attachments().
[[nodiscard]] Topology build_switched(const SwitchNetwork& network, Attachments attachments,
                                      const std::string& name);

}  // namespace faultline
#pragma GCC visibility pop
