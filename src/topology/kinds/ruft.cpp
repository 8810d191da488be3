// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/kind.h"
#include "topology/ruft_family.h"

namespace faultline::topologies {
namespace {

struct Ruft {
  std::uint32_t k = 0;
  std::uint32_t n = 0;

  static void fields(auto& field) {
    field("k", &Ruft::k, between(2, 256).required(), "arity: input and output ports of a switch");
    field("n", &Ruft::n, between(1, 20).required(), "stages; k^n terminals");
  }
  static std::vector<Ruft> samples() { return {{2, 3}, {3, 2}, {4, 2}}; }
  [[nodiscard]] std::uint64_t terminal_total() const { return saturating_power(k, n); }
  [[nodiscard]] Topology build(const std::string& name) const { return build_ruft({.k = k, .n = n}, name); }
};

}  // namespace

extern constinit const TopologyKind ruft = topology_kind<Ruft>(
    "ruft", "reduced unidirectional fat tree: one path between two terminals", "paper 1, section 3.2");

}  // namespace faultline::topologies
