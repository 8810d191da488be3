// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

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
}

}  // namespace faultline
