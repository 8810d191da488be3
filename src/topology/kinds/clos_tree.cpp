// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/kind.h"
#include "faultline/topology/mirrored_tree.h"

namespace faultline::topologies {
namespace {

struct ClosTree {
  std::uint32_t k = 0;
  std::uint32_t n = 0;

  static void fields(auto& field) {
    field("k", &ClosTree::k, between(2, 128).required(), "arity: k ports down and k ports up per switch");
    field("n", &ClosTree::n, between(1, 20).required(),
          "two groups of n - 1 levels, and middle switches with 2k ports down; 2k^n terminals");
  }
  static std::vector<ClosTree> samples() { return {{2, 1}, {2, 2}, {2, 3}, {3, 2}}; }
  [[nodiscard]] std::uint64_t terminal_total() const { return saturating_product(2, saturating_power(k, n)); }
  [[nodiscard]] Topology build(const std::string& name) const {
    return build_mirrored_tree(k, n, true, name);
  }
};

}  // namespace

extern constinit const TopologyKind clos_tree = topology_kind<ClosTree>(
    "clos-tree", "Clos k-ary n-tree: two trees of n - 1 levels below one stage of middle switches",
    "paper 3, table of properties");

}  // namespace faultline::topologies
