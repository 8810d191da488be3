// SPDX-License-Identifier: Apache-2.0
#include "traffic/bit_permutation.h"

namespace faultline::patterns {
namespace {

struct Transpose : SelfTraffic {
  static void fields(auto& field) { self_field<Transpose>(field); }
  static std::vector<Transpose> samples() { return {{}, {{"include"}}}; }
  [[nodiscard]] PatternPtr build(const Topology& topology, std::uint64_t) const {
    return bit_permutation(
        topology, "transpose",
        [&](std::uint32_t address, std::uint32_t bits) {
          if (bits % 2 != 0)
            throw Error("traffic", "transpose",
                        "needs a number of terminals that is a power of four; " + topology.name() + " has " +
                            std::to_string(topology.terminal_count()));
          return (address >> (bits / 2) | address << (bits / 2)) & ((1U << bits) - 1);
        },
        included());
  }
};

}  // namespace

extern constinit const PatternKind transpose =
    pattern_kind<Transpose>("transpose", "the upper and the lower half of the bits of the source exchanged",
                            "Dally & Towles, section 3.2");

}  // namespace faultline::patterns
