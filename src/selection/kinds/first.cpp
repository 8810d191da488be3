// SPDX-License-Identifier: Apache-2.0
#include "faultline/selection/selection.h"

namespace faultline::selections {

extern constinit const SelectionKind first =
    selection_kind("first", "the first admissible channel that the routing names",
                   "Dally & Towles, section 8.4", {SelectionRule::Candidates::first, false});

}  // namespace faultline::selections
