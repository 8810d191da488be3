// SPDX-License-Identifier: Apache-2.0
// Pairs that arrive only with probability one are counted separately in resilience and in verify, whose
// counts the certificate checker confirms.
#include <gtest/gtest.h>

#include "faultline/fault/components.h"
#include "faultline/resilience/resilience.h"
#include "support/effort.h"
#include "support/random_relations.h"
#include "support/temporary_folder.h"
#include "verify/examples.h"

namespace faultline {
namespace {

/// Mean fractions of the pairs of each class, over all sets of that many dead channels.
struct Shares {
  double served = 0, likely = 0;
};

Shares by_certificates(const TopologyPtr& topology, std::uint32_t faults, Knowledge knowledge) {
  Shares sum;
  double sets = 0;
  const auto add = [&](const FaultSet& dead) {
    const Example example = verified_under(topology, {dead, knowledge, SourceRole::any},
                                           {"routing", "", {}, {}}, Switching::wormhole);
    if (example.verdict.method != DeadlockMethod::unproved) {
      EXPECT_EQ(rejection(certificate_of(example, Switching::wormhole)), "");
    }
    const PairCounts& pairs = example.verdict.pairs;
    sum.served += static_cast<double>(pairs[PairClass::served]) / static_cast<double>(pairs.total());
    sum.likely += static_cast<double>(pairs[PairClass::likely]) / static_cast<double>(pairs.total());
    ++sets;
  };
  if (faults == 0) add(FaultSet(*topology));
  for (const ChannelId channel : topology->channels()) {
    if (faults == 0) break;
    FaultSet dead(*topology);
    dead.fail(channel);
    add(dead);
  }
  return {sum.served / sets, sum.likely / sets};
}

/// Of the two ways to terminal 1, one ends at a switch, or arrives, and the other goes to and fro for ever.
TEST(Livelocks, AreListedAlsoOfPairsThatMayGetStuck) {
  const TemporaryFolder folder;
  const auto listed = [&](const std::string& first_way) {
    const std::string path = folder.file(
        "two.relation",
        "faultline-relation 1\nnetwork -\nswitches 2\nterminals 2\nvirtual-channels 1\ntags 2\nreads tag\n"
        "channels 6\nn 0 1\nn 1 0\ni 0 0\ni 1 1\ne 0 0\ne 1 1\n"
        "destination 0\nfrom 1 3\ns 1 0 1\ns 0 0 4\n"
        "destination 1\nfrom 0 2/1/0 2/1/1\n" +
            first_way + "s 0 1 0/1/1\ns 1 1 1/1/1\nend\n");
    const TopologyPtr topology = build_topology(parse_compact("topology", "relation:file=" + path));
    const RelationPtr relation = build_healthy_relation(topology, {});
    return verify(*relation, FaultSet(*topology), {.listed_livelocks = 5});
  };
  const std::vector pair{std::pair(TerminalId(0), TerminalId(1))};
  const Verdict stuck = listed("s 0 0\n");
  EXPECT_EQ(stuck.pairs[PairClass::stalled], 1U);
  EXPECT_EQ(stuck.livelocks, pair);
  const Verdict arrives = listed("s 0 0 0\ns 1 0 5\n");
  EXPECT_EQ(arrives.pairs[PairClass::livelock], 1U);
  EXPECT_EQ(arrives.livelocks, pair);
}

/// A packet goes to and fro between two switches as often as it likes, but at one of them may get stuck.
TEST(Livelocks, AreListedWherePacketsMayLeaveThemAndGetStuck) {
  const TemporaryFolder folder;
  const auto listed = [&](const std::string& at_last) {
    const std::string path = folder.file(
        "three.relation",
        "faultline-relation 1\nnetwork -\nswitches 3\nterminals 2\nvirtual-channels 1\ntags 1\nreads tag\n"
        "channels 8\nn 0 1\nn 1 0\nn 1 2\ni 0 0\ni 1 1\ne 0 0\ne 1 1\ne 2 1\n"
        "destination 0\nfrom 1 4\ns 0 0 5\ns 1 0 1\n"
        "destination 1\nfrom 0 3\ns 0 0 0\ns 1 0 1 2\n" +
            at_last + "end\n");
    const TopologyPtr topology = build_topology(parse_compact("topology", "relation:file=" + path));
    const FaultSet none(*topology);
    const RelationPtr relation = admissible_relation(
        build_healthy_relation(topology, {}), {none, Knowledge::neighbours()}, SourceOffers::every_start);
    return verify(*relation, none, {.listed_livelocks = 5});
  };
  const Verdict stuck = listed("s 2 0\n");
  EXPECT_EQ(stuck.pairs[PairClass::stalled], 1U);
  EXPECT_EQ(stuck.livelocks, (std::vector{std::pair(TerminalId(0), TerminalId(1))}));
  // Where it arrives instead, it does so with probability one.
  const Verdict arrives = listed("s 2 0 7\n");
  EXPECT_EQ(arrives.pairs[PairClass::likely], 1U);
  EXPECT_TRUE(arrives.livelocks.empty());
}

TEST(LikelyPairs, AreCountedApartInResilienceAsInCertificates) {
  const TemporaryFolder folder;
  std::size_t with_some = 0;
  for (std::uint64_t seed = 1; seed <= effort(60U, 10U); ++seed) {
    const std::string path =
        folder.file("instance.relation", formats::relation_text(RandomRelation(seed).draw()));
    const TopologyPtr topology = build_topology(parse_compact("topology", "relation:file=" + path));
    const RelationPtr relation = build_healthy_relation(topology, {});
    const FaultComponents channels(topology, FaultUnit::channel, FaultScope::all);
    for (const Knowledge knowledge : {Knowledge::none(), Knowledge::neighbours(), Knowledge::all()}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", knowledge " << to_string(knowledge));
      const ResilienceResult result =
          resilience(relation, Survival::fixed_paths, channels,
                     {.fractions = {.fault_counts = {0, 1}, .method = ResilienceMethod::exhaustive},
                      .conditions = {.knowledge = knowledge, .source = SourceRole::any}});
      for (const FaultPoint& point : result.fractions.points) {
        const Shares shares = by_certificates(topology, point.faults, knowledge);
        EXPECT_NEAR(point.connected_pairs_fraction, shares.served, 1e-12) << point.faults;
        EXPECT_NEAR(point.likely_pairs ? point.likely_pairs->fraction : 0, shares.likely, 1e-12)
            << point.faults;
        with_some += shares.likely > 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(with_some, effort(20U, 2U));
}

TEST(LikelyPairs, AreNoneWhereEveryWayLeadsNearer) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "fat-tree:k=2,n=3"));
  const ResilienceResult result =
      resilience(build_healthy_relation(topology, {}), Survival::fixed_paths,
                 FaultComponents(topology, FaultUnit::channel, FaultScope::network),
                 {.fractions = {.fault_counts = {1, 2}}});
  for (const FaultPoint& point : result.fractions.points) EXPECT_FALSE(point.likely_pairs);
}

}  // namespace
}  // namespace faultline
