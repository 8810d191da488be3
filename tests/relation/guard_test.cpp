// SPDX-License-Identifier: Apache-2.0
// Which routings may be simulated with which selection functions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faultline/verify/verify.h"
#include "study/deadlock_guard.h"
#include "support/effort.h"
#include "support/sample_networks.h"
#include "support/simulate_support.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

std::optional<std::string> refusal(const std::string& topology, const std::string& routing,
                                   const std::string& selection, Switching switching) {
  const TopologyPtr built = build_topology(parse_compact("topology", topology));
  const FaultSet none(*built);
  const RelationPtr relation = build_relation(built, none, parse_compact("routing", routing), switching);
  const SelectionRule rule = testing_support::selection(selection);
  return unproved_because({*relation, none, routing, selection, rule, switching});
}

TEST(DeadlockGuard, EscapeChannelsAreForSelectionsThatAskForAll) {
  for (const Switching switching : {Switching::cut_through, Switching::wormhole})
    for (const char* topology : {"mesh:radix=4x4", "torus:radix=4x4", "hypercube:n=3"}) {
      SCOPED_TRACE(topology);
      EXPECT_TRUE(refusal(topology, "duato", "random", switching));
      EXPECT_TRUE(refusal(topology, "duato", "ugal", switching));
      EXPECT_FALSE(refusal(topology, "duato", "most-free", switching));
      EXPECT_FALSE(refusal(topology, "duato", "any-free", switching));
      EXPECT_FALSE(refusal(topology, "dimension-order", "random", switching));
      EXPECT_FALSE(refusal(topology, "valiant", "random", switching));
      EXPECT_FALSE(refusal(topology, "ugal", "ugal", switching));
    }
}

/// A relation that names escape channels, without needing any: no dependencies lead back to each other.
TEST(DeadlockGuard, WhatIsProvedWithoutEscapeChannelsMayCommit) {
  const TemporaryFolder folder;
  const std::string file = folder.file(
      "two.relation",
      "faultline-relation 1\nnetwork -\nswitches 2\nterminals 2\nvirtual-channels 2\ntags 1\nreads tag\n"
      "channels 6\nn 0 1\nn 1 0\ni 0 0\ni 1 1\ne 0 0\ne 1 1\n"
      "destination 0\nfrom 1 3\ns 1 0 1/3/0/0/1\ns 0 0 4\n"
      "destination 1\nfrom 0 2\ns 0 0 0/3\ns 1 0 5\nend\n");
  for (const Switching switching : {Switching::cut_through, Switching::wormhole})
    EXPECT_FALSE(refusal("relation:file=" + file, "relation:file=" + file, "random", switching));
}

TEST(DeadlockGuard, WhatIsNotClaimedIsVerified) {
  EXPECT_TRUE(refusal("torus:radix=4x4", "minimal-adaptive", "most-free", Switching::wormhole));
  EXPECT_TRUE(refusal("torus:radix=5x5", "dimension-order:ring_rule=none", "random", Switching::cut_through));
  EXPECT_FALSE(refusal("fat-tree:k=2,n=3", "shortest-path", "most-free", Switching::wormhole));
  EXPECT_FALSE(refusal("fat-tree:k=2,n=3", "shortest-path", "random", Switching::wormhole));
}

std::optional<std::string> doubt(const std::string& topology, const std::string& routing, Switching switching,
                                 bool channels_fail = true) {
  const TopologyPtr built = build_topology(parse_compact("topology", topology));
  const FaultSet none(*built);
  const RelationPtr relation = build_relation(built, none, parse_compact("routing", routing), switching);
  const SelectionRule rule = testing_support::selection("most-free");
  EXPECT_FALSE(unproved_because({*relation, none, routing, "most-free", rule, switching, channels_fail}));
  return unproved_while_channels_fail(
      {*relation, none, routing, "most-free", rule, switching, channels_fail});
}

/// An escape channel may fail while a packet still waits for others.
TEST(DeadlockGuard, EscapeChannelsMayFail) {
  for (const Switching switching : {Switching::cut_through, Switching::wormhole})
    for (const char* topology : {"mesh:radix=4x4", "torus:radix=4x4"}) {
      SCOPED_TRACE(topology);
      EXPECT_THAT(doubt(topology, "duato", switching).value_or(""),
                  testing::HasSubstr("duato relies on escape channels, which may fail during the run"));
      EXPECT_FALSE(doubt(topology, "duato", switching, false));
      EXPECT_FALSE(doubt(topology, "dimension-order", switching));
    }
  EXPECT_TRUE(doubt("torus:radix=4x4", "methodology", Switching::cut_through));
  for (const char* routing :
       {"all-port", "one-port", "go-back"})  // verify shows deadlocks beside dead switches
    EXPECT_TRUE(doubt("mikant:k=2,n=3", routing, Switching::cut_through)) << routing;
  EXPECT_FALSE(doubt("mikant:k=2,n=3", "go-back-vc", Switching::cut_through));
  // Each option has an escape of its own.
  EXPECT_FALSE(doubt("torus:radix=4x4", "ft-drb", Switching::cut_through));
  EXPECT_FALSE(doubt("torus:radix=5", "duato:ring_rule=dateline", Switching::wormhole));
  // Nothing is claimed, and all options are proved.
  EXPECT_FALSE(doubt("fat-tree:k=2,n=3", "shortest-path", Switching::wormhole));
}

/// A ring of three switches. A packet whose channel is dead goes the other way round: the dependencies of
/// such packets close a cycle, and nothing else depends on anything.
TEST(DeadlockGuard, OptionsOfHigherTiersCountOnceChannelsFail) {
  const TemporaryFolder folder;
  const std::string file = folder.file(
      "ring.relation",
      "faultline-relation 1\nnetwork -\nswitches 3\nterminals 3\nvirtual-channels 1\ntags 2\nreads tag\n"
      "channels 12\nn 0 1\nn 1 2\nn 2 0\nn 0 2\nn 1 0\nn 2 1\n"
      "i 0 0\ni 1 1\ni 2 2\ne 0 0\ne 1 1\ne 2 2\n"
      "destination 0\nfrom 1 7\nfrom 2 8\ns 0 1 9\n"
      "s 1 0 4/1/1 1/1/1/1\ns 1 1 4/1/1\ns 2 0 2/1/1 5/1/1/1\ns 2 1 2/1/1\n"
      "destination 1\nfrom 0 6\nfrom 2 8\ns 1 1 10\n"
      "s 2 0 5/1/1 2/1/1/1\ns 2 1 5/1/1\ns 0 0 0/1/1 3/1/1/1\ns 0 1 0/1/1\n"
      "destination 2\nfrom 0 6\nfrom 1 7\ns 2 1 11\n"
      "s 0 0 3/1/1 0/1/1/1\ns 0 1 3/1/1\ns 1 0 1/1/1 4/1/1/1\ns 1 1 1/1/1\nend\n");
  for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
    EXPECT_THAT(doubt("relation:file=" + file, "relation:file=" + file, switching).value_or(""),
                testing::HasSubstr("not for those that fail during the run"));
    EXPECT_FALSE(doubt("relation:file=" + file, "relation:file=" + file, switching, false));
  }
}

/// The guard relies on the claim: what is claimed without escape channels has to be proved for a selection
/// that commits, and what is claimed while channels fail has to be proved of all tiers.
TEST(DeadlockGuard, ClaimsHoldForSelectionsThatCommit) {
  std::size_t with_escapes = 0, not_when_channels_fail = 0, number = 0;
  for (const TopologyKind* kind : topology_kinds())
    for (const Description& sample : samples_of(kind->info, "topology")) {
      const TopologyPtr topology = build_topology(sample);
      for (const RoutingKind* routing : routing_kinds())
        for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
          if (number++ % effort(1U, 5U) != 0) continue;
          const FaultSet none(*topology);
          const RelationPtr relation = if_it_fits([&] {
            return build_relation(topology, none,
                                  Description{"routing", std::string(routing->info.name), {}, {}, nullptr},
                                  switching);
          });
          if (!relation) continue;
          const Claim claim = relation->claim();
          const bool claimed =
              switching == Switching::cut_through ? claim.deadlock_free_cut_through : claim.deadlock_free;
          if (!claimed) continue;
          SCOPED_TRACE(topology->name() + " " + std::string(routing->info.name));
          const bool relies = relation->relies_on_escape();
          const bool holds = claim.while_channels_fail == WhileChannelsFail::yes;
          const bool fails = claim.while_channels_fail == WhileChannelsFail::no;
          if (!relies) {
            EXPECT_TRUE(
                verify(*relation, none, {.switching = switching, .selection_commits = true}).deadlock_free);
          }
          if (holds || (!relies && !fails)) {
            EXPECT_TRUE(deadlock_free_whatever_fails(*relation, switching));
          }
          with_escapes += relies && holds ? 1 : 0;
          not_when_channels_fail += fails ? 1 : 0;
        }
    }
  EXPECT_GT(with_escapes, 0U);
  EXPECT_GT(not_when_channels_fail, 0U);
}

/// The reason for the guard: an escape proof, and a selection that waits for one option.
TEST(DeadlockGuard, DuatoWithADrawnOptionIsNotProved) {
  const auto built = testing_support::network("mesh:radix=4x4", "duato");
  const FaultSet none(*built.topology);
  for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
    EXPECT_TRUE(verify(*built.relation, none, {.switching = switching}).deadlock_free);
    EXPECT_FALSE(
        verify(*built.relation, none, {.switching = switching, .selection_commits = true}).deadlock_free);
  }
}

}  // namespace
}  // namespace faultline
