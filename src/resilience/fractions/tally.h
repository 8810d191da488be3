// SPDX-License-Identifier: Apache-2.0
// Sums over evaluated fault sets.
#pragma once

#include <optional>

#include "faultline/resilience/resilience.h"
#include "resilience/connections/lost_terminals.h"
#include "resilience/evaluate/fault_block.h"
#include "resilience/kernels/sums.h"

namespace faultline::survival {

struct Tally : Sums {
  // Where lost terminals are counted.
  std::uint64_t lost_terminals = 0;
  std::uint32_t worst_lost_terminals = 0;
  bool lost_terminals_exact = true;
  // Where it is found out.
  std::optional<std::uint64_t> disconnected;  ///< sets that no routing could tolerate

  using Sums::add;
  void add(const Verdicts& verdicts);
  void add(std::span<const LostCount> lost_terminals);
  void add(const Tally& other);
};

/// `total` fault sets there are of `faults` components; where `exhaustive`, they were evaluated in order,
/// else drawn. An exhaustive tally that lacks some of them gives bounds that hold whatever the missing ones
/// would give.
[[nodiscard]] FaultPoint summarise(const Tally& tally, std::uint32_t faults, const std::string& total,
                                   bool exhaustive, std::uint64_t terminals);

}  // namespace faultline::survival
