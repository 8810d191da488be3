// SPDX-License-Identifier: Apache-2.0
// Measurements besides latency, when a run stops, and how several runs are combined.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "faultline/simulate/channel_load.h"
#include "faultline/simulate/ideal.h"
#include "faultline/simulate/replications.h"
#include "faultline/simulate/run_length.h"
#include "simulate/injection/injection_process.h"
#include "simulate/measurement/timeline.h"
#include "support/effort.h"
#include "support/listed_packets.h"
#include "support/no_more_threads.h"
#include "support/wormhole_support.h"

namespace faultline {
namespace {

using namespace testing_support;

SimulationSpec counted(double load, std::uint32_t flits, Switching switching = Switching::cut_through) {
  SimulationSpec spec;
  spec.injection.load = load;
  spec.injection.packet_flits = flits;
  spec.switches = switches_of(switching);
  spec.measurement.channel_load = true;
  return spec;
}

constexpr std::array both_models{Switching::cut_through, Switching::wormhole};

std::uint64_t flits_of_role(const Topology& topology, const SimulationResult& result, ChannelRole role) {
  std::uint64_t sum = 0;
  for (const ChannelId channel : topology.channels())
    if (topology.role(channel) == role) sum += result.channel_flits[channel.index()];
  return sum;
}

// ---- channel load

TEST(ChannelLoad, FlitsOfChannelsThatLeaveASwitchAreTheFlitHops) {
  for (const char* name : {"fat-tree:k=4,n=2", "ft-ruft-222:k=2,n=3", "torus:radix=4x4"})
    for (const Switching switching : both_models)
      for (const double load : {0.1, 0.9}) {
        const Network built = network(name);
        const SimulationResult result =
            simulate(*built.relation, *built.pattern, counted(load, 16, switching));
        const Topology& topology = *built.topology;
        ASSERT_EQ(result.channel_flits.size(), topology.channel_count());
        const std::uint64_t network_flits = flits_of_role(topology, result, ChannelRole::network),
                            ejected = flits_of_role(topology, result, ChannelRole::ejection),
                            injected = flits_of_role(topology, result, ChannelRole::injection);
        EXPECT_EQ(network_flits + ejected, result.flit_hops) << name;
        EXPECT_GE(ejected, result.delivered * 16) << name;
        EXPECT_GE(injected, ejected) << name;
        EXPECT_LE(injected, (result.generated + 1) * 16) << name;
        EXPECT_LE(*std::ranges::max_element(result.channel_flits), result.cycles + 16) << name;
      }
}

TEST(ChannelLoad, OnePairLoadsItsPathAndNothingElse) {
  const Network built = network("mesh:radix=5", "dimension-order");
  const OnePair pattern(TerminalId(1), TerminalId(3));
  for (const Switching switching : both_models) {
    SimulationSpec spec = counted(0.25, 8, switching);
    spec.injection.process = Injection::constant;
    spec.measurement.cycles = 32'000;
    const SimulationResult result = simulate(*built.relation, pattern, spec);
    const ChannelLoad load = channel_load(result, *built.relation, pattern, spec.injection.load, 5);
    EXPECT_NEAR(load.max, 0.25, 0.001);
    EXPECT_NEAR(load.even_split_max.value_or(0), 0.25, 1e-9);
    EXPECT_NEAR(load.mean, 0.25 * 4 / static_cast<double>(built.topology->channel_count()), 0.001);
    ASSERT_EQ(load.busiest.size(), 5U);
    EXPECT_GT(load.busiest[3].load, 0.24);  // injection, two hops, ejection
    EXPECT_EQ(load.busiest[4].load, 0);
    EXPECT_EQ(std::ranges::count_if(result.channel_flits, [](std::uint64_t flits) { return flits != 0; }), 4);
  }
}

TEST(ChannelLoad, AtLowLoadIsWhatChannelsWouldCarryIfPacketsSpreadEvenly) {
  for (const char* traffic : {"uniform", "hot-spot:share=0.3", "complement"}) {
    const Network built = network("ruft-pl:k=2,n=3", "", traffic);
    SimulationSpec spec = counted(0.1, 16);
    spec.measurement.cycles = 800'000;
    const SimulationResult result = simulate(*built.relation, *built.pattern, spec);
    const std::vector<double> expected = expected_channel_loads(*built.relation, *built.pattern);
    for (const ChannelId channel : built.topology->channels()) {
      const double packets = 0.1 * expected[channel.index()] * 800'000 / 16;
      EXPECT_NEAR(static_cast<double>(result.channel_flits[channel.index()]) / 16, packets,
                  6 * std::sqrt(packets) + 2)
          << traffic << ": " << built.topology->name(channel);
    }
    const ChannelLoad load = channel_load(result, *built.relation, *built.pattern, 0.1);
    EXPECT_NEAR(load.max, load.even_split_max.value_or(0), 0.1 * load.max) << traffic;
  }
}

TEST(ChannelLoad, IsNotCountedUnlessAskedFor) {
  const Network built = network("ruft:k=2,n=2");
  SimulationSpec spec = counted(0.1, 16);
  spec.measurement.channel_load = false;
  EXPECT_TRUE(simulate(*built.relation, *built.pattern, spec).channel_flits.empty());
}

// ---- starvation

TEST(Starvation, AnEmptyNetworkLetsEveryPacketInAtOnce) {
  const Network built = network("mesh:radix=5", "dimension-order");
  const OnePair pattern(TerminalId(1), TerminalId(3));
  for (const Switching switching : both_models) {
    SimulationSpec spec = counted(0.25, 8, switching);
    spec.injection.process = Injection::constant;
    const SimulationResult result = simulate(*built.relation, pattern, spec);
    EXPECT_EQ(result.starvation.longest_source_wait, 0U);
    EXPECT_TRUE(result.starvation.sources.empty());
  }
}

TEST(Starvation, AFullInjectionChannelLetsAPacketWaitForTheOneBefore) {
  const Network built = network("mesh:radix=5", "dimension-order");
  const OnePair pattern(TerminalId(1), TerminalId(3));
  for (const Switching switching : both_models) {
    SimulationSpec spec = counted(2, 16, switching);
    spec.switches = switches_of(switching, {}, {.buffer_flits = 32});
    if (switching == Switching::wormhole) spec.virtual_channels = 2;  // one takes over from the other
    spec.injection.process = Injection::constant;
    const SimulationResult result = simulate(*built.relation, pattern, spec);
    EXPECT_TRUE(result.saturated);
    EXPECT_EQ(result.starvation.longest_source_wait, 16U);
  }
}

TEST(Starvation, ADeadlockStarvesAllSources) {
  const TopologyPtr ring = one_way_ring(9);
  const RoundTheRing relation(ring, false);
  const auto pattern = build_pattern(*ring, 1, parse_compact("traffic", "uniform"));
  SimulationSpec spec = counted(0.9, 16, Switching::wormhole);
  spec.measurement.cycles = 1'000'000;
  spec.measurement.warmup = 20'000;
  const SimulationResult result = simulate(relation, *pattern, spec);
  ASSERT_TRUE(result.deadlock);
  EXPECT_LE(result.starvation.longest_source_wait, result.cycles);
  ASSERT_GT(result.cycles, 20'000U);
  EXPECT_EQ(result.starvation.sources.size(), 9U);
}

// ---- the interval as a stop rule

TEST(IntervalWidth, StopsWhenTheIntervalIsNarrow) {
  const Network built = network("fat-tree:k=4,n=2");
  for (const Switching switching : thinned(std::vector(both_models.begin(), both_models.end()), 2)) {
    std::uint64_t cycles_before = 0;
    for (const double width : {0.1, 0.02, 0.005}) {
      SimulationSpec spec = counted(0.4, 16, switching);
      spec.measurement.interval_width = width;
      const SimulationResult result = simulate(*built.relation, *built.pattern, spec);
      EXPECT_FALSE(result.saturated);
      EXPECT_LE((result.latency.interval.high - result.latency.interval.low) / 2,
                width * result.latency.mean);
      EXPECT_GE(result.cycles, cycles_before);
      cycles_before = result.cycles;
    }
    EXPECT_GT(cycles_before, 20'000U) << "the narrowest takes more than the least";
  }
}

TEST(IntervalWidth, GivesUpOnASaturatedNetworkAndKeepsTheLimit) {
  const Network built = network("ruft:k=4,n=2");
  SimulationSpec spec = counted(1.5, 16);
  spec.measurement.interval_width = 0.001;
  const SimulationResult saturated = simulate(*built.relation, *built.pattern, spec);
  EXPECT_TRUE(saturated.saturated);
  EXPECT_LT(saturated.cycles, 200'000U);
  spec.injection.load = 0.3;
  spec.measurement.interval_width = 1e-6;
  spec.measurement.cycles = 30'000;
  EXPECT_EQ(simulate(*built.relation, *built.pattern, spec).cycles, 30'000U);
}

// ---- a number of packets as a stop rule

TEST(PacketsOfARun, EndItAndAreASample) {
  const Network built = network("fat-tree:k=4,n=2");
  for (const Switching switching : both_models) {
    SimulationSpec spec = counted(0.4, 16, switching);
    spec.measurement.packets = 10'000;
    const SimulationResult result = simulate(*built.relation, *built.pattern, spec);
    EXPECT_GE(result.delivered, 10'000U);
    EXPECT_LT(result.delivered, 11'000U);
    EXPECT_EQ(result.cycles % 60, 0U) << "at the edge of a bin";
    EXPECT_GT(result.warmup_cycles, 0U);
    EXPECT_LT(result.latency.interval.low, result.latency.mean);
    EXPECT_GT(result.latency.interval.high, result.latency.mean);
    EXPECT_LT(result.accepted_interval.low, result.accepted_interval.high);
    EXPECT_FALSE(result.saturated);
  }
}

TEST(PacketsOfARun, DoNotHideSaturationOrThatThereAreTooFew) {
  const Network built = network("ruft:k=4,n=2");
  SimulationSpec spec = counted(1.5, 16);
  spec.measurement.packets = 20'000;
  EXPECT_TRUE(simulate(*built.relation, *built.pattern, spec).saturated);
  spec.injection.load = 0.3;
  spec.measurement.packets = 1'000;
  const SimulationResult few = simulate(*built.relation, *built.pattern, spec);
  EXPECT_TRUE(few.too_short);
  EXPECT_THAT(few.note_on_length, testing::EndsWith("give more packets"));
}

// ---- runs shorter than a bin of sixty cycles

/// Packets of cycles 0, 10 and 45: two arrive within 50 cycles.
TEST(ShortRun, MeasuresWhatThereIs) {
  const Network built = network("mesh:radix=4x4", "dimension-order");
  const ListedPackets packets(*built.topology, {{TerminalId(0), {0, TerminalId(1), 8}},
                                                {TerminalId(1), {10, TerminalId(0), 8}},
                                                {TerminalId(0), {45, TerminalId(1), 8}}});
  for (const Switching model : both_models) {
    SimulationSpec spec = counted(0, 8, model);
    spec.measurement.cycles = 50;
    const SimulationResult result = simulate(*built.relation, packets, spec);
    EXPECT_EQ(result.delivered, 2U);
    EXPECT_DOUBLE_EQ(result.offered, 3 * 8 / (50.0 * 16));
    EXPECT_DOUBLE_EQ(result.accepted, 2 * 8 / (50.0 * 16));
    EXPECT_EQ(result.latency.packets, 2U);
    EXPECT_DOUBLE_EQ(result.latency.mean, static_cast<double>(zero_load_latency(
                                              *built.relation, TerminalId(0), TerminalId(1), spec)));
  }
}

/// A rule that cannot be met within the cycles does not change what is measured in them.
TEST(ShortRun, WithAStopRuleMeasuresLikeOneWithout) {
  const Network built = network("mesh:radix=4x4", "dimension-order");
  for (const std::uint64_t cycles : {50U, 61U, 150U})
    for (const std::optional<std::uint64_t> warmup : {std::optional<std::uint64_t>{}, {30U}}) {
      SimulationSpec spec = counted(0.3, 4);
      spec.measurement.cycles = cycles;
      spec.measurement.warmup = warmup;
      const SimulationResult plain = simulate(*built.relation, *built.pattern, spec);
      ASSERT_GT(plain.latency.packets, 0U);
      spec.measurement.packets_per_source = 1'000;
      const SimulationResult limited = simulate(*built.relation, *built.pattern, spec);
      EXPECT_EQ(limited.warmup_cycles, plain.warmup_cycles);
      EXPECT_EQ(limited.accepted, plain.accepted);
      EXPECT_EQ(limited.latency.mean, plain.latency.mean);
    }
}

/// More packets than the longest run delivers: it is as long as it can be, and is measured in many bins.
TEST(PacketsPerSource, OfWhichARunHasNoTimeForAllAreMeasuredAsFarAsItGoes) {
  for (const double load : {1.0, 0.01, 1e-6}) {
    SimulationSpec spec = counted(load, 128, Switching::wormhole);
    spec.measurement.cycles = 0;
    spec.measurement.warmup = std::nullopt;
    for (const std::uint64_t packets : {10'000'000U, 1'000'000'000U}) {
      spec.measurement.packets_per_source = packets;
      const Timeline line = Timeline::of(spec);
      EXPECT_GT(line.limit, max_cycles / 100 * 99) << load;
      EXPECT_GE(line.bin_count(), 100U) << load;
    }
  }
}

/// Each interval takes memory, in each of the runs at a time.
TEST(PacketsPerSource, OfARunThatHasFarMoreTimeTakeFewIntervals) {
  SimulationSpec spec = counted(0.3, 128, Switching::cut_through);
  spec.measurement.packets_per_source = 1;
  spec.measurement.cycles = max_cycles;
  EXPECT_LE(Timeline::of(spec).bin_count(), 128 * slowest_run + 2);
}

// ---- standstill

TEST(Standstill, IsNotedWherePacketsWaitButNotForEachOther) {
  const Network built = network("mesh:radix=2", "dimension-order");
  for (const Switching model : both_models) {
    SimulationSpec spec = counted(0.3, 8, model);
    spec.measurement.cycles = 10'000;
    EXPECT_EQ(simulate(*built.relation, *built.pattern, spec).silent_cycles, 0U);
    constexpr std::uint64_t failure = 4'000, long_after = 1'000'000;
    for (const ChannelId channel : built.topology->channels())
      if (built.topology->role(channel) == ChannelRole::network)
        spec.faults.outages.push_back({channel, failure, long_after});
    const SimulationResult result = simulate(*built.relation, *built.pattern, spec);
    EXPECT_FALSE(result.deadlock);
    EXPECT_NEAR(static_cast<double>(result.silent_cycles), 6'000, 200);
    EXPECT_THAT(result.notes, testing::Contains(testing::HasSubstr("nothing was delivered in the last")));
  }
}

// ---- bursts

/// Three flits take two and a half cycles at 1.2 flits/cycle, twice the load.
TEST(Bursts, HaveTwiceTheLoadAndThatLoadOnAverage) {
  const Network built = network("mesh:radix=2", "dimension-order");
  SimulationSpec spec = counted(0.6, 3);
  spec.injection.process = Injection::bursty;
  constexpr std::uint32_t packets = 200'000;
  const auto cycles_a_packet = [&](double burst_packets) {
    spec.injection.burst_packets = burst_packets;
    const InjectionProcess process(2, *built.pattern, spec);
    Time last = 0;
    for (std::uint32_t i = 1; i <= packets; ++i) last = process.time_of(TerminalId(0), i, last);
    return static_cast<double>(last) / packets;
  };
  EXPECT_NEAR(cycles_a_packet(1e12), 2.5, 0.02);
  EXPECT_NEAR(cycles_a_packet(8), 3 / 0.6, 0.1);
}

// ---- replications

TEST(Replications, AreTheSameOnAnyNumberOfThreads) {
  const Network built = network("ft-ruft-212:k=2,n=3");
  const SimulationSpec spec = counted(0.4, 16);
  const Replications one = replicate(*built.relation, *built.pattern, spec, 5, 1);
  for (const std::uint32_t threads : {2U, 8U}) {
    const Replications many = replicate(*built.relation, *built.pattern, spec, 5, threads);
    EXPECT_EQ(one.combined.latency.mean, many.combined.latency.mean);
    EXPECT_EQ(one.combined.latency.interval.low, many.combined.latency.interval.low);
    EXPECT_EQ(one.combined.channel_flits, many.combined.channel_flits);
    EXPECT_EQ(one.combined.delivered, many.combined.delivered);
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_EQ(one.runs[i].result.latency.mean, many.runs[i].result.latency.mean);
  }
}

TEST(Replications, GoOnWithoutFurtherThreads) {
  const Network built = network("ft-ruft-212:k=2,n=3");
  const SimulationSpec spec = counted(0.4, 16);
  const double expected = replicate(*built.relation, *built.pattern, spec, 2, 1).combined.latency.mean;
  const NoMoreThreads none;
  EXPECT_EQ(replicate(*built.relation, *built.pattern, spec, 2, 2).combined.latency.mean, expected);
}

TEST(Replications, CombineByStudentsT) {
  const Network built = network("ft-ruft-212:k=2,n=3");
  SimulationSpec spec = counted(0.4, 16);
  const Replications all = replicate(*built.relation, *built.pattern, spec, 4, 2);
  std::vector<double> means;
  std::uint64_t delivered = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    spec.seed = replication_seed(1, i);
    EXPECT_EQ(all.runs[i].seed, spec.seed);
    const SimulationResult run = simulate(*built.relation, *built.pattern, spec);
    means.push_back(run.latency.mean);
    delivered += run.delivered;
  }
  const double mean = std::accumulate(means.begin(), means.end(), 0.0) / 4;
  double squares = 0;
  for (const double value : means) squares += (value - mean) * (value - mean);
  const double half = 3.182446 * std::sqrt(squares / 3) / 2;  // t of 3 degrees of freedom, 97.5 %
  EXPECT_GT(squares, 0);
  EXPECT_NEAR(all.combined.latency.mean, mean, 1e-9);
  EXPECT_NEAR(all.combined.latency.interval.low, mean - half, 1e-5 * mean);
  EXPECT_NEAR(all.combined.latency.interval.high, mean + half, 1e-5 * mean);
  EXPECT_EQ(all.combined.delivered, delivered);
  EXPECT_EQ(replication_seed(7, 0), 7U);
}

/// They end with the last packet, which arrives sooner or later.
TEST(Replications, OfATraceAreAveragedOverTheBinsThatAllOfThemHave) {
  const Network built = network("torus:radix=4x4", "minimal-adaptive");
  std::vector<ListedPacket> packets;
  for (std::uint32_t i = 0; i < 400; ++i)
    packets.push_back(
        {TerminalId(i % 16), {.time = i / 4, .destination = TerminalId((i * 7 + 5) % 16), .flits = 16}});
  const ListedPackets pattern(*built.topology, packets);
  SimulationSpec spec;
  spec.faults.outages = {{built.topology->outputs(SwitchId(0)).front(), 50, 400}};
  const Replications all = replicate(*built.relation, pattern, spec, 4, 1);
  std::set<std::uint64_t> ends;
  for (const Replications::Run& run : all.runs) {
    ends.insert(run.result.cycles);
    ASSERT_LE(all.combined.throughput.size(), run.result.throughput.size());
    for (std::size_t i = 0; i < all.combined.throughput.size(); ++i)
      EXPECT_EQ(all.combined.throughput[i].until, run.result.throughput[i].until);
  }
  EXPECT_GT(ends.size(), 1U);
  EXPECT_FALSE(all.combined.throughput.empty());
}

TEST(Replications, KeepTheLongestStandstill) {
  const Network built = network("mesh:radix=2", "dimension-order");
  SimulationSpec spec = counted(0.3, 8);
  spec.measurement.cycles = 2'000;
  for (const ChannelId channel : built.topology->channels())
    if (built.topology->role(channel) == ChannelRole::network)
      spec.faults.outages.push_back({channel, 1'000, 1'000'000});
  const Replications all = replicate(*built.relation, *built.pattern, spec, 3, 1);
  std::uint64_t longest = 0;
  for (const Replications::Run& run : all.runs) longest = std::max(longest, run.result.silent_cycles);
  EXPECT_GT(longest, 500U);
  EXPECT_EQ(all.combined.silent_cycles, longest);
}

/// Above saturation, in runs that are each too short to tell.
TEST(Replications, QueuesThatGrowInAllOfThemAreSaid) {
  const Network built = network("fat-tree:k=2,n=4");
  const auto marked = [&](double load) {
    int runs = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SimulationSpec spec = counted(load, 16);
      spec.seed = seed;
      spec.measurement = {.cycles = 5000};
      const SimulationResult all = replicate(*built.relation, *built.pattern, spec, 3, 1).combined;
      runs += all.too_short || all.saturated ? 1 : 0;
      EXPECT_EQ(all.note_on_length.starts_with("too short"), all.too_short);
    }
    return runs;
  };
  EXPECT_GE(marked(0.7), 8);
  EXPECT_LE(marked(0.5), 1);
}

/// Two sources that share no channel: packets wait as in a Geo/D/1 queue, whose mean is known. Runs that
/// begin empty and end before the queue has filled give a narrow interval around too small a mean.
TEST(SlowReplications, OfWhichNearlyAllAreTooShortAreMarked) {
  constexpr std::uint32_t flits = 16;
  const Network built = network("mesh:radix=2", "dimension-order", "neighbour");
  struct Count {
    int missed = 0, marked = 0;  // the mean is outside the interval of a run that is not marked
  };
  const auto count = [&](double load, std::uint64_t cycles, int seeds) {
    const double mean = 13 + flits + load * (flits - 1) / (2 * (1 - load));
    Count found;
    for (int seed = 1; seed <= seeds; ++seed) {
      SimulationSpec spec = counted(load, flits);
      spec.seed = static_cast<std::uint64_t>(seed);
      spec.measurement = {.cycles = cycles};
      const SimulationResult all = replicate(*built.relation, *built.pattern, spec, 40, 1).combined;
      if (all.too_short)
        ++found.marked;
      else if (mean < all.latency.interval.low || mean > all.latency.interval.high)
        ++found.missed;
    }
    return found;
  };
  EXPECT_LE(count(0.95, 10'000, 20).missed, 2);
  const Count steady = count(0.5, 20'000, 40);
  EXPECT_LE(steady.missed, 6);
  EXPECT_LE(steady.marked, 3);
}

TEST(Replications, OneIsThePlainRunAndBadInputIsRefusedFromAnyThread) {
  const Network built = network("ruft:k=2,n=2");
  SimulationSpec spec = counted(0.4, 16);
  const SimulationResult plain = simulate(*built.relation, *built.pattern, spec);
  const Replications one = replicate(*built.relation, *built.pattern, spec, 1, 4);
  EXPECT_EQ(one.combined.latency.interval.low, plain.latency.interval.low);
  spec.injection.load = 0;
  EXPECT_THROW((void)replicate(*built.relation, *built.pattern, spec, 6, 3), Error);
}

}  // namespace
}  // namespace faultline
