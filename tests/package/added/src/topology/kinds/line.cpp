// SPDX-License-Identifier: Apache-2.0
#include "faultline/topology/builder.h"
#include "faultline/topology/kind.h"

namespace faultline::topologies {
namespace {

struct Line {
  std::uint32_t switches = 0;

  static void fields(auto& field) {
    field("switches", &Line::switches, between(2, 1024).required(), "each with one terminal");
  }
  static std::vector<Line> samples() { return {{2}, {5}}; }
  [[nodiscard]] std::uint64_t terminal_total() const { return switches; }
  [[nodiscard]] Topology build(const std::string& name) const {
    TopologyBuilder builder;
    for (std::uint32_t i = 0; i < switches; ++i) builder.add_switch({0, i});
    for (std::uint32_t i = 0; i + 1 < switches; ++i)
      builder.connect_both({SwitchId(i), 1}, {SwitchId(i + 1), 0});
    for (std::uint32_t i = 0; i < switches; ++i) builder.attach(builder.add_terminal(), {SwitchId(i), 2});
    return std::move(builder).build(name, "along-line");
  }
};

}  // namespace

extern constinit const TopologyKind line =
    topology_kind<Line>("line", "switches in a row", "of the test one_file_test.cpp");

}  // namespace faultline::topologies
