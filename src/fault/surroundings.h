// SPDX-License-Identifier: Apache-2.0
// Which components lie around a switch.
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/fault/components.h"

namespace faultline {

/// Finds the components around one switch after the other, by a search that ends as soon as there are enough.
/// The components must outlive it.
class Surroundings {
 public:
  explicit Surroundings(const FaultComponents& components);

  /// Appends the components all of whose ends are within `radius` hops of the centre, the nearest first; if
  /// there are fewer than `least`, those within as many hops as it takes.
  void around(SwitchId centre, std::uint32_t radius, std::size_t least, std::vector<std::uint32_t>& members);

 private:
  /// Takes the components that end here, and finds the switches one hop further, in either direction.
  void visit(SwitchId at, std::vector<std::uint32_t>& members);

  const FaultComponents& components_;
  std::vector<std::uint32_t> ends_, missing_;   // by component: its switches, and those not found yet
  std::vector<std::vector<std::uint32_t>> at_;  // by switch: the components that end there
  std::vector<bool> is_found_;                  // by switch
  std::vector<SwitchId> found_;
};

}  // namespace faultline
