// SPDX-License-Identifier: Apache-2.0
// lash, dfsssp and repair are proved on networks without a plan, by a certificate that the checker accepts.
#include <gtest/gtest.h>

#include "faultline/fault/components.h"
#include "faultline/fault/sampler.h"
#include "faultline/routing/table_export.h"
#include "support/effort.h"
#include "support/random_graph.h"
#include "support/shared_folder.h"
#include "verify/examples.h"

namespace faultline {
namespace {

class LayeredPaths : public testing::TestWithParam<std::string> {
 protected:
  void expect_proved(const TopologyPtr& topology, Switching switching) const {
    SCOPED_TRACE(topology->name());
    const Example example = verified_on(topology, FaultSet(*topology), GetParam(), switching);
    EXPECT_EQ(example.verdict.method, DeadlockMethod::acyclic_dependencies);
    EXPECT_TRUE(example.verdict.positive());
    EXPECT_EQ(rejection(certificate_of(example, switching)), "");
  }
};

TEST_P(LayeredPaths, AreProvedOnFiftyRandomGraphs) {
  for (std::uint64_t seed = 1; seed <= 50; seed += effort(1U, 5U)) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const auto size = static_cast<std::uint32_t>(seed);
    const TopologyPtr topology = random_graph(6 + size / 2, 3 * size / 2, 24, seed);
    expect_proved(topology, seed % 2 == 0 ? Switching::wormhole : Switching::cut_through);
  }
}

TEST_P(LayeredPaths, AreProvedOnRealFabrics) {
  FAULTLINE_SHARED_FILE(avakas, "fabrics/avakas.ibnetdiscover");
  FAULTLINE_SHARED_FILE(psmn, "fabrics/psmn-x5.ibnetdiscover");
  for (const auto& dump : {avakas, psmn})
    expect_proved(build_topology(parse_compact("topology", "fabric:file=" + dump.string())),
                  Switching::wormhole);
}

/// Its own tables, without thirty of its cables.
TEST(RepairedTables, OfARealFabricAreProvedAndKeepMostEntries) {
  FAULTLINE_SHARED_FILE(dump, "fabrics/avakas.ibnetdiscover");
  FAULTLINE_SHARED_FILE(tables, "fabrics/avakas.lfts");
  const std::vector<std::string> files{"file=" + dump.string(), "tables=" + tables.string()};
  const TopologyPtr topology = build_topology(parse_assignments("topology", "fabric", files));
  FaultSet dead(*topology);
  const FaultComponents links(topology, FaultUnit::link, FaultScope::network);
  for (const std::uint32_t link : FaultSampler(links.count(), 1).draw(30, 0))
    for (const ChannelId channel : links.channels(link)) dead.fail(channel);
  const Example example = verified_on(topology, dead, "repair", Switching::wormhole);
  EXPECT_TRUE(example.verdict.positive());
  EXPECT_EQ(rejection(certificate_of(example, Switching::wormhole)), "");
  const auto changed = [&](const char* routing) {
    const RelationPtr relation = build_relation(topology, dead, parse_compact("routing", routing));
    return *export_tables(*relation, dead, routing).changed;
  };
  EXPECT_LT(3 * changed("repair"), changed("dfsssp"));
}

INSTANTIATE_TEST_SUITE_P(Routings, LayeredPaths, testing::Values("lash", "dfsssp", "repair"));

}  // namespace
}  // namespace faultline
