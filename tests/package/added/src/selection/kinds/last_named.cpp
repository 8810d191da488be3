// SPDX-License-Identifier: Apache-2.0
#include "faultline/selection/selection.h"

namespace faultline::selections {
namespace {

std::size_t pick(std::span<const Way> ways, std::uint32_t) { return ways.size() - 1; }

}  // namespace

extern constinit const SelectionKind last_named =
    selection_kind("last-named", "the last admissible option that the routing names; commits to it",
                   "of the test one_file_test.cpp", {.pick = pick, .reads_order = true});

}  // namespace faultline::selections
