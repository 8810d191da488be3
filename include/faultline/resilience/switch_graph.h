// SPDX-License-Identifier: Apache-2.0
// A network of switches and two-way links as plain numbers, and what the failure of a component does to it.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "faultline/fault/components.h"

#pragma GCC visibility push(default)
namespace faultline::survival {

struct SwitchGraph {
  struct Attachment {
    std::uint32_t at, link;  ///< switch, and link of the topology
    friend auto operator<=>(const Attachment&, const Attachment&) = default;
  };
  std::uint32_t switches = 0;
  std::vector<std::array<std::uint32_t, 2>> links;  ///< between switches, by link of the topology
  std::vector<std::vector<Attachment>> terminals;   ///< in rising order of switches
};

/// Absent unless every link is a cable with both directions: else pairs in the same connected component are
/// not necessarily connected.
[[nodiscard]] std::optional<SwitchGraph> switch_graph(const Topology& topology);

/// What fails with a component. A channel takes its link with it: routings that need two-way links use
/// neither direction of a half-dead one.
struct FailedPart {
  enum class What : std::uint8_t { at_switch, network_link, terminal_link, terminal };
  What what = What::at_switch;
  std::uint32_t index = 0;     ///< of the switch, the link of the topology, or the terminal
  std::uint32_t terminal = 0;  ///< the terminal's link
};

[[nodiscard]] std::vector<FailedPart> failed_parts(const FaultComponents& components);

}  // namespace faultline::survival
#pragma GCC visibility pop
