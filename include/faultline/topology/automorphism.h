// SPDX-License-Identifier: Apache-2.0
// Renamings of a network's parts that leave the network unchanged.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "faultline/topology/topology.h"

#pragma GCC visibility push(default)
namespace faultline {

/// The image of each switch, terminal and channel.
struct Automorphism {
  std::vector<SwitchId> switches;
  std::vector<TerminalId> terminals;
  std::vector<ChannelId> channels;
};

/// The renaming under which output port p of switch s becomes port `port`(s, p) of switch `at`(s), and the
/// i-th injection channel of terminal t the i-th of `terminal`(t). The result need not be an automorphism:
/// channels whose image does not exist stay invalid.
[[nodiscard]] Automorphism renaming(const Topology& topology, const std::function<SwitchId(SwitchId)>& at,
                                    const std::function<TerminalId(TerminalId)>& terminal,
                                    const std::function<std::uint32_t(SwitchId, std::uint32_t)>& port);

/// Whether every image exists, no two are equal, and each channel's image has the same role and connects
/// the images of its ends. O(channels).
[[nodiscard]] bool is_automorphism(const Topology& topology, const Automorphism& one);

/// The smallest number of applications, at least 1, that bring every channel back to itself; 0 where it
/// exceeds `most`. O(channels).
[[nodiscard]] std::uint64_t order_of(const Automorphism& one, std::uint64_t most);

}  // namespace faultline
#pragma GCC visibility pop
