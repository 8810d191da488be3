// SPDX-License-Identifier: Apache-2.0
// Fault sets under which a routing needs more virtual channels than it may use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "faultline/topology/kind.h"
#include "faultline/verify/fault_verification.h"
#include "support/plain_losses.h"

namespace faultline {
namespace {

using Names = std::vector<std::string>;

/// By building the routing for each set of two links, and by searching what is left.
struct PlainCount {
  std::uint64_t sets = 0, not_built = 0, disconnected = 0;
  Names first_not_built;
};

PlainCount count_pairs_of(const FaultComponents& links, const TopologyPtr& topology,
                          const Resolved<RoutingKind>& routing) {
  PlainCount count;
  const std::uint64_t terminals = topology->terminal_count();
  for (std::uint32_t a = 0; a < links.count(); ++a)
    for (std::uint32_t b = a + 1; b < links.count(); ++b) {
      const FaultSet dead = links.fault_set(std::vector{a, b});
      ++count.sets;
      try {
        (void)build_relation(topology, dead, routing);
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("too few virtual channels with these faults"));
        if (count.not_built++ == 0) count.first_not_built = {links.name(a), links.name(b)};
        continue;
      }
      if (PlainLosses(*topology).of(dead).connected_pairs != terminals * (terminals - 1))
        ++count.disconnected;
    }
  return count;
}

TEST(FaultSets, ThatTheRoutingCannotBeBuiltForAreNotProved) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "mesh:radix=3x3"));
  const Resolved<RoutingKind> routing(parse_compact("routing", "lash:vcs=1"));
  const FaultComponents links(topology, FaultUnit::link, FaultScope::network);
  const PlainCount expected = count_pairs_of(links, topology, routing);
  EXPECT_EQ(expected.sets - expected.not_built - expected.disconnected, 40U);
  const auto points =
      verify_fault_sets(topology, links, {.routing = routing, .max_faults = 2, .max_sets = 1000}, {}).points;
  ASSERT_EQ(points.size(), 2U);
  const VerifiedFaults& two = points[1];
  EXPECT_EQ(two.sets, expected.sets);
  EXPECT_EQ(two.not_built, expected.not_built);
  EXPECT_EQ(two.disconnected, expected.disconnected);
  EXPECT_EQ(two.not_deadlock_free + two.endless, 0U);
  EXPECT_EQ(two.not_built_witness, expected.first_not_built);
  EXPECT_FALSE(two.positive());
  EXPECT_DOUBLE_EQ(two.disconnected_interval.low, 4.0 / 66);
  EXPECT_DOUBLE_EQ(two.disconnected_interval.high, (4.0 + 22) / 66);  // nothing is known of those not built
}

TEST(FaultSets, DrawnOnesThatTheRoutingCannotBeBuiltForMayBeAnything) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "mesh:radix=3x3"));
  const FaultComponents links(topology, FaultUnit::link, FaultScope::network);
  const VerifiedFaults drawn =
      verify_fault_sets(topology, links,
                        {.routing = Resolved<RoutingKind>(parse_compact("routing", "lash:vcs=1")),
                         .max_faults = 2,
                         .max_sets = 20},
                        {})
          .points.back();
  ASSERT_FALSE(drawn.exhaustive);
  EXPECT_GT(drawn.not_built, 0U);
  EXPECT_GE(drawn.not_deadlock_free_interval.high,
            static_cast<double>(drawn.not_deadlock_free + drawn.not_built) / 20);
}

TEST(FaultSets, ThatTheRoutingCannotBeBuiltForCanBeStopped) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "torus:radix=5x5"));
  const std::atomic<bool> stop = true;
  const FaultVerificationSpec spec{.routing = Resolved<RoutingKind>(parse_compact("routing", "lash:vcs=1")),
                                   .max_faults = 1,
                                   .max_sets = 1000};
  const FaultComponents links(topology, FaultUnit::link, FaultScope::network);
  const VerifiedFaults all = verify_fault_sets(topology, links, spec, {}).points.front();
  ASSERT_EQ(all.not_built, all.sets);
  FaultVerificationSpec stopped = spec;
  stopped.stop = &stop;
  const VerifiedFaultSets none = verify_fault_sets(topology, links, stopped, {});
  EXPECT_TRUE(none.interrupted);
  EXPECT_TRUE(none.points.empty());
}

TEST(FaultSets, AreAllProvedWhereVirtualChannelsSuffice) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "mesh:radix=3x3"));
  const FaultComponents links(topology, FaultUnit::link, FaultScope::network);
  const auto points = verify_fault_sets(topology, links,
                                        {.routing = Resolved<RoutingKind>(parse_compact("routing", "lash")),
                                         .max_faults = 2,
                                         .max_sets = 1000},
                                        {})
                          .points;
  ASSERT_EQ(points.size(), 2U);
  for (const VerifiedFaults& point : points) {
    EXPECT_EQ(point.not_built, 0U);
    EXPECT_EQ(point.not_built_witness, Names());
    EXPECT_EQ(point.not_deadlock_free, 0U);
  }
}

}  // namespace
}  // namespace faultline
