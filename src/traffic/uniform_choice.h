// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "faultline/base/error.h"
#include "faultline/base/random.h"
#include "faultline/topology/topology.h"

namespace faultline {

/// Uniform over all terminals but `source`. `random` is uniform over 32 bits; there must be at least two
/// terminals.
[[nodiscard]] inline TerminalId any_other_terminal(TerminalId source, std::uint32_t terminals,
                                                   std::uint32_t random) {
  const std::uint32_t chosen = below(random, terminals - 1);
  return TerminalId(chosen + (chosen >= source.value() ? 1 : 0));
}

/// The probability of any_other_terminal() being `destination`.
[[nodiscard]] inline double share_of_any_other(TerminalId source, TerminalId destination,
                                               std::uint32_t terminals) {
  return source == destination ? 0 : 1.0 / (terminals - 1);
}

/// Throws Error("traffic") for a network with fewer than two terminals.
inline void require_two_terminals(const Topology& topology, std::string_view pattern) {
  if (topology.terminal_count() < 2)
    throw Error("traffic", std::string(pattern),
                "needs at least two terminals; " + topology.name() + " has " +
                    std::to_string(topology.terminal_count()));
}

}  // namespace faultline
