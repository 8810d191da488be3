// SPDX-License-Identifier: Apache-2.0
#include "faultline/base/random.h"
#include "faultline/selection/selection.h"

namespace faultline::selections {
namespace {

std::size_t pick(std::span<const Way> ways, std::uint32_t random) {
  return below(random, static_cast<std::uint32_t>(ways.size()));
}

}  // namespace

extern constinit const SelectionKind random =
    selection_kind("random", "one admissible option, drawn when the packet is routed; commits to it",
                   "Dally & Towles, section 8.4", {.pick = pick});

}  // namespace faultline::selections
