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
  Partition(const Topology& topology, std::uint32_t lanes, std::uint32_t most_regions);

  [[nodiscard]] std::uint32_t regions() const { return static_cast<std::uint32_t>(groups.size()); }

  std::vector<std::uint8_t> by_group;              ///< its region
  std::vector<std::vector<std::uint32_t>> groups;  ///< by region
  std::vector<std::vector<TerminalId>> terminals;  ///< by region
  bool divides_terminals = false;                  ///< some inject at switches of several regions

  /// Injection channels of a region that are consecutive, and where their bytes are among those of all: no
  /// register that is loaded from the bytes of one region extends into another's.
  struct Injections {
    std::uint32_t first = 0, count = 0, offset = 0;  ///< numbered from the first injection channel
  };
  std::vector<std::vector<Injections>> injections;  ///< by region
  std::uint32_t injection_bytes = 0;                ///< of all of them

 private:
  void deal(std::span<const std::uint32_t> stage);
  [[nodiscard]] std::vector<std::uint8_t> deal_terminals(const Topology& topology, std::uint32_t lanes);
  void lay_out_injections(const std::vector<std::uint8_t>& by_injection);
};

}  // namespace faultline::wormhole::planes
