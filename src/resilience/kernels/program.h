// SPDX-License-Identifier: Apache-2.0
// A circuit laid out for evaluation: what every kernel reads.
#pragma once

#include <cstdint>
#include <vector>

#include "resilience/kernels/operations.h"

namespace faultline::survival {

/// A circuit (circuit/lower.h makes it) in the words of operations.h.
struct Program {
  std::uint32_t components = 0;
  std::uint32_t pattern_rows = 0;  ///< slots components + 1 …: lanes that have a terminal of the pattern
  std::uint32_t slots = 0;
  std::vector<std::uint32_t> code;
  std::vector<std::uint32_t> tails;  ///< of wide gates
  std::vector<Code::Section> sections;
  std::vector<std::uint64_t> pairs;     ///< lost where an output fails
  std::uint64_t pairs_never_alive = 0;  ///< lost whatever is alive
  std::vector<std::uint32_t> kept;      ///< slots of the nodes to keep, after a run; no_slot: never true
  static constexpr std::uint32_t no_slot = ~std::uint32_t{0};
};

}  // namespace faultline::survival
