// SPDX-License-Identifier: Apache-2.0
#include "traffic/bit_permutation.h"

namespace faultline::patterns {
namespace {

struct Butterfly : SelfTraffic {
  static void fields(auto& field) { self_field<Butterfly>(field); }
  static std::vector<Butterfly> samples() { return {{}, {{"include"}}}; }
  [[nodiscard]] PatternPtr build(const Topology& topology, std::uint64_t) const {
    return bit_permutation(
        topology, "butterfly",
        [](std::uint32_t address, std::uint32_t bits) {
          const std::uint32_t ends = (address ^ (address >> (bits - 1))) & 1U;
          return address ^ (ends | ends << (bits - 1));
        },
        included());
  }
};

}  // namespace

extern constinit const PatternKind butterfly =
    pattern_kind<Butterfly>("butterfly", "the highest and the lowest bit of the source exchanged",
                            "Duato, Yalamanchili & Ni, section 9.2");

}  // namespace faultline::patterns
