// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/fault/fault_set.h"

#pragma GCC visibility push(default)
namespace faultline {

/// A network without its dead channels: what reaches what, whatever the routing. Terminals pass nothing on.
/// Refers to both as long as it lives.
class LivingNetwork {
 public:
  /// Throws Error for a `dead` of another network.
  LivingNetwork(const Topology& topology, const FaultSet& dead) : topology_(topology), dead_(dead) {
    dead.require_of(topology, "dead");
  }

  /// By terminal: whether `start` reaches it. Throws Error for a terminal that the network does not have, as
  /// does reaching().
  [[nodiscard]] std::vector<bool> reached_from(TerminalId start) const;
  /// Whether it reaches `end`.
  [[nodiscard]] std::vector<bool> reaching(TerminalId end) const;

  /// One terminal, the first, of those that reach, and are reached by, the same others because their living
  /// channels lead to and from the same strongly connected sets of switches. O(channels). In ascending order.
  [[nodiscard]] std::vector<TerminalId> representatives() const;

  /// Every terminal reaches every other; true if there is none. O(channels) where all of them reach each
  /// other by one switch, or some terminal has lost all its injection or ejection channels; else
  /// O(representatives * channels).
  [[nodiscard]] bool connects_all() const;

 private:
  enum class Direction : std::uint8_t { forwards, backwards };

  /// The terminals that are found from these switches.
  [[nodiscard]] std::vector<bool> search(std::vector<SwitchId> from, Direction direction) const;
  /// By switch: the number of the largest set that it is in of switches that all reach each other.
  [[nodiscard]] std::vector<std::uint32_t> switch_sets() const;
  /// Switches at the other ends of those of a terminal's channels that are alive.
  [[nodiscard]] std::vector<SwitchId> switches_of(TerminalId terminal, Direction direction) const;

  const Topology& topology_;
  const FaultSet& dead_;
};

}  // namespace faultline
#pragma GCC visibility pop
