// SPDX-License-Identifier: Apache-2.0
#include "traffic/bit_permutation.h"

namespace faultline::patterns {
namespace {

struct BitInversion {
  static void fields(auto&) {}
  static std::vector<BitInversion> samples() { return {{}}; }
  [[nodiscard]] PatternPtr build(const Topology& topology, std::uint64_t) const {
    return bit_permutation(topology, "bit-inversion", inverted);
  }
};

}  // namespace

extern constinit const PatternKind bit_inversion = pattern_kind<BitInversion>(
    "bit-inversion", "all bits of the source inverted; another name for complement",
    "paper 3, simulation parameters");

}  // namespace faultline::patterns
