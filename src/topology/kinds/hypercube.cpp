// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/kind.h"
#include "topology/grid.h"

namespace faultline::topologies {
namespace {

struct Hypercube {
  std::uint32_t n = 0;
  std::uint32_t terminals_per_switch = 1;

  static void fields(auto& field) {
    field("n", &Hypercube::n, between(1, 20).required(), "dimensions; 2^n switches");
    field("terminals_per_switch", &Hypercube::terminals_per_switch, between(1, 1024),
          "terminals on each switch");
  }
  static std::vector<Hypercube> samples() { return {{1, 2}, {3, 1}, {4, 1}}; }
  [[nodiscard]] std::uint64_t terminal_total() const {
    return saturating_product(saturating_power(2, n), terminals_per_switch);
  }
  [[nodiscard]] Topology build(const std::string& name) const {
    return build_grid({.radix = std::vector<std::uint32_t>(n, 2),
                       .one_port_a_dimension = true,
                       .terminals_per_switch = terminals_per_switch},
                      name);
  }
};

}  // namespace

extern constinit const TopologyKind hypercube = topology_kind<Hypercube>(
    "hypercube", "switches at the corners of an n-dimensional cube; port d leads along dimension d",
    "Dally & Towles, section 5.1");

}  // namespace faultline::topologies
