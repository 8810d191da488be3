// SPDX-License-Identifier: Apache-2.0
// Examining the destinations behind the faults first does not change the verdict.
#include <gtest/gtest.h>

#include "faultline/fault/components.h"
#include "faultline/fault/sampler.h"
#include "faultline/routing/admissible.h"
#include "faultline/routing/states.h"
#include "support/sample_networks.h"

namespace faultline {
namespace {

TEST(KnownFaults, TheOrderOfDestinationsDoesNotChangeTheVerdict) {
  int connected = 0, disconnected = 0;
  for (const char* name : {"fat-tree:k=2,n=3", "ruft:k=2,n=3", "ruft-pl:k=2,n=3", "ft-ruft-212:k=2,n=3",
                           "ft-ruft-222:k=2,n=2", "torus:radix=4x3", "mesh:radix=3x3"}) {
    const RelationPtr healthy = make_network(name).relation;
    const FaultComponents components(healthy->shared_topology(), FaultUnit::channel, FaultScope::all);
    const FaultSampler sampler(components.count(), 11);
    for (std::uint32_t faults = 1; faults <= 4; ++faults)
      for (std::uint64_t draw = 0; draw < 25; ++draw) {
        const FaultSet set = components.fault_set(sampler.draw(faults, draw));
        const RelationPtr relation = admissible_relation(healthy, {set});
        const bool expected = all_pairs_connected(*relation);
        EXPECT_EQ(all_pairs_connected(*relation, *healthy, set), expected)
            << name << ", " << faults << " faults, seed 11, set " << draw;
        ++(expected ? connected : disconnected);
      }
  }
  EXPECT_GT(connected, 20);
  EXPECT_GT(disconnected, 20);
}

}  // namespace
}  // namespace faultline
