// SPDX-License-Identifier: Apache-2.0
// Every routing of the catalogue, written to a relation file and read again, is the same routing.
#include <gtest/gtest.h>

#include "faultline/routing/admissible.h"
#include "faultline/routing/relation_text.h"
#include "faultline/verify/verify.h"
#include "support/effort.h"
#include "support/print_switching.h"
#include "support/sample_networks.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

void expect_same(const Verdict& a, const Verdict& b) {
  EXPECT_EQ(a.unreachable_pairs, b.unreachable_pairs);
  EXPECT_EQ(a.max_hops, b.max_hops);
  EXPECT_EQ(a.deadlock_free, b.deadlock_free);
  EXPECT_EQ(to_string(a.method), to_string(b.method));
  EXPECT_EQ(a.states, b.states);
  EXPECT_EQ(a.moves, b.moves);
  EXPECT_EQ(a.dependencies, b.dependencies);
}

Verdict verdict_of(const RoutingRelation& relation, const FaultSet& dead, Switching switching) {
  return verify(relation, dead, {.switching = switching});
}

/// `number` failed network channels, spread over the network.
FaultSet some_faults(const Topology& topology, std::size_t number) {
  FaultSet faults(topology);
  const std::size_t channels = topology.network_channel_count();
  for (std::size_t i = 0; i < number && channels > 0; ++i)
    faults.fail(ChannelId((i * 7 + 3) * (channels / 3 + 1) % channels));
  return faults;
}

class WrittenRelation : public testing::TestWithParam<Switching> {};

TEST_P(WrittenRelation, ComesBackWithTheSameVerdictOnEverySample) {
  const TemporaryFolder folder;
  std::size_t compared = 0, offered = 0;
  for (const TopologyKind* topology_kind : topology_kinds())
    for (const Description& sample : samples_of(topology_kind->info, "topology")) {
      const TopologyPtr topology = build_topology(sample);
      for (const RoutingKind* kind : routing_kinds())
        for (const Description& routing : samples_of(kind->info, "routing")) {
          if (offered++ % effort(1U, 90U) != 0) continue;
          const RelationPtr relation =
              if_it_fits([&] { return build_relation(topology, FaultSet(*topology), routing, GetParam()); });
          if (!relation) continue;
          ++compared;
          SCOPED_TRACE(topology->name() + " " + to_compact(routing));
          const std::string text = relation_text(*relation);
          const std::string path = folder.file("any.relation", text);
          const Description from_file = parse_compact("routing", "relation:file=" + path);
          const TopologyPtr read = build_topology(parse_compact("topology", "relation:file=" + path));
          for (const std::size_t faults : {0U, 2U}) {
            const FaultSet dead = some_faults(*topology, faults);
            const RelationPtr back = build_relation(topology, dead, from_file, GetParam());
            const RelationPtr apart = build_relation(read, dead, {}, GetParam());
            const RelationPtr known = faults == 0 ? relation : admissible_relation(relation, {dead});
            const Verdict expected = verdict_of(*known, dead, GetParam());
            expect_same(verdict_of(*back, dead, GetParam()), expected);
            expect_same(verdict_of(*apart, dead, GetParam()), expected);
            if (faults > 0) continue;
            EXPECT_EQ(relation_text(*back), text);
            EXPECT_EQ(back->relies_on_escape(), relation->relies_on_escape());
            EXPECT_EQ(read->network_link_count(), topology->network_link_count());
            EXPECT_EQ(read->link_count(), topology->link_count());
          }
        }
    }
  EXPECT_GT(compared, effort(40U, 2U));
}

INSTANTIATE_TEST_SUITE_P(Switchings, WrittenRelation,
                         testing::Values(Switching::wormhole, Switching::cut_through));

}  // namespace
}  // namespace faultline
