// SPDX-License-Identifier: Apache-2.0
// Better attachments by exchanging the switches of two terminals.
#pragma once

#include "faultline/design/switches.h"

namespace faultline::design {

/// The losses over all sets of one number of faults: less is better, compared from left to right.
struct Objective {
  std::uint32_t worst = 0;
  std::uint64_t worst_sets = 0;  ///< that lose as many
  std::uint64_t lost = 0;        ///< added up over all sets
  friend auto operator<=>(const Objective&, const Objective&) = default;
};

struct SearchSpec {
  std::uint32_t faults = 0;
  FaultUnits units = FaultUnit::switch_;
  std::uint32_t steps = 0;
  std::uint64_t seed = 0;
  StopFlag stop = nullptr;
};

struct Found {
  Attachments attachments;
  Objective before, after;
};

/// Starts from `attachments`, and never ends with worse ones, neither by the objective nor by the worst case
/// of fewer faults. Every switch keeps its number of terminals. A function of the seed, unless it is stopped.
[[nodiscard]] Found improve(const SwitchNetwork& network, Attachments attachments, const SearchSpec& spec);

}  // namespace faultline::design
