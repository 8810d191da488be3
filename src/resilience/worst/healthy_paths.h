// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "faultline/fault/fault_set.h"

namespace faultline::survival {

/// Which terminals healthy channels connect, whatever the routing.
class HealthyPaths {
 public:
  explicit HealthyPaths(const Topology& topology) : topology_(topology) {}

  /// Every terminal has a path to every other. O(channels) where the switches at terminals reach each other,
  /// else O(terminals * channels).
  [[nodiscard]] bool connect_all(const FaultSet& dead);

 private:
  /// Marks the switches that `from` reaches or, `backwards`, that reach it.
  void mark(std::vector<SwitchId> from, const FaultSet& dead, bool backwards, std::vector<bool>& marked);
  [[nodiscard]] bool reaches_all(TerminalId source, const FaultSet& dead);

  const Topology& topology_;
  std::vector<bool> reached_, reaching_;  ///< by switch
};

}  // namespace faultline::survival
