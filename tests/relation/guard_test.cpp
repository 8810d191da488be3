// SPDX-License-Identifier: Apache-2.0
// Which routings may be simulated with which selection functions.
#include <gtest/gtest.h>

#include "faultline/verify/verify.h"
#include "study/deadlock_guard.h"
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

/// The guard relies on the claim: what is claimed without escape channels has to be proved for a selection
/// that commits.
TEST(DeadlockGuard, ClaimsHoldForSelectionsThatCommit) {
  for (const TopologyKind* kind : topology_kinds())
    for (const Description& sample : samples_of(kind->info, "topology")) {
      const TopologyPtr topology = build_topology(sample);
      for (const RoutingKind* routing : routing_kinds())
        for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
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
          if (!claimed || relation->relies_on_escape()) continue;
          SCOPED_TRACE(topology->name() + " " + std::string(routing->info.name));
          EXPECT_TRUE(
              verify(*relation, none, {.switching = switching, .selection_commits = true}).deadlock_free);
        }
    }
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
