// SPDX-License-Identifier: Apache-2.0
// One pass over the packets of every destination.
#pragma once

#include "faultline/verify/verify.h"
#include "verify/dependencies.h"

namespace faultline {

struct Survey {
  Verdict verdict;  ///< all but deadlock freedom
  DependencyGraph dependencies;
  bool has_adaptive_moves = false;  ///< some move is not an escape
  bool escape_is_open = true;       ///< every packet that is under way has an escape move
  bool has_closed_options = false;  ///< some option is neither ejection nor has an escape move
  bool has_unnumbered = false;      ///< so many that not all are told apart (DestinationStates::Move::option)
  std::vector<bool> escape_buffers;  ///< by buffer: some packet may take it as an escape
};

[[nodiscard]] Survey survey(const RoutingRelation& relation, const FaultSet& dead, const Buffers& buffers,
                            const VerifySpec& spec, const Progress& progress);

}  // namespace faultline
