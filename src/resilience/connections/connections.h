// SPDX-License-Identifier: Apache-2.0
// Which terminals can reach which, for each fault set of a block.
#pragma once

#include <memory>
#include <vector>

#include "resilience/evaluate/evaluator.h"

namespace faultline::survival {

/// Terminals grouped by which terminals they reach and are reached by: two of one group differ, under any
/// fault set, only by failures of their own channels.
struct TerminalGroups {
  std::vector<std::vector<TerminalId>> members;       ///< by group
  std::vector<std::uint32_t> group_of;                ///< by terminal
  std::vector<std::vector<std::uint32_t>> in_class;   ///< by class of destinations: its groups
  std::vector<std::uint32_t> class_of;                ///< by group: its class
  std::vector<std::vector<std::uint32_t>> connected;  ///< by class and group as source: a kept node, or none
  static constexpr std::uint32_t none = ~std::uint32_t{0};  ///< no such pair
};

/// What is compiled once, for all threads.
struct CompiledConnections {
  Program program;
  TerminalGroups groups;
  /// By component: terminals that its failure disconnects through their own channels.
  std::vector<std::vector<TerminalId>> cut_off;
};

/// Throws Error("resilience.lost") if there would be too many pairs to examine one by one.
[[nodiscard]] std::shared_ptr<const CompiledConnections> compile_connections(const Subject& subject);

/// Used by one thread at a time.
class Connections {
 public:
  explicit Connections(std::shared_ptr<const CompiledConnections> compiled);

  /// Two different terminals of the two groups are not connected both ways.
  struct Gap {
    std::uint32_t one, other;  ///< one <= other
    friend auto operator<=>(const Gap&, const Gap&) = default;
  };

  /// The following calls refer to this block, of at most as many sets as the fastest kernel has lanes.
  void load(const FaultBlock& block);
  /// The gaps of one set, each once, in rising order.
  void gaps(std::uint32_t lane, std::vector<Gap>& result) const;
  /// By group, the members that still have their own channels.
  void members_left(std::span<const std::uint32_t> failed, std::vector<std::uint32_t>& result);

  [[nodiscard]] const TerminalGroups& groups() const { return compiled_->groups; }

 private:
  struct Broken {
    std::uint32_t group, destinations, slot;
  };

  std::shared_ptr<const CompiledConnections> compiled_;
  const Kernel& kernel_;
  Rows values_, intact_;
  std::vector<Broken> broken_;    // in some set of the block
  std::vector<bool> is_cut_off_;  // by terminal
};

}  // namespace faultline::survival
