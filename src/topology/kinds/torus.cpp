// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/kind.h"
#include "topology/grid.h"

namespace faultline::topologies {
namespace {

struct Torus {
  std::vector<std::uint32_t> radix;
  std::uint32_t terminals_per_switch = 1;

  static void fields(auto& field) {
    field("radix", &Torus::radix, between(2, 4096).required(), "switches in each dimension: 8x8x8");
    field("terminals_per_switch", &Torus::terminals_per_switch, between(1, 1024), "terminals on each switch");
  }
  static std::vector<Torus> samples() { return {{{5}, 1}, {{4, 4}, 1}, {{2, 3}, 2}, {{3, 4, 2}, 1}}; }
  [[nodiscard]] std::uint64_t terminal_total() const { return grid_terminals(radix, terminals_per_switch); }
  [[nodiscard]] Topology build(const std::string& name) const {
    return build_grid({.radix = radix, .wraps = true, .terminals_per_switch = terminals_per_switch}, name);
  }
};

}  // namespace

extern constinit const TopologyKind torus = topology_kind<Torus>(
    "torus", "k-ary n-cube: switches on a grid with wrap-around links", "Dally & Towles, section 5.1");

}  // namespace faultline::topologies
