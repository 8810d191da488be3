// SPDX-License-Identifier: Apache-2.0
#include "faultline/simulate/simulate.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "faultline/simulate/statistics.h"
#include "faultline/topology/builder.h"
#include "simulate/cut_through/model.h"
#include "simulate/measurement/histogram.h"
#include "support/effort.h"
#include "support/wormhole_support.h"

namespace faultline {
namespace {

using testing_support::network;
using testing_support::Network;
using testing_support::small_spec;

// ---- accounting

TEST(Simulate, CountsUnreachableDestinationsAsDroppedAtTheSource) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "ruft:k=2,n=3"));
  FaultSet faults(*topology);
  faults.fail(topology->injection(TerminalId(3))[0]);
  const Network built = network(topology, faults);
  const SimulationResult result = simulate(*built.relation, *built.pattern, small_spec(0.2, 16));
  ASSERT_TRUE(result.dropped.contains("unreachable"));
  EXPECT_EQ(result.generated, result.delivered + result.in_flight + result.dropped.at("unreachable"));
  EXPECT_NEAR(static_cast<double>(result.dropped.at("unreachable")),
              static_cast<double>(result.generated) / 8, static_cast<double>(result.generated) / 40);
  EXPECT_FALSE(result.saturated);
}

TEST(Simulate, AcceptsWhatIsOfferedBelowSaturation) {
  const Network built = network("fat-tree:k=4,n=3");
  const SimulationResult result = simulate(*built.relation, *built.pattern, small_spec(0.3, 128));
  EXPECT_FALSE(result.saturated);
  EXPECT_NEAR(result.offered, 0.3, 0.02);
  EXPECT_NEAR(result.accepted, result.offered, 0.01);
  EXPECT_LT(result.accepted_interval.low, 0.3);
  EXPECT_GT(result.accepted_interval.high, 0.3);
  EXPECT_LT(result.latency.interval.low, result.latency.mean);
  EXPECT_GT(result.latency.interval.high, result.latency.mean);
  EXPECT_LE(result.latency.p50, result.latency.p99);
  EXPECT_LT(result.latency.network_mean, result.latency.mean);
  EXPECT_GT(result.hops_mean, 4);
  EXPECT_LT(result.hops_mean, 5);
  EXPECT_EQ(result.flit_hops, result.packet_hops * 128);
}

TEST(Simulate, SaturationDoesNotDependOnHowFarAboveItTheLoadIs) {
  const Network built = network("ruft:k=4,n=3");
  const SimulationResult low = simulate(*built.relation, *built.pattern, small_spec(0.65, 128));
  const SimulationResult high = simulate(*built.relation, *built.pattern, small_spec(1.5, 128));
  EXPECT_TRUE(low.saturated);
  EXPECT_TRUE(high.saturated);
  EXPECT_NEAR(low.accepted, high.accepted, 0.03);
  EXPECT_NEAR(high.offered, 1.5, 0.1);
}

TEST(Simulate, StopsWhenEachSourceHasItsPacketsDelivered) {
  const Network built = network("ft-ruft-222:k=2,n=3");
  SimulationSpec spec = small_spec(0.3, 16);
  spec.measurement.packets_per_source = 50;
  const SimulationResult result = simulate(*built.relation, *built.pattern, spec);
  EXPECT_GE(result.delivered, 50U * 8U);
  EXPECT_LT(result.delivered, 3U * 50U * 8U);
}

/// With too few cycles for them, a run measures as if they had not been asked for.
TEST(Simulate, MeasuresAlsoWherePacketsAreNotDelivered) {
  const Network built = network("mesh:radix=4x4");
  for (const Switches& switches : {Switches(CutThroughSwitches{}), Switches(WormholeSwitches{})}) {
    SimulationSpec spec = small_spec(0.1, 16);
    spec.switches = switches;
    spec.measurement.cycles = 10'000;
    const SimulationResult plain = simulate(*built.relation, *built.pattern, spec);
    spec.measurement.packets_per_source = 5'000;
    const SimulationResult limited = simulate(*built.relation, *built.pattern, spec);
    EXPECT_EQ(limited.delivered, plain.delivered);
    EXPECT_NEAR(limited.offered, plain.offered, 0.01);
    EXPECT_NEAR(limited.accepted, plain.accepted, 0.01);
    EXPECT_NEAR(limited.latency.mean, plain.latency.mean, 0.05 * plain.latency.mean);
    EXPECT_LT(limited.latency.interval.high, 2 * limited.latency.mean);
    EXPECT_THAT(limited.notes, testing::Contains(testing::HasSubstr("packets-per-source not reached")));
    spec.measurement.packets_per_source = 10;
    EXPECT_THAT(simulate(*built.relation, *built.pattern, spec).notes,
                testing::Not(testing::Contains(testing::HasSubstr("packets-per-source not reached"))));
  }
}

TEST(Simulate, CountsPacketsOfEachSourceAfterTheWarmupAskedFor) {
  const Network built = network("mesh:radix=4x4");  // saturates at 0.62
  double accepted = 0;
  constexpr std::uint64_t seeds = effort(30, 5);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SimulationSpec spec = small_spec(0.3, 16);
    spec.seed = seed;
    spec.measurement.cycles = 0;
    spec.measurement.warmup = 1000;
    spec.measurement.packets_per_source = 5;
    const SimulationResult result = simulate(*built.relation, *built.pattern, spec);
    EXPECT_FALSE(result.saturated) << "seed " << seed;
    EXPECT_GE(result.latency.packets, 5U * 16U);
    EXPECT_GT(result.cycles, result.warmup_cycles);
    accepted += result.accepted / seeds;
  }
  EXPECT_NEAR(accepted, 0.3, 0.03);
}

/// Queues may grow in ten cycles by chance: the test of their growth errs in 2.5 % of all runs.
TEST(Simulate, SeldomCallsAFewCyclesSaturated) {
  const Network built = network("mesh:radix=4x4");
  int saturated = 0;
  for (std::uint64_t seed = 1; seed <= effort(30U, 5U); ++seed) {
    SimulationSpec spec = small_spec(0.5, 16);
    spec.seed = seed;
    spec.measurement.cycles = 10'000;
    spec.measurement.warmup = 9990;
    saturated += simulate(*built.relation, *built.pattern, spec).saturated ? 1 : 0;
  }
  EXPECT_LE(saturated, 2);
}

/// Two intervals of time are too few to find a warm-up in.
TEST(Simulate, MeasuresAlsoWhenASourceHasFewPackets) {
  const Network built = network("mesh:radix=4x4");
  SimulationSpec spec = small_spec(0.1, 1);
  spec.measurement.cycles = 0;
  spec.measurement.packets_per_source = 5;
  const SimulationResult result = simulate(*built.relation, *built.pattern, spec);
  EXPECT_EQ(result.warmup_cycles, 0U);
  EXPECT_EQ(result.latency.packets, result.delivered);
  EXPECT_TRUE(result.too_short);
}

TEST(Simulate, KeepsTheWarmupAndTheLengthAskedFor) {
  const Network built = network("ruft:k=2,n=3");
  SimulationSpec spec = small_spec(0.3, 16);
  spec.measurement.cycles = 10'007;
  spec.measurement.warmup = 1234;
  const SimulationResult result = simulate(*built.relation, *built.pattern, spec);
  EXPECT_EQ(result.cycles, 10'007U);
  EXPECT_EQ(result.warmup_cycles, 1234U);
}

TEST(Simulate, SameSeedSameResultOtherSeedAnother) {
  const Network built = network("ft-ruft-212:k=4,n=2", "", "hot-spot:share=0.15");
  SimulationSpec spec = small_spec(0.4, 16);
  const SimulationResult once = simulate(*built.relation, *built.pattern, spec);
  const SimulationResult again = simulate(*built.relation, *built.pattern, spec);
  EXPECT_EQ(once.latency.mean, again.latency.mean);
  EXPECT_EQ(once.packet_hops, again.packet_hops);
  spec.seed = 2;
  EXPECT_NE(simulate(*built.relation, *built.pattern, spec).latency.mean, once.latency.mean);
}

TEST(Simulate, RunsSwitchesOfMorePortsThanAWordHasBits) {
  const Network built = network("fat-tree:k=65,n=1");
  SimulationSpec spec = small_spec(0.3, 16);
  spec.measurement.cycles = 3000;
  const SimulationResult result = simulate(*built.relation, *built.pattern, spec);
  EXPECT_NEAR(result.accepted, 0.3, 0.03);
  EXPECT_EQ(result.hops_mean, 1);
}

// ---- deadlock

/// Four switches in a one-way ring, a terminal at each.
TopologyPtr ring() {
  TopologyBuilder builder;
  for (std::uint32_t i = 0; i < 4; ++i) builder.add_switch({0, i});
  for (std::uint32_t i = 0; i < 4; ++i) builder.connect({SwitchId(i), 1}, {SwitchId((i + 1) % 4), 1});
  for (std::uint32_t i = 0; i < 4; ++i) builder.attach(builder.add_terminal(), {SwitchId(i), 0});
  return std::make_shared<const Topology>(std::move(builder).build("ring", "shortest-path"));
}

TEST(Deadlock, OfAOneWayRingIsReportedWithItsCycle) {
  const TopologyPtr topology = ring();
  const Network built = network(topology, FaultSet(*topology));
  for (const Buffering buffers : {Buffering::input, Buffering::output, Buffering::both}) {
    SimulationSpec spec = small_spec(1.0, 16);
    spec.cut_through().buffers = buffers;
    spec.cut_through().buffer_packets = 1;
    const cut_through::Outcome ours = cut_through::run_event_driven(*built.relation, *built.pattern, spec);
    const cut_through::Outcome oracle = cut_through::run_cycle_driven(*built.relation, *built.pattern, spec);
    EXPECT_TRUE(ours.result.deadlock);
    EXPECT_EQ(ours.result.deadlock_cycle.size(), 4U);
    EXPECT_EQ(ours.result.deadlock_cycle, oracle.result.deadlock_cycle);
    EXPECT_EQ(ours.checksum, oracle.checksum);
  }
}

/// A rule that ends the run does not hide a deadlock that has just begun: it is the one of a run of that
/// length.
TEST(Deadlock, IsFoundWhereAStopRuleEndsTheRun) {
  const TopologyPtr topology = ring();
  const Network built = network(topology, FaultSet(*topology));
  std::size_t deadlocks = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SimulationSpec spec = small_spec(1.0, 16);
    spec.cut_through().buffer_packets = 1;
    spec.seed = seed;
    spec.measurement.packets_per_source = 1;
    const SimulationResult stopped = simulate(*built.relation, *built.pattern, spec);
    const cut_through::Outcome oracle = cut_through::run_cycle_driven(*built.relation, *built.pattern, spec);
    spec.measurement.packets_per_source = 0;
    spec.measurement.cycles = stopped.cycles;
    const SimulationResult ended = simulate(*built.relation, *built.pattern, spec);
    EXPECT_EQ(stopped.deadlock, ended.deadlock) << "seed " << seed;
    EXPECT_EQ(oracle.result.deadlock, ended.deadlock) << "seed " << seed;
    deadlocks += ended.deadlock ? 1 : 0;
  }
  EXPECT_GT(deadlocks, 0U);
}

TEST(Deadlock, IsNotReportedWhereThereIsNone) {
  const Network built = network("ruft:k=2,n=3");
  EXPECT_FALSE(simulate(*built.relation, *built.pattern, small_spec(1.0, 16)).deadlock);
}

TEST(Deadlock, OfATorusWithoutABubbleIsNoticedWhileItRuns) {
  SimulationSpec spec = small_spec(1.0, 16);
  spec.measurement.cycles = effort(60'000U, 15'000U);
  const auto run = [&](std::string_view routing) {
    const Network torus = network("torus:radix=8x8", routing);
    return simulate(*torus.relation, *torus.pattern, spec);
  };
  const SimulationResult none = run("dimension-order:ring_rule=none");
  EXPECT_TRUE(none.deadlock);
  EXPECT_GE(none.deadlock_cycle.size(), 4U);
  EXPECT_EQ(none.deadlock_packets.size(), none.deadlock_cycle.size());
  EXPECT_LT(none.cycles, spec.measurement.cycles);
  for (const std::string_view routing :
       {"dimension-order", "dimension-order:ring_rule=dateline", "duato", "direction-order"}) {
    const SimulationResult result = run(routing);
    EXPECT_FALSE(result.deadlock) << routing;
    EXPECT_GT(result.accepted, 0.3) << routing;
    EXPECT_EQ(result.cycles, spec.measurement.cycles) << routing;
  }
}

// ---- bad input

TEST(Simulate, RefusesASpecThatCannotBeRun) {
  const Network built = network("ruft:k=2,n=2");
  const auto refused = [&](auto change) -> std::string {
    SimulationSpec spec;
    change(spec);
    try {
      (void)simulate(*built.relation, *built.pattern, spec);
    } catch (const Error& error) {
      return error.parts().field;
    }
    return "accepted";
  };
  EXPECT_EQ(refused([](SimulationSpec& spec) { spec.injection.load = 0; }), "simulate.load");
  EXPECT_EQ(refused([](SimulationSpec& spec) { spec.injection.load = -0.5; }), "simulate.load");
  EXPECT_EQ(refused([](SimulationSpec& spec) { spec.injection.load = std::nan(""); }), "simulate.load");
  EXPECT_EQ(refused([](SimulationSpec& spec) { spec.injection.load = 129; }), "simulate.load");
  EXPECT_EQ(refused([](SimulationSpec& spec) { spec.injection.packet_flits = 0; }), "simulate.packet-flits");
  EXPECT_EQ(refused([](SimulationSpec& spec) { spec.cut_through().buffer_packets = 0; }),
            "simulate.buffer-packets");
  EXPECT_EQ(refused([](SimulationSpec& spec) { spec.cut_through().buffer_packets = max_buffer_packets + 1; }),
            "simulate.buffer-packets");
  EXPECT_EQ(refused([](SimulationSpec& spec) { spec.measurement.cycles = std::uint64_t{1} << 40; }),
            "simulate.cycles");
  EXPECT_EQ(
      refused([](SimulationSpec& spec) { spec.measurement.cycles = 100, spec.measurement.warmup = 100; }),
      "simulate.warmup");
  EXPECT_EQ(refused([](SimulationSpec& spec) { spec.virtual_channels = 2; }), "simulate.vcs");
  EXPECT_EQ(refused([](SimulationSpec& spec) { spec.cut_through().routing_cycles = 1U << 20; }),
            "simulate.routing-cycles");

  SimulationSpec spec;
  spec.cut_through().buffers = Buffering::both;
  const Network adaptive = network("torus:radix=4x4", "duato");
  EXPECT_THROW((void)simulate(*adaptive.relation, *adaptive.pattern, spec), Error);
  spec.cut_through().buffer_packets = 1;
  const Network bubble = network("torus:radix=4x4", "dimension-order");
  EXPECT_THROW((void)simulate(*bubble.relation, *bubble.pattern, spec), Error);
}

// ---- statistics

TEST(Statistics, Mser5CutsTheRampAndNothingElse) {
  std::vector<double> values;
  for (int i = 0; i < 10; ++i) values.push_back(i);
  for (int i = 0; i < 90; ++i) values.push_back(10 + 0.1 * (i % 3));
  EXPECT_EQ(mser5_truncation(values), 10U);
  EXPECT_EQ(mser5_truncation(std::vector<double>(100, 5.0)), 0U);
}

/// What is left of the variance over the number of values left, for each cut.
TEST(Statistics, Mser5IsTheCutWithTheLeastStandardError) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomStream random(seed, 3);
    std::vector<double> values;
    for (std::uint32_t i = 0, count = 4 + random.next_below(60); i < count; ++i)
      values.push_back(1e6 + random.next_unit() + 5.0 / (i + 1));
    std::vector<double> errors;
    for (std::size_t cut = 0; cut <= values.size() / 2; ++cut) {
      const double left = static_cast<double>(values.size() - cut);
      double sum = 0, squares = 0;
      for (std::size_t i = cut; i < values.size(); ++i) sum += values[i];
      for (std::size_t i = cut; i < values.size(); ++i) squares += std::pow(values[i] - sum / left, 2);
      errors.push_back(squares / left / left);
    }
    EXPECT_EQ(mser5_truncation(values),
              static_cast<std::size_t>(std::ranges::min_element(errors) - errors.begin()))
        << seed;
  }
}

TEST(Statistics, BatchMeansIntervalIsStudents) {
  // Four values with mean 2.5 and deviation 1.29099; t(0.975, 3) = 3.18245.
  const Interval interval = batch_means_interval(std::vector<double>{1, 2, 3, 4});
  EXPECT_NEAR(interval.low, 2.5 - 3.18245 * 1.29099 / 2, 1e-4);
  EXPECT_NEAR(interval.high, 2.5 + 3.18245 * 1.29099 / 2, 1e-4);
  EXPECT_TRUE(std::isinf(batch_means_interval(std::vector<double>{1}).high));
}

TEST(Statistics, HistogramQuantilesAreValuesThatWereSeenOrNearThem) {
  for (const std::uint32_t range : {1U, 200U, 5'000U, 1'000'000U}) {
    RandomStream random(range, 0);
    Histogram first, second;
    std::vector<std::uint32_t> values;
    for (int i = 0; i < 3001; ++i) {
      values.push_back(random.next_below(range) * random.next_below(3));
      (i % 2 == 0 ? first : second).add(values.back());
    }
    first.add(second);
    std::ranges::sort(values);
    for (const double fraction : {0.0, 0.0005, 0.01, 0.5, 0.9, 0.99, 1.0}) {
      const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(fraction * 3001)));
      const std::uint32_t exact = values[rank - 1], distance = exact < 4096 ? 0 : exact / 1000;
      EXPECT_NEAR(first.quantile(fraction), exact, distance) << fraction << " of " << range;
    }
  }
  EXPECT_EQ(Histogram().quantile(0.5), 0U);
}

/// Of an autoregressive process the mean of which is known.
TEST(Statistics, SteadyMeanCoversTheMeanOfCorrelatedSequences) {
  for (const double correlation : {0.0, 0.5, 0.8}) {
    int covered = 0, settled = 0;
    constexpr int repeats = 1000;
    for (std::uint64_t repeat = 0; repeat < repeats; ++repeat) {
      RandomStream random(repeat, 1);
      std::vector<double> sums, counts;
      double value = 0;
      for (int i = -100; i < 256; ++i) {
        value = correlation * value - std::log(random.next_unit()) - 1;  // skewed
        if (i < 0) continue;
        counts.push_back(1 + random.next_below(3));
        sums.push_back(counts.back() * (10 + value));
      }
      const SteadyMean found = steady_mean(sums, counts);
      settled += found.settled ? 1 : 0;
      covered += found.interval.low <= 10 && 10 <= found.interval.high ? 1 : 0;
    }
    EXPECT_GE(covered, 930) << correlation;
    EXPECT_LE(covered, 975) << correlation;
    EXPECT_GE(settled, correlation < 0.6 ? 800 : 300) << correlation;
  }
}

/// Most bins have none of the few observations: the mean of n independent ones, with Student's t of n - 1.
TEST(Statistics, SteadyMeanKnowsHowFewObservationsThereAre) {
  for (const std::uint32_t observations : {2U, 3U, 5U, 8U, 12U}) {
    int covered = 0, settled = 0;
    constexpr int repeats = 2000;
    for (std::uint64_t repeat = 0; repeat < repeats; ++repeat) {
      RandomStream random(repeat, 7);
      std::vector<double> sums(200), counts(200);
      for (std::uint32_t i = 0; i < observations; ++i) {
        const std::size_t bin = random.next_below(200);
        sums[bin] += 10 + random.next_unit() + random.next_unit() + random.next_unit() - 1.5;
        counts[bin] += 1;
      }
      const SteadyMean found = steady_mean(sums, counts);
      settled += found.settled ? 1 : 0;
      covered += found.interval.low <= 10 && 10 <= found.interval.high ? 1 : 0;
    }
    EXPECT_GE(covered, repeats * 93 / 100) << observations;
    EXPECT_EQ(settled, 0) << observations;
  }
  std::vector<double> sums(200), counts(200);
  sums[70] = 30;
  counts[70] = 3;
  EXPECT_EQ(steady_mean(sums, counts).mean, 10);
  EXPECT_TRUE(std::isinf(steady_mean(sums, counts).interval.high));
}

TEST(Statistics, ASequenceThatIsTooShortForItsCorrelationIsNotSettled) {
  std::vector<double> sums, counts(128, 1);
  for (int i = 0; i < 128; ++i) sums.push_back(i);
  EXPECT_FALSE(steady_mean(sums, counts).settled);
  EXPECT_FALSE(steady_mean({}, {}).settled);
  EXPECT_TRUE(std::isinf(steady_mean(std::vector<double>(50), std::vector<double>(50)).interval.high));
  EXPECT_TRUE(steady_mean(std::vector<double>(128, 3), counts).settled);
}

TEST(Simulate, TrafficThatSendsNothingIsRefused) {
  const Network built = network("ruft:k=2,n=2");
  class Silent final : public TrafficPattern {
   public:
    [[nodiscard]] TerminalId destination(TerminalId source, std::uint64_t) const override { return source; }
    [[nodiscard]] bool silent(TerminalId) const override { return true; }
  };
  try {
    (void)simulate(*built.relation, Silent(), {});
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.parts().field, "simulate.traffic");
  }
}

TEST(Simulate, ARunInWhichNothingIsGeneratedSaysSo) {
  const Network built = network("ruft:k=2,n=2");
  SimulationSpec spec;
  spec.injection.load = 0.0001;
  spec.measurement.cycles = 500;
  const SimulationResult result = simulate(*built.relation, *built.pattern, spec);
  ASSERT_EQ(result.generated, 0U);
  EXPECT_THAT(result.note_on_length, testing::HasSubstr("nothing was generated"));
}

}  // namespace
}  // namespace faultline
