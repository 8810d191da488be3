// SPDX-License-Identifier: Apache-2.0
#include "faultline/selection/selection.h"

namespace faultline::selections {

extern constinit const SelectionKind random =
    selection_kind("random", "one admissible channel, drawn when the packet is routed",
                   "Dally & Towles, section 8.4", {SelectionRule::Candidates::one_drawn, false});

}  // namespace faultline::selections
