// SPDX-License-Identifier: Apache-2.0
#include "faultline/base/random.h"
#include "traffic/fixed_destinations.h"

namespace faultline::patterns {
namespace {

struct Permutation : SelfTraffic {
  std::optional<std::uint64_t> own_seed;

  static void fields(auto& field) {
    field("seed", &Permutation::own_seed, at_least(0),
          "seed of the permutation (default: the seed of the run)");
    self_field<Permutation>(field);
  }
  static std::vector<Permutation> samples() { return {{}, {{}, 7}, {{"include"}, 7}}; }

  /// Fisher-Yates: every permutation is equally likely, those that map terminals to themselves as well.
  [[nodiscard]] PatternPtr build(const Topology& topology, std::uint64_t seed) const {
    std::vector<TerminalId> destinations;
    for (const TerminalId terminal : topology.terminals()) destinations.push_back(terminal);
    RandomStream random(own_seed.value_or(seed), stream);
    for (auto left = static_cast<std::uint32_t>(destinations.size()); left > 1; --left)
      std::swap(destinations[left - 1], destinations[random.next_below(left)]);
    return std::make_shared<const FixedDestinations>(std::move(destinations), included());
  }

 private:
  static constexpr std::uint64_t stream = 0x7065726d757465;  // "permute"
};

}  // namespace

extern constinit const PatternKind permutation =
    pattern_kind<Permutation>("permutation", "a random permutation; a terminal mapped to itself is silent",
                              "Dally & Towles, section 3.2");

}  // namespace faultline::patterns
