// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "faultline/base/random.h"
#include "faultline/selection/selection.h"

namespace faultline::selections {
namespace {

/// One option of the least cost and one of the others, drawn; the first unless its queue times its hops is
/// more.
std::size_t pick(std::span<const Way> ways, std::uint32_t random) {
  const std::uint32_t least = std::ranges::min(ways, {}, &Way::cost).cost;
  const auto minimal = static_cast<std::uint32_t>(std::ranges::count(ways, least, &Way::cost));
  const auto nth = [&](bool is_minimal, std::uint32_t n) {
    std::size_t i = 0;
    while ((ways[i].cost == least) != is_minimal || n-- != 0) ++i;
    return i;
  };
  const std::size_t direct = nth(true, below(random, minimal));
  const auto others = static_cast<std::uint32_t>(ways.size()) - minimal;
  if (others == 0) return direct;
  const auto again = static_cast<std::uint32_t>(mix(random, others, 0) >> 32);
  const std::size_t detour = nth(false, below(again, others));
  const auto delay = [&](std::size_t i) { return std::uint64_t{ways[i].queued} * ways[i].cost; };
  return delay(direct) <= delay(detour) ? direct : detour;
}

}  // namespace

extern constinit const SelectionKind ugal =
    selection_kind("ugal",
                   "draws a shortest option and another one when the packet is routed, and takes the one "
                   "with the smaller product of queue length and hops to go; commits to it",
                   "Singh, PhD thesis, Stanford, 2005; Kim, Dally, Scott & Abts, ISCA 2008, section 4.1",
                   {.pick = pick, .reads_cost = true, .reads_queues = true});

}  // namespace faultline::selections
