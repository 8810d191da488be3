// SPDX-License-Identifier: Apache-2.0
// Where the switches of a group read what their neighbours and terminals have sent.
#pragma once

#include <vector>

#include "simulate/kernels/vector_state.h"
#include "simulate/planes/wiring.h"
#include "simulate/switches/huge_pages.h"

namespace faultline::wormhole::planes {

struct SenderLayout;

/// The pulls of groups of `lanes` switches.
struct Pulls {
  Pulls(const Topology& topology, const Wiring& wiring, const Timing& timing, std::uint32_t lanes,
        bool permutes, const SenderLayout& senders);

  std::vector<PortPulls> pulls;
  HugeVector<std::uint8_t> indices;
  std::vector<ByteMove> moves;
  std::vector<MoveRun> move_runs;
  std::vector<std::uint32_t> first_move_run;  ///< by group
  std::vector<TerminalPull> terminal_pulls;
  std::vector<std::uint32_t> first_terminal_pull;  ///< by group
  Time longest = 0;                                ///< delay
};

}  // namespace faultline::wormhole::planes
