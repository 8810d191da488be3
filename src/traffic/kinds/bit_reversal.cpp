// SPDX-License-Identifier: Apache-2.0
#include "traffic/bit_permutation.h"

namespace faultline::patterns {
namespace {

struct BitReversal : SelfTraffic {
  static void fields(auto& field) { self_field<BitReversal>(field); }
  static std::vector<BitReversal> samples() { return {{}, {{"include"}}}; }
  [[nodiscard]] PatternPtr build(const Topology& topology, std::uint64_t) const {
    return bit_permutation(
        topology, "bit-reversal",
        [](std::uint32_t address, std::uint32_t bits) {
          std::uint32_t reversed = 0;
          for (std::uint32_t bit = 0; bit < bits; ++bit)
            reversed |= (address >> bit & 1U) << (bits - 1 - bit);
          return reversed;
        },
        included());
  }
};

}  // namespace

extern constinit const PatternKind bit_reversal = pattern_kind<BitReversal>(
    "bit-reversal", "the bits of the source in reverse order", "Dally & Towles, section 3.2");

}  // namespace faultline::patterns
