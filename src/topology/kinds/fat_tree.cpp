// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "faultline/topology/builder.h"
#include "faultline/topology/kind.h"
#include "faultline/topology/labellings.h"
#include "faultline/topology/limits.h"

namespace faultline::topologies {
namespace {

struct FatTree {
  std::uint32_t k = 0;
  std::uint32_t n = 0;

  static void fields(auto& field) {
    field("k", &FatTree::k, between(2, 128).required(), "arity: k ports down and k ports up per switch");
    field("n", &FatTree::n, between(1, 20).required(), "stages; k^n terminals");
  }
  static std::vector<FatTree> samples() { return {{2, 3}, {3, 2}, {4, 2}}; }

  [[nodiscard]] std::uint64_t terminal_total() const { return saturating_power(k, n); }
  [[nodiscard]] Topology build(const std::string& name) const {
    require_terminal_count(k, n);
    const StageDigits digits(k, n);
    TopologyBuilder builder;
    for (std::uint32_t stage = 0; stage < n; ++stage)
      for (std::uint32_t order = 0; order < digits.switches_per_stage(); ++order)
        builder.add_switch({stage, order}, fmt::format("s{}.{}", stage, order));
    for (std::uint32_t stage = 0; stage + 1 < n; ++stage)
      for (std::uint32_t order = 0; order < digits.switches_per_stage(); ++order)
        for (std::uint32_t up = 0; up < k; ++up)
          builder.connect_both(
              {digits.at(stage, order), k + up},
              {digits.at(stage + 1, digits.with_digit(order, stage, up)), digits.digit(order, stage)});
    for (std::uint32_t terminal = 0; terminal < digits.terminal_count(); ++terminal)
      builder.attach(builder.add_terminal(), {digits.at(0, terminal / k), terminal % k});
    builder.set_labelling(std::make_unique<TreeLabelling>(digits));
    return std::move(builder).build(name, "fta");
  }
};

}  // namespace

extern constinit const TopologyKind fat_tree =
    topology_kind<FatTree>("fat-tree", "k-ary n-tree with bidirectional links", "paper 1, section 3.1");

}  // namespace faultline::topologies
