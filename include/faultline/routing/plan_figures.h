// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
namespace faultline {

/// Memory and mechanisms of sources that plan their packets' paths. Pairs are ordered pairs of different
/// switches; one may need several mechanisms.
struct PlanFigures {
  std::uint64_t pairs = 0;
  std::uint64_t direct = 0;         ///< by any shortest path, as without faults
  std::uint64_t intermediate = 0;   ///< via an intermediate switch
  std::uint64_t deterministic = 0;  ///< a leg with adaptivity off
  std::uint64_t misrouted = 0;      ///< a leg that begins with given directions
  std::uint64_t unserved = 0;
  double extra_hops_mean = 0;  ///< beyond the distance in the network without faults, over served pairs
  std::uint32_t extra_hops_max = 0;
  std::uint32_t header_bits = 0;
  std::uint64_t source_bits_max = 0;  ///< of the source that holds most: destination and header of each pair
                                      ///< that is not direct
  double source_bits_mean = 0;
  std::uint64_t source_table_bits = 0;  ///< of a source with a header for every destination
};

}  // namespace faultline
#pragma GCC visibility pop
