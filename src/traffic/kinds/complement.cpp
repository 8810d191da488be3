// SPDX-License-Identifier: Apache-2.0
#include "traffic/bit_permutation.h"

namespace faultline::patterns {
namespace {

struct Complement {
  static void fields(auto&) {}
  static std::vector<Complement> samples() { return {{}}; }
  [[nodiscard]] PatternPtr build(const Topology& topology, std::uint64_t) const {
    return bit_permutation(topology, "complement", inverted);
  }
};

}  // namespace

extern constinit const PatternKind complement =
    pattern_kind<Complement>("complement", "all bits of the source inverted", "paper 1, section 5.1");

}  // namespace faultline::patterns
