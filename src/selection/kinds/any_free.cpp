// SPDX-License-Identifier: Apache-2.0
#include "faultline/selection/selection.h"

namespace faultline::selections {

extern constinit const SelectionKind any_free =
    selection_kind("any-free", "a random one of the available options; requests all of them in every cycle",
                   "Dally & Towles, section 8.4", {});

}  // namespace faultline::selections
