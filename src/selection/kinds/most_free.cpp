// SPDX-License-Identifier: Apache-2.0
#include "faultline/selection/selection.h"

namespace faultline::selections {

extern constinit const SelectionKind most_free =
    selection_kind("most-free", "the available channel with most free buffer, looked at again in every cycle",
                   "paper 1, section 4", {SelectionRule::Candidates::all, true});

}  // namespace faultline::selections
