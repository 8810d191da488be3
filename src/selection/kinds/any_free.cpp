// SPDX-License-Identifier: Apache-2.0
#include "faultline/selection/selection.h"

namespace faultline::selections {

extern constinit const SelectionKind any_free =
    selection_kind("any-free", "any of the available options, drawn; asks for all in every cycle",
                   "Dally & Towles, section 8.4", {});

}  // namespace faultline::selections
