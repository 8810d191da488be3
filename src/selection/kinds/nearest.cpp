// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "faultline/selection/selection.h"

namespace faultline::selections {
namespace {

/// An option of unknown cost comes last.
std::uint32_t score(const Way& way) {
  constexpr std::uint32_t most = 0xffff;
  const std::uint32_t near = way.cost == 0 ? 0 : most - std::min(way.cost, most - 1);
  return near << 16 | std::min(way.free, most);
}

}  // namespace

extern constinit const SelectionKind nearest =
    selection_kind("nearest",
                   "the available option with fewest hops to go, by shortest paths where the routing does "
                   "not say, then most free buffer space; requests all in every cycle",
                   "Dally & Towles, section 10.3", {.score = score, .reads_cost = true});

}  // namespace faultline::selections
