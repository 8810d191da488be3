// SPDX-License-Identifier: Apache-2.0
// Channel loads against hand counts, arrival processes against their means, the saturation search against
// single runs.
#include "faultline/simulate/ideal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "faultline/simulate/saturation.h"
#include "faultline/topology/builder.h"
#include "simulate/injection/injection_process.h"
#include "support/simulate_support.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

using testing_support::network;

IdealThroughput ideal(std::string_view topology, std::string_view traffic, std::string_view routing = "") {
  const auto built = network(topology, routing, traffic);
  return ideal_throughput(*built.relation, *built.pattern).value_or(IdealThroughput{});
}

void expect_throughput(double expected, std::string_view topology, std::string_view traffic,
                       std::string_view routing = "") {
  const IdealThroughput found = ideal(topology, traffic, routing);
  EXPECT_NEAR(found.bound, expected, 1e-6) << topology << ' ' << traffic;
  EXPECT_NEAR(found.reached, expected, 1e-6) << topology << ' ' << traffic;
}

TEST(IdealThroughput, IsTheHandCountOfTheBusiestChannel) {
  // A line of 8: 4 sources send half of their packets over the middle channel. Dally & Towles, section 3.3.1:
  // k / 4.
  expect_throughput(0.5, "mesh:radix=8", "uniform-self");
  expect_throughput(0.5, "mesh:radix=8x8", "uniform-self");
  expect_throughput(0.5 * 7 / 8, "mesh:radix=8", "uniform");
  expect_throughput(1.0 / 3, "torus:radix=8", "tornado");
  expect_throughput(1, "mesh:radix=4x4", "neighbour");  // one packet goes back along the whole line
  expect_throughput(2, "ruft-pl:k=4,n=3", "uniform");
  expect_throughput(1, "fat-tree:k=4,n=3", "complement");
  expect_throughput(0.5, "ruft:k=2,n=2", "transpose");  // two of four terminals send
  // The spot's ejection channel gets 63 x 0.15 and its share of the rest.
  expect_throughput(1 / (63 * (0.15 + 0.85 / 63)), "fat-tree:k=4,n=3", "hot-spot");
}

TEST(IdealThroughput, OfAdaptiveRoutingsIsTheBisectionWhereThatBinds) {
  // 32 sources a half, each with a share of 32/63 for the other half, over 8 channels.
  expect_throughput(8 / (32 * 32.0 / 63), "mesh:radix=8x8", "uniform", "duato");
  EXPECT_LT(ideal("mesh:radix=8x8", "uniform", "duato").even_split, 0.4);
  // Every packet crosses the middle of both dimensions: 32 over 8 channels.
  expect_throughput(0.25, "mesh:radix=8x8", "complement", "duato");
  // A ring of 16, mean distance 4, two channels a terminal; packets to the opposite terminal go both ways.
  expect_throughput(0.5, "torus:radix=16", "uniform-self", "minimal-adaptive");
  // A minimal tornado has one direction only.
  expect_throughput(1.0 / 3, "torus:radix=8", "tornado", "minimal-adaptive");
}

TEST(IdealThroughput, IsAboveTheEvenSplitWhereAdaptiveRoutingExceedsThat) {
  // A simulation accepts 0.268 here.
  const IdealThroughput found = ideal("mesh:radix=8x8", "bit-reversal", "duato");
  EXPECT_NEAR(found.even_split, 4.0 / 17, 1e-9);
  EXPECT_GT(found.bound, 0.268);
  EXPECT_EQ(found.method, "linear program");
}

TEST(IdealThroughput, OfAnEvenSplitDoesNotDependOnWhatMayFailLater) {
  for (const char* routing : {"drb", "ft-drb"}) {
    const auto built = network("mesh:radix=2x2", routing, "complement");
    for (const bool fail : {false, true})
      EXPECT_NEAR(ideal_throughput(*built.relation, *built.pattern, {.channels_fail = fail})->even_split, 1,
                  1e-9)
          << routing << fail;
  }
}

/// Two ways from a terminal to the other, each over a switch of its own; the second way is of a higher tier.
class TwoWays final : public RoutingRelation {
 public:
  TwoWays() : RoutingRelation(network()) {}
  void inject(TerminalId source, TerminalId, RouteOptions& options) const override {
    for (const ChannelId channel : topology().injection(source))
      options.push_back({.channel = channel, .tier = static_cast<std::uint8_t>(options.size())});
  }
  void route(const RouteState& state, RouteOptions& options) const override {
    for (const ChannelId channel : topology().ejection(state.destination))
      if (topology().source(channel) == state.at) options.push_back({.channel = channel});
  }

 private:
  static TopologyPtr network() {
    TopologyBuilder builder;
    for (std::uint32_t i = 0; i < 2; ++i) builder.add_switch({i, 0});
    for (std::uint32_t i = 0; i < 2; ++i) {
      const TerminalId terminal = builder.add_terminal();
      for (std::uint32_t at = 0; at < 2; ++at) builder.attach(terminal, {SwitchId(at), i});
    }
    return std::make_shared<const Topology>(std::move(builder).build("two-ways", "up-down"));
  }
};

TEST(IdealThroughput, SourcesThatChooseUseWhatTheyAreOfferedInAnyTier) {
  const TwoWays relation;
  const PatternPtr pattern = build_pattern(relation.topology(), 1, parse_compact("traffic", "uniform"));
  EXPECT_NEAR(ideal_throughput(relation, *pattern)->bound, 1, 1e-9);
  EXPECT_NEAR(ideal_throughput(relation, *pattern, {.sources_choose = true})->bound, 2, 1e-9);
}

TEST(IdealThroughput, HasUsefulBoundsWithoutASearch) {
  // A packet makes 4 * 64 / 63 hops on average; a switch has 4 channels to others.
  const auto built = network("torus:radix=8x8", "ft-drb", "uniform");
  const IdealEffort effort{.lp_arcs = 0, .arc_rounds = 0, .channels_fail = true};
  const IdealThroughput found = *ideal_throughput(*built.relation, *built.pattern, effort);
  EXPECT_NEAR(found.bound, 63.0 / 64, 1e-6);
  EXPECT_GE(found.reached, found.even_split * (1 - 1e-9));
  EXPECT_LE(found.reached, found.bound * (1 + 1e-9));
}

TEST(IdealThroughput, ASmallerGapIsWorthMoreRounds) {
  const auto built = network("mesh:radix=8x8", "duato", "bit-reversal");
  const double optimum = ideal_throughput(*built.relation, *built.pattern)->bound;
  double last = 1;
  for (const double gap : {0.01, 0.001}) {
    const IdealEffort effort{.gap = gap, .lp_arcs = 0, .arc_rounds = 1e5};
    const IdealThroughput found = *ideal_throughput(*built.relation, *built.pattern, effort);
    EXPECT_EQ(found.method, "multiplicative weights");
    EXPECT_GE(found.bound, optimum * (1 - 1e-9));
    EXPECT_LE(found.reached, optimum * (1 + 1e-9));
    const double reached_gap = found.bound / found.reached - 1;
    EXPECT_LT(reached_gap, 0.7 * last) << gap;
    last = reached_gap;
  }
}

TEST(IdealThroughput, EqualRoutesShareALoad) {
  // 0 <-> 3, 1 <-> 2: one hop each
  expect_throughput(1, "torus:radix=4", "complement", "minimal-adaptive");
  const auto opposite = network("torus:radix=4x4", "minimal-adaptive", "neighbour");
  const std::vector<double> loads = expected_channel_loads(*opposite.relation, *opposite.pattern);
  for (std::size_t channel = 0; channel < opposite.topology->network_channel_count(); ++channel)
    EXPECT_TRUE(std::abs(loads[channel] - 1) < 1e-9 || loads[channel] == 0)
        << loads[channel];  // 16 x 2 hops over the 32 plus channels
}

TEST(IdealThroughput, AFailedParallelChannelLeavesItsLoadToTheOther) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "ruft-pl:k=2,n=2"));
  FaultSet faults(*topology);
  const ChannelId failed(0);
  faults.fail(failed);
  const auto built = network(topology, faults);
  const std::vector<double> loads = expected_channel_loads(*built.relation, *built.pattern);
  EXPECT_EQ(loads[failed.index()], 0);
  // Two sources reach two destinations over each pair of channels: 2 x 2 / 3, less the packets to oneself.
  EXPECT_NEAR(*std::max_element(loads.begin(), loads.begin() + static_cast<std::ptrdiff_t>(
                                                                   topology->network_channel_count())),
              1, 0.34);
}

struct Gaps {
  double mean = 0, squared_variation = 0;
};

Gaps gaps(Injection injection, double load) {
  const auto built = network("ruft:k=2,n=2");
  SimulationSpec spec;
  spec.injection.load = load;
  spec.injection.packet_flits = 16;
  spec.injection.process = injection;
  const InjectionProcess process(built.topology->terminal_count(), *built.pattern, spec);
  constexpr std::uint32_t count = 100'000;
  Time before = -1;
  double sum = 0, squares = 0;
  for (std::uint32_t sequence = 0; sequence < count; ++sequence) {
    const Time now = process.time_of(TerminalId(2), sequence, before);
    EXPECT_GT(now, before);
    sum += now - before;
    squares += static_cast<double>(now - before) * (now - before);
    before = now;
  }
  const double mean = sum / count;
  return {mean, (squares / count - mean * mean) / (mean * mean)};
}

TEST(Injection, EveryProcessKeepsTheLoadAndBurstsVaryMost) {
  for (const double load : {0.1, 0.5, 1.3}) {
    const Gaps bernoulli = gaps(Injection::bernoulli, load), constant = gaps(Injection::constant, load),
               bursty = gaps(Injection::bursty, load);
    EXPECT_NEAR(bernoulli.mean, 16 / load, 0.02 * 16 / load);
    EXPECT_NEAR(constant.mean, 16 / load, 0.001 * 16 / load);
    EXPECT_NEAR(bursty.mean, 16 / load, 0.05 * 16 / load);
    EXPECT_LT(constant.squared_variation, 0.01) << load;
    EXPECT_NEAR(bernoulli.squared_variation, 1 - load / 16, 0.05) << load;
    EXPECT_GT(bursty.squared_variation, 2) << load;
  }
}

/// Half of the packets to terminal 1 go to and fro between two switches for ever.
TEST(Ideal, AnEvenSplitThatGoesInCirclesHasNoThroughput) {
  const TemporaryFolder folder;
  const std::string file =
      "relation:file=" +
      folder.file("two.relation",
                  "faultline-relation 1\nnetwork -\nswitches 2\nterminals 2\nvirtual-channels 1\ntags 2\n"
                  "reads tag\nchannels 6\nn 0 1\nn 1 0\ni 0 0\ni 1 1\ne 0 0\ne 1 1\n"
                  "destination 0\nfrom 1 3\ns 1 0 1\ns 0 0 4\n"
                  "destination 1\nfrom 0 2/1/0 2/1/1\ns 0 0 0\ns 1 0 5\ns 0 1 0/1/1\ns 1 1 1/1/1\nend\n");
  const auto built = network(file);
  EXPECT_EQ(expected_channel_loads(*built.relation, *built.pattern)[0],
            std::numeric_limits<double>::infinity());
  const IdealThroughput found = ideal_throughput(*built.relation, *built.pattern).value();
  EXPECT_EQ(found.even_split, 0);
  EXPECT_NEAR(found.reached, 1, 1e-6);
}

TEST(Saturation, LiesBetweenASustainedAndASaturatedRun) {
  const auto built = network("ruft:k=4,n=2");
  SimulationSpec spec;
  spec.injection.packet_flits = 16;
  const SaturationSearch search = find_saturation(*built.relation, *built.pattern, spec, 0.02);
  ASSERT_TRUE(search.saturated_load.has_value());
  EXPECT_LE(*search.saturated_load - search.sustained_load, 0.02 * *search.saturated_load);
  EXPECT_TRUE(search.runs[search.decisive_run].result.saturated);
  EXPECT_EQ(search.runs[search.decisive_run].load, *search.saturated_load);
  spec.injection.load = 0.8 * search.sustained_load;
  EXPECT_FALSE(simulate(*built.relation, *built.pattern, spec).saturated);
  spec.injection.load = 1;
  EXPECT_NEAR(simulate(*built.relation, *built.pattern, spec).accepted, *search.saturated_load, 0.06);
}

/// Below it two loads may have no number between them, and the search would not end.
TEST(Saturation, IsFoundToAMillionthAtBest) {
  const auto built = network("ruft:k=4,n=2");
  for (const double precision : {1e-17, 9e-7, 0.0, -1.0, 1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW((void)find_saturation(*built.relation, *built.pattern, {}, precision), Error) << precision;
  SimulationSpec spec;
  spec.injection.packet_flits = 16;
  spec.measurement.cycles = 10'000;
  const SaturationSearch search = find_saturation(*built.relation, *built.pattern, spec, 1e-6);
  ASSERT_TRUE(search.saturated_load.has_value());
  EXPECT_LE(*search.saturated_load - search.sustained_load, 1e-6 * *search.saturated_load);
}

/// Its three injection channels carry three flits a cycle, and the receiver's take them; the average terminal
/// has one and a half.
TEST(Saturation, OfASenderWithMoreChannelsThanOthersIsLookedForAboveTheirAverage) {
  TopologyBuilder builder;
  const SwitchId at = builder.add_switch({0, 0});
  std::uint32_t port = 0;
  for (const std::uint32_t links : {3U, 3U, 1U, 1U, 1U, 1U, 1U, 1U}) {
    const TerminalId terminal = builder.add_terminal();
    for (std::uint32_t link = 0; link < links; ++link) builder.attach(terminal, {at, port++});
  }
  const auto topology = std::make_shared<const Topology>(std::move(builder).build("star", "shortest-path"));
  const TemporaryFolder folder;
  const std::string nobody = "0,0,0,0,0,0,0,0\n";
  std::string matrix = "0,1,0,0,0,0,0,0\n";
  for (int row = 1; row < 8; ++row) matrix += nobody;
  const std::string file = folder.file("matrix.csv", matrix);
  const RelationPtr relation = build_healthy_relation(topology, parse_compact("routing", "shortest-path"));
  const PatternPtr pattern = build_pattern(*topology, 1, parse_compact("traffic", "matrix:file=" + file));
  SimulationSpec spec;
  spec.injection.packet_flits = 16;
  const SaturationSearch search = find_saturation(*relation, *pattern, spec, 0.02);
  EXPECT_GT(search.sustained_load, 2.5);
}

TEST(Ideal, IsAbsentWithoutChannelsAndRefusesAGapThatTakesForEver) {
  TopologyBuilder builder;
  builder.add_switch({0, 0});
  builder.add_terminal();
  builder.add_terminal();
  const auto topology = std::make_shared<const Topology>(std::move(builder).build("apart", "shortest-path"));
  const RelationPtr relation = build_healthy_relation(topology, parse_compact("routing", "shortest-path"));
  const PatternPtr pattern = build_pattern(*topology, 1, parse_compact("traffic", "uniform"));
  EXPECT_FALSE(ideal_throughput(*relation, *pattern).has_value());
  EXPECT_FALSE(even_split_busiest_load(*relation, *pattern).has_value());
  const auto built = network("mesh:radix=3x3");
  for (const double gap : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW((void)ideal_throughput(*built.relation, *built.pattern, {.gap = gap}), Error) << gap;
}

/// Rounding must not turn them round.
TEST(Ideal, NoDivisionReachesMoreThanTheBound) {
  for (int seed = 30; seed < 50; ++seed) {
    const IdealThroughput found =
        ideal("mesh:radix=3x3", fmt::format("permutation:seed={}", seed), "minimal-adaptive");
    EXPECT_GE(found.bound, found.reached) << seed;
  }
}

/// One terminal receives a share of all traffic, and no more than a flit each cycle. Beyond that the queues
/// grow by a small part of what is sent, so that short runs find a few per cent more.
TEST(SlowSaturation, RunsAreLengthenedUntilAHotSpotIsSeenToBeOverloaded) {
  const auto built = network("torus:radix=8x8", "", "hot-spot:share=0.15");
  SimulationSpec spec;
  spec.injection.packet_flits = 16;
  const double capacity = 1 / (63 * 0.15 + 0.85);
  const SaturationSearch search = find_saturation(*built.relation, *built.pattern, spec, 0.01);
  ASSERT_TRUE(search.saturated_load.has_value());
  EXPECT_NEAR(search.sustained_load, capacity, 0.02 * capacity);
  EXPECT_TRUE(search.runs[search.decisive_run].result.saturated);
  EXPECT_EQ(search.runs[search.decisive_run].load, *search.saturated_load);
  spec.measurement.cycles = 20'000;
  const SaturationSearch hasty = find_saturation(*built.relation, *built.pattern, spec, 0.01);
  EXPECT_GT(hasty.sustained_load, search.sustained_load);
  EXPECT_FALSE(hasty.settled.has_value());
}

TEST(SlowSaturation, SettlesWhereLongerRunsFindTheSame) {
  const auto built = network("mesh:radix=4x4");
  SimulationSpec spec;
  spec.injection.packet_flits = 16;
  const SaturationSearch search = find_saturation(*built.relation, *built.pattern, spec, 0.02);
  EXPECT_EQ(search.settled, true);
  ASSERT_TRUE(search.saturated_load.has_value());
  EXPECT_LE(*search.saturated_load - search.sustained_load, 0.02 * *search.saturated_load);
  spec.measurement.cycles = 400'000;
  EXPECT_NEAR(find_saturation(*built.relation, *built.pattern, spec, 0.02).sustained_load,
              search.sustained_load, 0.03 * search.sustained_load);
}

/// Queues are random: no run is long enough for loads that agree within 0.06 %.
TEST(SlowSaturation, SaysWhereTheLongestRunsStillChangeTheAnswer) {
  const auto built = network("torus:radix=4x4", "", "hot-spot:share=0.15");
  SimulationSpec spec;
  spec.injection.packet_flits = 16;
  EXPECT_EQ(find_saturation(*built.relation, *built.pattern, spec, 0.0002).settled, false);
}

}  // namespace
}  // namespace faultline
