// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "simulate/cut_through/buffer_state.h"
#include "simulate/measurement/timeline.h"

namespace faultline::cut_through {

/// A window: the cycles that the switches run without exchanging messages, and by how many cycles the
/// terminals run ahead of the switches.
struct Windows {
  Time length;
  Time ahead;

  /// Chooses the longest window that does not exceed the delays between switches, divides the distance
  /// between the edges of stop rules, and lets a terminal receive all credits and letters of the cycles for
  /// which it decides.
  explicit Windows(const Lookahead& lookahead)
      : length(std::min(lookahead.grant, Timeline::edge_multiple)), ahead(0) {
    for (;; --length) {
      ahead = std::max<Time>(0, length - lookahead.injection);
      if (Timeline::edge_multiple % length == 0 &&
          length + ahead <= std::min(lookahead.credit, lookahead.letter))
        return;
    }
  }
};

}  // namespace faultline::cut_through
