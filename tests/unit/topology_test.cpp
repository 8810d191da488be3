// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"
#include "support/samples.h"
#include "support/topology_named.h"

namespace faultline {
namespace {

TEST(Topology, CountsOfTheFiveDesignsAt64Terminals) {
  // Paper 1, Table 4: unidirectional links, injection and ejection included.
  EXPECT_EQ(topology_named("fat-tree:k=4,n=3")->channel_count(), 384U);
  EXPECT_EQ(topology_named("ruft:k=4,n=3")->channel_count(), 256U);
  EXPECT_EQ(topology_named("ruft-pl:k=4,n=3")->channel_count(), 512U);
  EXPECT_EQ(topology_named("ft-ruft-212:k=4,n=3")->channel_count(), 384U);
  EXPECT_EQ(topology_named("ft-ruft-222:k=4,n=3")->channel_count(), 512U);
}

TEST(Topology, CompactNamesBuildTheSameNetworkAgain) {
  for (const TopologyKind* kind : topology_kinds())
    for (const Description& sample : samples_of(kind->info, "topology")) {
      const TopologyPtr topology = build_topology(sample);
      Description named = parse_compact("topology", topology->name());
      named.files = sample.files;
      const TopologyPtr again = build_topology(named);
      EXPECT_EQ(again->name(), topology->name());
      EXPECT_EQ(again->channel_count(), topology->channel_count()) << topology->name();
    }
}

TEST(Topology, RefusesBadParametersByFieldValueAndRange) {
  const auto message = [](std::string_view text) -> std::string {
    try {
      (void)topology_named(text);
      return "accepted";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(message("fat-tree:k=1,n=3"), "topology.k = '1': must be an integer from 2 to 128");
  EXPECT_EQ(message("fat-tree:k=two,n=3"), "topology.k = 'two': must be an integer from 2 to 128");
  EXPECT_THAT(message("fat-tre:k=2,n=3"), testing::HasSubstr("did you mean 'fat-tree'?"));
  EXPECT_THAT(message("fat-tree:k=2,m=3"), testing::HasSubstr("unknown field; fat-tree has: k, n"));
  EXPECT_THAT(message("fat-tree:k=2"), testing::HasSubstr("topology.n: is required"));
  EXPECT_THAT(message("ft-ruft-212:k=3,n=3"), testing::HasSubstr("must be even"));
  EXPECT_THAT(message("ruft:k=256,n=20"), testing::HasSubstr("k^n must be at most"));
}

}  // namespace
}  // namespace faultline
