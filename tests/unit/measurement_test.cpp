// SPDX-License-Identifier: Apache-2.0
// What a run keeps while it is measured, and the distribution of latencies.
#include "simulate/measurement/measurement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "faultline/base/random.h"

namespace faultline {
namespace {

SimulationSpec short_run() {
  SimulationSpec spec;
  spec.measurement = {.cycles = 24'000, .warmup = 12'000, .packets_per_source = 5};
  return spec;
}

Measurement of_four_terminals(const SimulationSpec& spec) { return {Timeline::of(spec), 4, spec, false}; }

Delivery delivery(std::uint32_t source, Time at) {
  return {.source = source, .generated = at - 10, .injected = at - 10, .delivered = at, .flits = 1};
}

TEST(Measurement, KeepsNoPacketsOfAWarmUpThatWasAskedFor) {
  Measurement measurement = of_four_terminals(short_run());
  for (Time at = 10; at < 9'000; ++at) {
    measurement.injected({.source = 1, .injected = at, .first_since = at, .generated = at});
    measurement.delivered(delivery(1, at));
  }
  EXPECT_EQ(measurement.kept_packets(), 0U);
  measurement.injected({.source = 1, .injected = 12'000, .first_since = 9'000, .generated = 9'000});
  EXPECT_EQ(measurement.kept_packets(), 1U) << "it may still have waited at the end";
}

/// Deliveries are reported ahead of their time.
TEST(Measurement, PacketsPerSourceCountWhenTheyAreDelivered) {
  Measurement whole = of_four_terminals(short_run()), part = whole;
  const Time edge = Timeline::of(short_run()).end_of(1), next = Timeline::of(short_run()).end_of(2);
  for (Time at = edge - 4; at < edge; ++at) (at % 2 == 0 ? whole : part).delivered(delivery(2, at));
  part.delivered(delivery(2, edge));
  whole.absorb(part);
  EXPECT_FALSE(whole.may_stop(edge, 1));
  part.follow(whole);
  EXPECT_TRUE(whole.may_stop(next, 1));
  EXPECT_FALSE(whole.may_stop(next, 2));
}

TEST(Measurement, PacketsPerSourceDoNotCountDuringAGivenWarmup) {
  Measurement whole = of_four_terminals(short_run());
  const Timeline line = Timeline::of(short_run());
  for (Time at = line.warmup - 10; at < line.warmup; ++at) whole.delivered(delivery(2, at));
  EXPECT_FALSE(whole.may_stop(line.end_of(1), 1));
  for (Time at = line.end_of(1); at < line.end_of(1) + 5; ++at) whole.delivered(delivery(2, at));
  EXPECT_TRUE(whole.may_stop(line.end_of(2), 1));
}

TEST(Measurement, AbsorbsEventsOfABinThatWasAbsorbedBefore) {
  const SimulationSpec spec = short_run();
  Measurement whole = of_four_terminals(spec), part = whole;
  for (int times = 0; times < 3; ++times) {
    part.generated(12'345, 1);
    whole.absorb(part);
  }
  part.generated(12'345, 1);
  part.generated(11, 1);
  part.generated(19'999, 1);
  whole.absorb(part);
  EXPECT_EQ(whole.result(24'000, 6).generated, 6U);
}

TEST(Histogram, TakesNoMoreSpaceForMoreValues) {
  constexpr std::size_t values = 1'000'000, powers = 30 - 12;
  Histogram all, even, odd;
  std::vector<std::uint32_t> sorted;
  RandomStream random(1, 0);
  for (std::size_t i = 0; i < values; ++i) {
    sorted.push_back(std::uint32_t{1} << (12 + random.next_below(powers)));
    sorted.back() += random.next_below(sorted.back());
    all.add(sorted.back());
    (i % 2 == 0 ? even : odd).add(sorted.back());
  }
  EXPECT_LE(all.size(), 4096 + 1024 * powers + 64);
  std::ranges::sort(sorted);
  odd.add(even);
  for (const double fraction : {1e-6, 0.1, 0.5, 0.99, 1.0}) {
    const auto exact = static_cast<double>(sorted[static_cast<std::size_t>(fraction * values) - 1]);
    EXPECT_NEAR(all.quantile(fraction), exact, exact / 1000);
    EXPECT_EQ(all.quantile(fraction), odd.quantile(fraction)) << "merged in any order";
  }
}

TEST(Histogram, CountsMoreThanFourThousandMillionTimesTheSameValue) {
  Histogram many, most;
  many.add(20);
  most.add(10);
  for (int doubled = 0; doubled < 33; ++doubled) {
    if (doubled < 32) many.add(Histogram(many));
    most.add(Histogram(most));
  }
  most.add(many);  // 2^33 and 2^32
  EXPECT_EQ(most.quantile(0.66), 10U);
  EXPECT_EQ(most.quantile(0.67), 20U);
  Histogram last;
  last.add(5);
  for (int doubled = 0; doubled < 32; ++doubled) {
    const Histogram once = last;
    last.add(once);
  }
  last.add(7);
  EXPECT_EQ(last.quantile(0.99), 5U);
}

}  // namespace
}  // namespace faultline
