// SPDX-License-Identifier: Apache-2.0
#include "traffic/grid_map.h"

namespace faultline::patterns {
namespace {

struct Tornado : SelfTraffic {
  static void fields(auto& field) { self_field<Tornado>(field); }
  static std::vector<Tornado> samples() { return {{}, {{"include"}}}; }
  [[nodiscard]] PatternPtr build(const Topology& topology, std::uint64_t) const {
    return grid_shift(
        topology, topology.labelling<CartesianLabelling>("tornado", "traffic"),
        [](std::uint32_t radix) { return (radix + 1) / 2 - 1; }, included());
  }
};

}  // namespace

extern constinit const PatternKind tornado = pattern_kind<Tornado>(
    "tornado", "just under half-way round each dimension of a grid", "Dally & Towles, section 3.2");

}  // namespace faultline::patterns
