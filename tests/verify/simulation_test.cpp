// SPDX-License-Identifier: Apache-2.0
// The simulators as counter-oracles: what is proved never deadlocks under overload, and a deadlock that is
// shown does occur.
#include "faultline/simulate/simulate.h"

#include <gtest/gtest.h>

#include <map>

#include "verify/examples.h"

namespace faultline {
namespace {

/// Each source of a deadlock's packets sends to their destinations in turn, by chance; the others are silent.
class PacketsOf final : public TrafficPattern {
 public:
  explicit PacketsOf(const std::vector<WaitingPacket>& deadlock) {
    for (const auto& [source, destination] : packets_of(deadlock))
      destinations_[source].push_back(destination);
  }
  [[nodiscard]] TerminalId destination(TerminalId source, std::uint64_t random) const override {
    const auto& choices = destinations_.at(source);
    return choices[random % choices.size()];
  }
  [[nodiscard]] bool silent(TerminalId source) const override { return !destinations_.contains(source); }

 private:
  std::map<TerminalId, std::vector<TerminalId>> destinations_;
};

SimulationSpec overload(Switching switching, std::uint64_t seed) {
  SimulationSpec spec;
  spec.injection.load = 1.0;
  spec.switches = switches_of(switching, {}, {.buffer_flits = 8});
  spec.injection.packet_flits = 8;
  spec.measurement.cycles = 10'000;
  spec.measurement.warmup = 0;
  spec.seed = seed;
  return spec;
}

struct Question {
  std::string_view topology, routing;
  Switching switching;
};

class Proved : public testing::TestWithParam<Question> {};

TEST_P(Proved, NeverDeadlocksUnderOverload) {
  const auto& [topology, routing, switching] = GetParam();
  const Example example = verified(topology, routing, switching);
  ASSERT_TRUE(example.verdict.deadlock_free);
  const PatternPtr uniform =
      build_pattern(example.relation->topology(), 1, parse_compact("traffic", "uniform"));
  for (const std::uint64_t seed : {1, 2, 3}) {
    const SimulationResult result = simulate(*example.relation, *uniform, overload(switching, seed));
    EXPECT_FALSE(result.deadlock) << "seed " << seed;
    EXPECT_GT(result.delivered, 1000U) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Overload, Proved,
    testing::Values(Question{"mesh:radix=4x4", "dimension-order", Switching::wormhole},
                    Question{"mesh:radix=8x8", "duato", Switching::wormhole},
                    Question{"torus:radix=4x4", "duato", Switching::wormhole},
                    Question{"torus:radix=4x4", "dimension-order", Switching::cut_through},
                    Question{"torus:radix=4x4", "duato", Switching::cut_through},
                    Question{"torus:radix=5x4", "dimension-order", Switching::wormhole},
                    Question{"torus:radix=8", "direction-order", Switching::wormhole},
                    Question{"torus:radix=4x4", "up-down", Switching::wormhole},
                    Question{"mesh:radix=4x4", "dimension-order", Switching::cut_through},
                    Question{"torus:radix=4x4", "up-down", Switching::cut_through},
                    Question{"fat-tree:k=2,n=3", "fta", Switching::cut_through}));

class Refuted : public testing::TestWithParam<Question> {};

TEST_P(Refuted, DeadlocksWhenThosePacketsAreInjected) {
  const auto& [topology, routing, switching] = GetParam();
  const Example example = verified(topology, routing, switching);
  ASSERT_EQ(example.verdict.method, DeadlockMethod::deadlock);
  const PacketsOf pattern(example.verdict.deadlock);
  const SimulationResult result = simulate(*example.relation, pattern, overload(switching, 1));
  EXPECT_TRUE(result.deadlock);
}

INSTANTIATE_TEST_SUITE_P(
    Witness, Refuted,
    testing::Values(Question{"torus:radix=5x4", "dimension-order:ring_rule=none", Switching::wormhole},
                    Question{"torus:radix=5x4", "dimension-order:ring_rule=none", Switching::cut_through},
                    Question{"torus:radix=5", "shortest-path", Switching::wormhole},
                    Question{"torus:radix=5", "shortest-path", Switching::cut_through},
                    Question{"torus:radix=4x4", "minimal-adaptive", Switching::wormhole},
                    Question{"torus:radix=4x4", "minimal-adaptive", Switching::cut_through},
                    Question{"mesh:radix=4x4", "minimal-adaptive", Switching::wormhole},
                    Question{"mesh:radix=4x4", "minimal-adaptive", Switching::cut_through}));

}  // namespace
}  // namespace faultline
