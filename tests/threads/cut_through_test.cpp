// SPDX-License-Identifier: Apache-2.0
// A run with several threads delivers every packet in the same cycle as a run with one.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "faultline/base/random.h"
#include "faultline/routing/admissible.h"
#include "simulate/cut_through/model.h"
#include "simulate/threads/barrier.h"
#include "support/effort.h"
#include "support/equal_outcomes.h"
#include "support/no_more_threads.h"
#include "support/random_outages.h"
#include "support/simulate_support.h"

namespace faultline {
namespace {

struct Case {
  const char* topology;
  const char* routing;
};

/// Networks that are large enough for three threads, at loads that send often enough.
constexpr std::array cases{Case{"fat-tree:k=4,n=4", ""},
                           Case{"ft-ruft-222:k=4,n=4", ""},
                           Case{"ft-ruft-212:k=4,n=4", ""},
                           Case{"ruft-pl:k=4,n=4", ""},
                           Case{"fat-tree:k=16,n=2", "up-down"},
                           Case{"torus:radix=16x16", "duato:adaptive_vcs=2"},
                           Case{"torus:radix=16x16", "duato:adaptive_vcs=14"},  // up to 96 ports
                           Case{"torus:radix=16x16", "dimension-order"},
                           Case{"torus:radix=16x16", "minimal-adaptive"}};

SimulationSpec random_spec(RandomStream& random, const RoutingRelation& relation) {
  SimulationSpec spec;
  spec.injection.packet_flits = std::array{4U, 8U, 16U}[random.next_below(3)];
  spec.injection.load = std::array{0.4, 0.7, 1.5}[random.next_below(3)];
  spec.measurement.cycles = 600 + random.next_below(100);
  spec.measurement.channel_load = random.next_below(3) == 0;
  if (random.next_below(3) == 0) spec.injection.packet_mix = {{1, 1}, {spec.injection.packet_flits, 1}};
  if (random.next_below(3) == 0) spec.measurement.packets_per_source = 2;
  if (random.next_below(3) == 0) spec.measurement.warmup = 100;
  if (relation.virtual_channels() == 1)
    spec.cut_through().buffers = std::array{Buffering::both, Buffering::both, Buffering::input,
                                            Buffering::output}[random.next_below(4)];
  spec.cut_through().buffer_packets = 2 + random.next_below(3) / 2;
  spec.selection = testing_support::selection(random.next_below(2) == 0 ? "most-free" : "any-free");
  spec.seed = random.next();
  if (random.next_below(2) == 0) {
    spec.faults.outages =
        testing_support::random_outages(relation.topology(), 40, spec.measurement.cycles, random);
    spec.faults.on_failure = random.next_below(2) == 0 ? OnFailure::complete : OnFailure::drop;
  }
  return spec;
}

class CutThroughThreads : public testing::TestWithParam<std::uint64_t> {};

TEST_P(CutThroughThreads, NeverChangeTheAnswer) {
  RandomStream random(GetParam(), 0);
  const Case& one = cases[GetParam() % cases.size()];
  const auto [topology, relation, pattern] = testing_support::network(one.topology, one.routing);
  SimulationSpec spec = resolved(random_spec(random, *relation), *pattern);
  if (random.next_below(3) == 0) {
    FaultSet dead(*topology);
    dead.fail(*topology, SwitchId(random.next_below(static_cast<std::uint32_t>(topology->switch_count()))));
    spec.faults.reroutings = {{100 + random.next_below(100), admissible_relation(relation, {.dead = dead})},
                              {300 + random.next_below(100), relation}};
  }
  std::vector<Delivery> log;
  const cut_through::Outcome single = cut_through::run_event_driven(*relation, *pattern, spec, {}, &log);
  EXPECT_GT(single.result.delivered, 100U);
  for (const std::uint32_t threads : {2U, 3U}) {
    spec.threads = threads;
    std::vector<Delivery> other;
    testing_support::expect_equal(cut_through::run_event_driven(*relation, *pattern, spec, {}, &other),
                                  single);
    EXPECT_EQ(testing_support::in_order(other), testing_support::in_order(log));
    EXPECT_FALSE(HasFailure()) << one.topology << " " << one.routing << " seed " << GetParam() << ", "
                               << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(Random, CutThroughThreads, testing::Range<std::uint64_t>(0, effort(48, 6)));

SimulationSpec overloaded() {
  SimulationSpec spec;
  spec.injection.packet_flits = 4;
  spec.injection.load = 1;
  spec.measurement.cycles = 2000;
  return spec;
}

TEST(CutThroughThreads, AFailureInOneThreadEndsTheRun) {
  const auto [topology, relation, pattern] = testing_support::network("fat-tree:k=4,n=4");
  SimulationSpec spec = overloaded();
  spec.threads = 3;
  const Progress fails = [](std::string_view, std::uint64_t done, std::uint64_t) {
    if (done > 500) throw std::runtime_error("no more");
  };
  EXPECT_THROW((void)cut_through::run_event_driven(*relation, *pattern, spec, fails), std::runtime_error);
}

TEST(CutThroughThreads, ARunGoesOnAloneWhereNoThreadCanBeStarted) {
  const auto [topology, relation, pattern] = testing_support::network("fat-tree:k=4,n=4");
  SimulationSpec spec = overloaded();
  const cut_through::Outcome single = cut_through::run_event_driven(*relation, *pattern, spec, {});
  spec.threads = 3;
  const testing_support::NoMoreThreads none;
  testing_support::expect_equal(cut_through::run_event_driven(*relation, *pattern, spec, {}), single);
}

TEST(Barrier, LetsNobodyPassBeforeAllHaveCome) {
  constexpr std::uint32_t threads = 3, rounds = 500;
  Barrier barrier(threads);
  std::array<std::uint32_t, threads> reached{};  // plain: the barrier orders the accesses
  std::atomic<bool> wrong{false};
  {
    std::vector<std::jthread> all;
    for (std::uint32_t number = 0; number < threads; ++number)
      all.emplace_back([&, number] {
        for (std::uint32_t round = 1; round <= rounds; ++round) {
          reached[number] = round;
          barrier.wait();
          for (const std::uint32_t other : reached) wrong = wrong || other != round;
          barrier.wait();
        }
      });
  }
  EXPECT_FALSE(wrong);
}

}  // namespace
}  // namespace faultline
