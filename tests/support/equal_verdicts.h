// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "faultline/verify/verify.h"

namespace faultline {

inline void expect_equal(const Verdict& a, const Verdict& b, const std::string& what) {
  EXPECT_EQ(a.pairs, b.pairs) << what;
  EXPECT_EQ(a.unreachable, b.unreachable) << what;
  EXPECT_EQ(a.dead_end, b.dead_end) << what;
  EXPECT_EQ(a.unreachable_pairs, b.unreachable_pairs) << what;
  EXPECT_EQ(a.max_hops, b.max_hops) << what;
  EXPECT_EQ(a.endless_walk, b.endless_walk) << what;
  EXPECT_EQ(a.method, b.method) << what;
  EXPECT_EQ(a.ranks, b.ranks) << what;
  EXPECT_EQ(a.states, b.states) << what;
  EXPECT_EQ(a.moves, b.moves) << what;
  EXPECT_EQ(a.dependencies, b.dependencies) << what;
  EXPECT_EQ(a.livelocks, b.livelocks) << what;
  EXPECT_EQ(a.deadlock_free, b.deadlock_free) << what;
  const auto blocked = [](const WaitingPacket& one) {
    return std::tuple(one.holds.channel, one.holds.vc, one.source, one.destination, one.waits_for);
  };
  EXPECT_TRUE(std::ranges::equal(a.deadlock, b.deadlock, {}, blocked, blocked)) << what;
  const auto step = [](const ScheduledStep& one) {
    return std::tuple(one.packet, one.channel, one.vc, one.tag);
  };
  EXPECT_TRUE(std::ranges::equal(a.schedule, b.schedule, {}, step, step)) << what;
}

}  // namespace faultline
