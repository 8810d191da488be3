// SPDX-License-Identifier: Apache-2.0
#include "faultline/selection/selection.h"

namespace faultline::selections {
namespace {

std::size_t pick(std::span<const Way>, std::uint32_t) { return 0; }

}  // namespace

extern constinit const SelectionKind first =
    selection_kind("first", "the first admissible option that the routing names; commits to it",
                   "Dally & Towles, section 8.4", {.pick = pick, .reads_order = true, .takes_first = true});

}  // namespace faultline::selections
