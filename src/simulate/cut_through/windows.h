// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "simulate/cut_through/network_state.h"
#include "simulate/measurement/timeline.h"

namespace faultline::cut_through {

/// Cycles that are run switch by switch, and by how many the terminals are ahead of the switches.
struct Windows {
  Time length;
  Time ahead;

  /// The longest that divide the multiple of which a stop rule's edges are, and such that a terminal knows
  /// all credits and letters of the cycles for which it decides.
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
