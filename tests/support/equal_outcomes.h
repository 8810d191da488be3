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

inline void expect_equal_control(const ControlFigures& ours, const ControlFigures& other) {
  EXPECT_EQ(ours.acknowledgements, other.acknowledgements);
  EXPECT_EQ(ours.notifications, other.notifications);
  EXPECT_EQ(ours.arrived, other.arrived);
  EXPECT_EQ(ours.lost, other.lost);
  EXPECT_EQ(ours.packet_hops, other.packet_hops);
  EXPECT_EQ(ours.flit_hops, other.flit_hops);
  EXPECT_EQ(ours.latency_mean, other.latency_mean);
  EXPECT_EQ(ours.most_in_a_lane, other.most_in_a_lane);
  EXPECT_EQ(ours.met_dead_channel, other.met_dead_channel);
  EXPECT_EQ(ours.sources.pairs, other.sources.pairs);
  EXPECT_EQ(ours.sources.paths_open, other.sources.paths_open);
  EXPECT_EQ(ours.sources.max_paths_open, other.sources.max_paths_open);
  EXPECT_EQ(ours.sources.fault_entries, other.sources.fault_entries);
  EXPECT_EQ(ours.sources.permanent_entries, other.sources.permanent_entries);
  EXPECT_EQ(ours.sources.reclaimed_entries, other.sources.reclaimed_entries);
  EXPECT_EQ(ours.sources.refused_paths, other.sources.refused_paths);
  EXPECT_EQ(ours.sources.forced_packets, other.sources.forced_packets);
  EXPECT_TRUE(ours.sources.watched == other.sources.watched);
}

inline void expect_equal_bins(const std::vector<ThroughputBin>& ours,
                              const std::vector<ThroughputBin>& other) {
  ASSERT_EQ(ours.size(), other.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_EQ(ours[i].from, other[i].from);
    EXPECT_EQ(ours[i].until, other[i].until);
    EXPECT_EQ(ours[i].accepted, other[i].accepted);
  }
}

/// Everything except which of several deadlocks is shown, the time, and the engine.
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
  EXPECT_EQ(a.accepted_interval, b.accepted_interval);
  EXPECT_EQ(a.too_short, b.too_short);
  EXPECT_EQ(a.note_on_length, b.note_on_length);
  EXPECT_EQ(a.notes, b.notes);
  EXPECT_EQ(a.latency.packets, b.latency.packets);
  EXPECT_EQ(a.latency.p50, b.latency.p50);
  EXPECT_EQ(a.latency.interval, b.latency.interval);
  EXPECT_EQ(a.sent_again, b.sent_again);
  EXPECT_EQ(a.silent_cycles, b.silent_cycles);
  EXPECT_EQ(a.cut_off, b.cut_off);
  expect_equal_bins(a.throughput, b.throughput);
  ASSERT_EQ(a.control.has_value(), b.control.has_value());
  if (a.control) expect_equal_control(*a.control, *b.control);
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
