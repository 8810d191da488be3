// SPDX-License-Identifier: Apache-2.0
// Destinations that are routed alike are not enumerated again, and several threads share them: the verdict is
// that of enumerating each, one after the other.
#include <gtest/gtest.h>

#include "faultline/verify/verify.h"
#include "support/equal_verdicts.h"
#include "support/plain_relation.h"
#include "support/sample_networks.h"

namespace faultline {
namespace {

TEST(Survey, ComparedDestinationsAndThreadsChangeNothing) {
  for (const SampleNetwork& network : sample_networks()) {
    const FaultSet none(network.relation->topology());
    FaultSet one = none;
    one.fail(ChannelId(0));
    for (const FaultSet& dead : {none, one}) {
      const Verdict plain = verify(Plain(network.relation), dead, {});
      for (const std::uint32_t threads : {1U, 3U})
        expect_equal(verify(*network.relation, dead, {.threads = threads}), plain, network.name);
    }
  }
}

/// With nothing dead, switches that know all are assumed to have nothing to rule out.
TEST(Survey, WhatAlwaysProgressesServesEveryPairWithinABound) {
  int held_to_it = 0;
  for (const SampleNetwork& network : sample_networks()) {
    if (!network.relation->always_progresses()) continue;
    const Verdict verdict = verify(*network.relation, FaultSet(network.relation->topology()), {});
    EXPECT_EQ(verdict.pairs[PairClass::served], verdict.pairs.total()) << network.name;
    EXPECT_TRUE(verdict.livelock_free()) << network.name;
    ++held_to_it;
  }
  EXPECT_GT(held_to_it, 20);
}

}  // namespace
}  // namespace faultline
