// SPDX-License-Identifier: Apache-2.0
// Comparison of two runs that must be equal.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "faultline/simulate/simulate.h"
#include "simulate/measurement/measurement.h"

namespace faultline::testing_support {

/// Everything except which of several deadlocks is shown.
inline void expect_equal_results(const SimulationResult& a, const SimulationResult& b) {
  EXPECT_EQ(a.generated, b.generated);
  EXPECT_EQ(a.delivered, b.delivered);
  EXPECT_EQ(a.in_flight, b.in_flight);
  EXPECT_EQ(a.dropped, b.dropped);
  EXPECT_EQ(a.packet_hops, b.packet_hops);
  EXPECT_EQ(a.flit_hops, b.flit_hops);
  EXPECT_EQ(a.channel_flits, b.channel_flits);
  EXPECT_EQ(a.starvation.longest_source_wait, b.starvation.longest_source_wait);
  EXPECT_EQ(a.starvation.sources, b.starvation.sources);
  EXPECT_EQ(a.cycles, b.cycles);
  EXPECT_EQ(a.warmup_cycles, b.warmup_cycles);
  EXPECT_EQ(a.offered, b.offered);
  EXPECT_EQ(a.accepted, b.accepted);
  EXPECT_EQ(a.saturated, b.saturated);
  EXPECT_EQ(a.latency.mean, b.latency.mean);
  EXPECT_EQ(a.latency.p99, b.latency.p99);
  EXPECT_EQ(a.latency.network_mean, b.latency.network_mean);
  EXPECT_EQ(a.hops_mean, b.hops_mean);
  EXPECT_EQ(a.deadlock, b.deadlock);
}

/// Every packet in the same cycle as well, and the same deadlock. `Outcome`: of either model.
template <class Outcome>
void expect_equal(const Outcome& ours, const Outcome& other) {
  EXPECT_EQ(ours.checksum, other.checksum);
  expect_equal_results(ours.result, other.result);
  EXPECT_EQ(ours.result.deadlock_cycle, other.result.deadlock_cycle);
  EXPECT_EQ(ours.result.deadlock_packets, other.result.deadlock_packets);
}

/// Which packets were delivered when, regardless of the order of the log.
inline std::vector<std::array<std::uint64_t, 3>> in_order(const std::vector<Delivery>& log) {
  std::vector<std::array<std::uint64_t, 3>> found;
  for (const Delivery& packet : log)
    found.push_back({packet.source, packet.sequence, static_cast<std::uint64_t>(packet.delivered)});
  std::ranges::sort(found);
  return found;
}

}  // namespace faultline::testing_support
