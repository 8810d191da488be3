// SPDX-License-Identifier: Apache-2.0
// How many cycles a run takes.
#pragma once

#include "faultline/simulate/clock.h"
#include "faultline/simulate/packet_sizes.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Cycles of a run of `spec` (resolved()), warm-up included. Where a stop rule ends it: with packets per
/// source, as many as these take if all of them are accepted; else as many as it gives up after.
[[nodiscard]] double expected_cycles(const SimulationSpec& spec);

/// The longest warm-up of a run of so many cycles; 0: of one whose length was not given.
[[nodiscard]] inline std::uint64_t longest_warmup(std::uint64_t cycles) {
  return cycles == 0 ? static_cast<std::uint64_t>(max_cycles) / 2 : cycles - 1;
}

}  // namespace faultline
#pragma GCC visibility pop
