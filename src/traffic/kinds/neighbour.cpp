// SPDX-License-Identifier: Apache-2.0
#include "traffic/grid_map.h"

namespace faultline::patterns {
namespace {

struct Neighbour {
  static void fields(auto&) {}
  static std::vector<Neighbour> samples() { return {{}}; }
  [[nodiscard]] PatternPtr build(const Topology& topology, std::uint64_t) const {
    if (const auto* grid = topology.find_labelling<CartesianLabelling>())
      return grid_shift(topology, *grid, [](std::uint32_t) { return 1U; });
    const auto terminals = static_cast<std::uint32_t>(topology.terminal_count());
    std::vector<TerminalId> destinations;
    for (std::uint32_t source = 0; source < terminals; ++source)
      destinations.emplace_back((source + 1) % terminals);
    return std::make_shared<const FixedDestinations>(std::move(destinations));
  }
};

}  // namespace

extern constinit const PatternKind neighbour = pattern_kind<Neighbour>(
    "neighbour",
    "one step further in each dimension of a grid; on other networks, the terminal with the next number",
    "Dally & Towles, section 3.2");

}  // namespace faultline::patterns
