// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "faultline/topology/topology.h"

namespace faultline::wormhole::planes {

/// Which region has which groups of switches and which terminals. Of each stage of the network (switches that
/// are equally far from where terminals inject) every region has an equal share, of neighbouring groups; a
/// terminal belongs to the region of its first injection switch.
struct Partition {
  /// `lanes` switches a group. Not more regions than there are groups.
  Partition(const Topology& topology, std::uint32_t lanes, std::uint32_t max_regions);

  [[nodiscard]] std::uint32_t regions() const { return static_cast<std::uint32_t>(groups.size()); }

  std::vector<std::uint8_t> by_group;              ///< its region
  std::vector<std::vector<std::uint32_t>> groups;  ///< by region
  std::vector<std::vector<TerminalId>> terminals;  ///< by region

 private:
  void deal(std::span<const std::uint32_t> stage);
  void deal_terminals(const Topology& topology, std::uint32_t lanes);
};

}  // namespace faultline::wormhole::planes
