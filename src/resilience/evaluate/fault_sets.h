// SPDX-License-Identifier: Apache-2.0
// Fault sets by number: all of them in order, or drawn.
#pragma once

#include <vector>

#include "faultline/fault/clusters.h"
#include "resilience/evaluate/fault_block.h"

namespace faultline::survival {

/// Sets first … first + lanes - 1 of the subsets of `faults` of `components`, in lexicographic order of their
/// sorted members. There must be at least that many; all counts of subsets must fit 64 bits.
void list_fault_sets(FaultBlock& block, std::uint32_t components, std::uint64_t first);

/// Draws uniformly random subsets; a set is a function of the seed, the number of faults and its own number.
class FaultSetSampler {
 public:
  FaultSetSampler(std::uint32_t components, std::uint64_t seed)
      : components_(components), seed_(seed), drawn_in_(components) {}

  /// Sets first … first + block.lanes - 1.
  void draw(FaultBlock& block, std::uint64_t first);
  /// The same, each within the cluster of a switch that is drawn first.
  void draw(FaultBlock& block, std::uint64_t first, const Clusters& clusters);

 private:
  static constexpr std::uint32_t batch = 16;  ///< sets whose random words are generated together
  /// `words` as PhiloxOf16Streams makes them, for `count` components; beyond them the stream's own are drawn.
  void draw_set(std::uint32_t* members, std::uint32_t faults, std::uint64_t stream,
                const std::uint32_t* words);

  std::uint32_t components_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> drawn_in_;  ///< by component: the draw that last took it
  std::uint32_t draw_ = 0;
  std::vector<std::uint32_t> spared_, words_;
};

}  // namespace faultline::survival
