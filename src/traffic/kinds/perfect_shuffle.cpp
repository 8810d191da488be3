// SPDX-License-Identifier: Apache-2.0
#include "traffic/bit_permutation.h"

namespace faultline::patterns {
namespace {

struct PerfectShuffle : SelfTraffic {
  static void fields(auto& field) { self_field<PerfectShuffle>(field); }
  static std::vector<PerfectShuffle> samples() { return {{}, {{"include"}}}; }
  [[nodiscard]] PatternPtr build(const Topology& topology, std::uint64_t) const {
    return bit_permutation(
        topology, "perfect-shuffle",
        [](std::uint32_t address, std::uint32_t bits) {
          return ((address << 1) | (address >> (bits - 1))) & ((1U << bits) - 1);
        },
        included());
  }
};

}  // namespace

extern constinit const PatternKind perfect_shuffle = pattern_kind<PerfectShuffle>(
    "perfect-shuffle", "the bits of the source rotated left by one", "paper 1, section 5.1");

}  // namespace faultline::patterns
