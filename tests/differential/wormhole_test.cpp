// SPDX-License-Identifier: Apache-2.0
// Do all wormhole engines give the same deliveries in the same cycles, on any network, routing, load and
// switch?
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "simulate/planes/engine.h"
#include "support/effort.h"
#include "support/equal_outcomes.h"
#include "support/random_wormhole.h"

namespace faultline::wormhole {
namespace {

using namespace testing_support;

/// Each kernel as it is, and so that all VCs are allocated by vectors once heads have asked.
std::vector<std::pair<std::string, planes::Kernel>> kernels() {
  std::vector<std::pair<std::string, planes::Kernel>> found;
  for (const planes::Kernel* kernel : planes::kernels()) {
    found.emplace_back(kernel->name, *kernel);
    planes::Kernel by_vectors = *kernel;
    by_vectors.many_asks = 0;
    by_vectors.max_flits_by_vectors = ~0U;
    found.emplace_back(fmt::format("{}, by vectors", kernel->name), by_vectors);
  }
  return found;
}

class WormholeEngines : public testing::TestWithParam<std::uint64_t> {};

TEST_P(WormholeEngines, Agree) {
  for (std::uint64_t seed = 25 * GetParam(); seed < 25 * (GetParam() + 1); ++seed) {
    const WormholeRun example = RandomWormholeRun(seed).draw();
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, example.text));
    ASSERT_FALSE(planes::obstacle(*example.network.relation, example.spec));
    const Outcome plain = run_scalar(*example.network.relation, *example.network.pattern, example.spec);
    for (const auto& [name, kernel] : kernels()) {
      SCOPED_TRACE(name);
      const Outcome fast =
          planes::run(kernel, *example.network.relation, *example.network.pattern, example.spec);
      expect_equal(plain, fast);
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(WormholeEnginesAgree, OnADeadlock) {
  const TopologyPtr ring = one_way_ring(9);
  const RoundTheRing relation(ring, false);
  const auto pattern = build_pattern(*ring, 1, parse_compact("traffic", "uniform"));
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SimulationSpec spec = reference_router(0.5);
    spec.virtual_channels = 2;
    spec.seed = seed;
    spec.measurement.cycles = 5000;
    const Outcome plain = run_scalar(relation, *pattern, spec);
    ASSERT_TRUE(plain.result.deadlock) << "seed " << seed;
    EXPECT_EQ(plain.result.deadlock_cycle.size(), 9U);
    for (const auto& [name, kernel] : kernels()) {
      SCOPED_TRACE(fmt::format("seed {}, {}", seed, name));
      ASSERT_FALSE(planes::obstacle(relation, spec));
      expect_equal(plain, planes::run(kernel, relation, *pattern, spec));
    }
  }
}

/// Random runs rarely have packets of one flit that come to a switch whose only output has gone down for
/// good.
TEST(WormholeEnginesAgree, OnPacketsThatAreStuckWhereTheyArrive) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "mesh:radix=6x6"));
  const RelationPtr relation = build_relation(
      topology, FaultSet(*topology), parse_compact("routing", "dimension-order"), Switching::wormhole);
  const PatternPtr pattern = build_pattern(*topology, 1, parse_compact("traffic", "uniform"));
  for (const std::uint32_t vcs : {4U, 8U}) {
    SimulationSpec spec = reference_router(0.6);
    spec.virtual_channels = vcs;
    spec.selection = selection_rule(parse_compact("selection", "most-free"));
    spec.injection.packet_flits = 1;
    spec.measurement.cycles = 600;
    for (std::uint32_t i = 0; i < 8; ++i)
      spec.faults.outages.push_back({ChannelId(i * 13), 150 + 20 * i, Outage::forever});
    const Outcome plain = run_scalar(*relation, *pattern, spec);
    EXPECT_GT(plain.result.dropped.at("stuck"), 50U);
    for (const auto& [name, kernel] : kernels()) {
      SCOPED_TRACE(fmt::format("{} VCs, {}", vcs, name));
      expect_equal(plain, planes::run(kernel, *relation, *pattern, spec));
    }
  }
}

/// Networks whose heads take more than a mebibyte: a group's scalar part then follows the vector part of the
/// next, which random networks are too small for.
class WormholeBeyondTheCache
    : public testing::TestWithParam<std::tuple<std::string_view, std::string_view, bool>> {};

TEST_P(WormholeBeyondTheCache, EnginesAgree) {
  const auto [topology_text, routing_text, channels_fail] = GetParam();
  const TopologyPtr topology = build_topology(parse_compact("topology", topology_text));
  const RelationPtr relation = build_relation(topology, FaultSet(*topology),
                                              parse_compact("routing", routing_text), Switching::wormhole);
  const PatternPtr pattern = build_pattern(*topology, 1, parse_compact("traffic", "uniform"));
  for (const std::uint32_t flits : thinned(std::vector{1U, 16U}, 2)) {
    SimulationSpec spec = reference_router(0.4);
    spec.wormhole().atomic_vcs = relation->relies_on_escape();
    spec.wormhole().pipeline.speculative = channels_fail;
    spec.virtual_channels = std::max(relation->virtual_channels(), 4U);
    spec.selection = selection_rule(parse_compact("selection", "most-free"));
    spec.injection.packet_flits = flits;
    spec.measurement.cycles = effort(150, 110);
    if (channels_fail)
      for (std::uint32_t i = 0; i < 20; ++i) spec.faults.outages.push_back({ChannelId(i * 97), 30, 60});
    const Outcome plain = run_scalar(*relation, *pattern, spec);
    EXPECT_GT(plain.result.delivered, 500U);
    for (const auto& [name, kernel] : kernels()) {
      SCOPED_TRACE(fmt::format("{} flits, {}", flits, name));
      expect_equal(plain, planes::run(kernel, *relation, *pattern, spec));
    }
  }
}

using LargeNetwork = std::tuple<std::string_view, std::string_view, bool>;
INSTANTIATE_TEST_SUITE_P(Large, WormholeBeyondTheCache,
                         testing::Values(LargeNetwork{"hypercube:n=9", "duato:adaptive_vcs=7", true}));
INSTANTIATE_TEST_SUITE_P(SlowLarge, WormholeBeyondTheCache,
                         testing::Values(LargeNetwork{"hypercube:n=9", "duato:adaptive_vcs=7", false},
                                         LargeNetwork{"fat-tree:k=12,n=3", "nca-adaptive", false}));

TEST(WormholeKernel, IsTheOneThatTheEnvironmentNames) {
  const char* const variable = "FAULTLINE_WORMHOLE_KERNEL";
  for (const planes::Kernel* kernel : planes::kernels()) {
    ASSERT_EQ(setenv(variable, kernel->name, 1), 0);
    EXPECT_EQ(&planes::chosen_kernel(), kernel) << kernel->name;
  }
  ASSERT_EQ(setenv(variable, "abacus", 1), 0);
  EXPECT_THROW((void)planes::chosen_kernel(), Error);
  ASSERT_EQ(unsetenv(variable), 0);
  EXPECT_EQ(&planes::chosen_kernel(), planes::kernels().front());
}

INSTANTIATE_TEST_SUITE_P(Random, WormholeEngines,
                         testing::Range<std::uint64_t>(0, long_tests() ? 400 : effort(40, 2)));

}  // namespace
}  // namespace faultline::wormhole
