// SPDX-License-Identifier: Apache-2.0
// When and where each terminal sends, as a function of (seed, source, sequence) alone.
#pragma once

#include <cmath>
#include <vector>

#include "faultline/base/random.h"
#include "faultline/simulate/simulate.h"
#include "simulate/clock.h"

namespace faultline {

/// A Bernoulli process a terminal: in each cycle a packet is generated with probability load / packet_flits.
class Arrivals {
 public:
  Arrivals(const TrafficPattern& pattern, const SimulationSpec& spec)
      : pattern_(pattern), seed_(spec.seed), per_log_(1 / std::log1p(-spec.load / spec.packet_flits)) {}

  [[nodiscard]] bool silent(TerminalId source) const { return pattern_.silent(source); }

  /// Cycle of packet `sequence`, given that of the one before it (-1 before the first); `never` when beyond
  /// any run.
  [[nodiscard]] Time time_of(TerminalId source, std::uint32_t sequence, Time before) const {
    const double skipped = std::floor(std::log(unit_interval(random(source, sequence))) * per_log_);
    const double time = static_cast<double>(before) + 1 + skipped;
    return time < max_cycles ? static_cast<Time>(time) : never;
  }

  [[nodiscard]] TerminalId destination(TerminalId source, std::uint32_t sequence) const {
    return pattern_.destination(source, mix(random(source, sequence)));
  }

 private:
  [[nodiscard]] std::uint64_t random(TerminalId source, std::uint32_t sequence) const {
    return mix(seed_, source.value(), sequence);
  }

  const TrafficPattern& pattern_;
  std::uint64_t seed_;
  double per_log_;
};

}  // namespace faultline
