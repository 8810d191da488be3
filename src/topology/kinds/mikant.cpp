// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/kind.h"
#include "faultline/topology/mirrored_tree.h"

namespace faultline::topologies {
namespace {

struct Mikant {
  std::uint32_t k = 0;
  std::uint32_t n = 0;

  static void fields(auto& field) {
    field("k", &Mikant::k, between(2, 128).required(), "arity: k ports down and k ports up per switch");
    field("n", &Mikant::n, between(2, 20).required(), "two groups of n - 1 levels; 2k^n terminals");
  }
  static std::vector<Mikant> samples() { return {{2, 2}, {2, 3}, {3, 2}}; }
  [[nodiscard]] std::uint64_t terminal_total() const { return saturating_product(2, saturating_power(k, n)); }
  [[nodiscard]] Topology build(const std::string& name) const {
    return build_mirrored_tree(k, n, false, name);
  }
};

}  // namespace

extern constinit const TopologyKind mikant = topology_kind<Mikant>(
    "mikant", "mirrored k-ary n-tree: two trees of n - 1 levels joined at their tops", "paper 3");

}  // namespace faultline::topologies
