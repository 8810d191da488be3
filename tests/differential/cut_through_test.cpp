// SPDX-License-Identifier: Apache-2.0
// The event-driven engine against the cycle-driven one: every packet is delivered in the same cycle.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "faultline/base/random.h"
#include "simulate/cut_through/model.h"
#include "support/effort.h"
#include "support/equal_outcomes.h"
#include "support/plain_relation.h"
#include "support/random_cut_through.h"
#include "support/simulate_support.h"

namespace faultline {
namespace {

using testing_support::Configuration;
using testing_support::network;
using testing_support::Network;

/// The packets that were delivered.
std::uint64_t expect_equal_engines(const Configuration& configuration) {
  const auto& [topology, relation, pattern] = configuration.built;
  const SimulationSpec spec = resolved(configuration.spec, *pattern);
  const cut_through::Outcome oracle = cut_through::run_cycle_driven(*relation, *pattern, spec);
  const cut_through::Outcome ours = cut_through::run_event_driven(*relation, *pattern, spec);
  testing_support::expect_equal(ours, oracle);
  return ours.result.delivered;
}

class RandomConfigurations : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomConfigurations, EventDrivenEqualsCycleDriven) {
  std::uint64_t delivered = 0;
  for (std::uint64_t seed = GetParam() * 50; seed < (GetParam() + 1) * 50; ++seed) {
    const Configuration configuration = testing_support::one_virtual_channel(seed);
    delivered += expect_equal_engines(configuration);
    ASSERT_FALSE(HasFailure()) << configuration.name;
  }
  EXPECT_GT(delivered, 10'000U);
}

class RandomGrids : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomGrids, EventDrivenEqualsCycleDriven) {
  std::uint64_t delivered = 0;
  for (std::uint64_t seed = GetParam() * 30; seed < (GetParam() + 1) * 30; ++seed) {
    const Configuration configuration = testing_support::grid(seed);
    delivered += expect_equal_engines(configuration);
    ASSERT_FALSE(HasFailure()) << configuration.name;
  }
  EXPECT_GT(delivered, 10'000U);
}

class RandomWideSwitches : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomWideSwitches, EventDrivenEqualsCycleDriven) {
  std::uint64_t delivered = 0;
  for (std::uint64_t seed = GetParam() * 20; seed < (GetParam() + 1) * 20; ++seed) {
    const Configuration configuration = testing_support::wide_switches(seed);
    delivered += expect_equal_engines(configuration);
    ASSERT_FALSE(HasFailure()) << configuration.name;
  }
  EXPECT_GT(delivered, 2'000U);
}

/// A relation may say by which virtual channels packets enter, and need not be asked for each.
TEST(CutThrough, PacketsEnterByTheVirtualChannelsThatAreDeclared) {
  const Network built = network("torus:radix=4x4", "duato:adaptive_vcs=2");
  SimulationSpec asked;
  asked.injection.load = 0.6;
  asked.injection.packet_flits = 16;
  asked.measurement.cycles = 3000;
  asked.selection = testing_support::selection("most-free");
  for (const std::uint32_t vcs : {1U, 2U, 5U, 6U, 7U}) {
    const auto relation = std::make_shared<const ByOutputBits>(built.relation, vcs);
    const std::uint64_t delivered =
        expect_equal_engines({"declared", {built.topology, relation, built.pattern}, asked});
    EXPECT_GT(delivered, 1000U) << vcs;
  }
}

/// Switches of 16, 32 and 64 ports.
class LargerNetworks : public testing::TestWithParam<const char*> {};

TEST_P(LargerNetworks, EventDrivenEqualsCycleDriven) {
  const Network built = network(GetParam());
  SimulationSpec spec;
  spec.injection.load = 0.7;
  spec.injection.packet_flits = 16;
  spec.measurement.cycles = effort(500, 200);
  for (const Arbitration arbitration : testing_support::arbitrations) {
    spec.arbitration = arbitration;
    spec.cut_through().buffer_packets = arbitration == Arbitration::random ? 6 : 2;
    const cut_through::Outcome oracle = cut_through::run_cycle_driven(*built.relation, *built.pattern, spec);
    testing_support::expect_equal(cut_through::run_event_driven(*built.relation, *built.pattern, spec),
                                  oracle);
    EXPECT_GT(oracle.result.delivered, effort(100U, 20U));
  }
}

/// Networks that may exceed the cache, with enough hops for trials of every sort of prefetching.
class NetworksBeyondTheCache : public testing::TestWithParam<std::pair<std::string_view, std::string_view>> {
};

TEST_P(NetworksBeyondTheCache, EventDrivenEqualsCycleDriven) {
  const Network built = network(GetParam().first, GetParam().second);
  SimulationSpec spec;
  spec.injection.load = 0.8;
  spec.injection.packet_flits = 16;
  spec.measurement.cycles = std::max<std::uint64_t>(200, 128'000 / built.topology->terminal_count());
  const cut_through::Outcome ours = cut_through::run_event_driven(*built.relation, *built.pattern, spec);
  testing_support::expect_equal(ours, cut_through::run_cycle_driven(*built.relation, *built.pattern, spec));
  EXPECT_GT(ours.result.packet_hops, 20'000U);
}

using TopologyAndRouting = std::pair<std::string_view, std::string_view>;
INSTANTIATE_TEST_SUITE_P(CutThrough, NetworksBeyondTheCache,
                         testing::Values(TopologyAndRouting{"torus:radix=16x16", "duato:adaptive_vcs=3"}));
INSTANTIATE_TEST_SUITE_P(SlowCutThrough, NetworksBeyondTheCache,
                         testing::Values(TopologyAndRouting{"hypercube:n=8", "duato:adaptive_vcs=7"},
                                         TopologyAndRouting{"fat-tree:k=12,n=3", "nca-adaptive"}));

INSTANTIATE_TEST_SUITE_P(CutThrough, LargerNetworks,
                         testing::Values("fat-tree:k=64,n=1", "fat-tree:k=16,n=2", "fat-tree:k=8,n=3",
                                         "ft-ruft-222:k=8,n=3"));

INSTANTIATE_TEST_SUITE_P(CutThrough, RandomConfigurations, testing::Range<std::uint64_t>(0, effort(10, 1)));
INSTANTIATE_TEST_SUITE_P(CutThrough, RandomGrids, testing::Range<std::uint64_t>(0, effort(10, 1)));
INSTANTIATE_TEST_SUITE_P(CutThrough, RandomWideSwitches, testing::Range<std::uint64_t>(0, effort(20, 1)));

}  // namespace
}  // namespace faultline
