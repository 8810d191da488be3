// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "faultline/simulate/clock.h"
#include "faultline/simulate/simulate.h"

namespace faultline {

/// How a run is cut into bins: bin 0 is the warm-up that the user asked for (possibly empty), the others are
/// `width` cycles each; the last may be shorter.
struct Timeline {
  /// With a stop rule a run ends at a bin's edge, and edges are multiples of this, so that an engine that
  /// works in windows of cycles can end exactly there; but not in a run of less than four times as many
  /// cycles.
  static constexpr Time edge_multiple = 60;

  Time warmup = 0;  ///< as requested; 0 if it is to be detected
  bool detect_warmup = true;
  Time width = 1;
  Time limit = 1;  ///< the run ends here at the latest

  /// The bins of a run of `spec` (checked and resolved()).
  [[nodiscard]] static Timeline of(const SimulationSpec& spec);

  [[nodiscard]] std::size_t bin(Time time) const {
    return time < warmup ? 0 : 1 + static_cast<std::size_t>((time - warmup) / width);
  }
  /// The cycle at which a bin ends; never beyond `limit`.
  [[nodiscard]] Time end_of(std::size_t bin) const;
  [[nodiscard]] std::size_t bin_count() const { return bin(limit - 1) + 1; }
};

}  // namespace faultline
