// SPDX-License-Identifier: Apache-2.0
#include "faultline/selection/selection.h"

namespace faultline::selections {

extern constinit const SelectionKind most_free = selection_kind(
    "most-free", "the available option with most free buffer space; requests all in every cycle",
    "paper 1, section 4", {.score = free_slots});

}  // namespace faultline::selections
