// SPDX-License-Identifier: Apache-2.0
// Which links of production fabrics matter?
#include <gtest/gtest.h>

#include "faultline/resilience/resilience.h"
#include "faultline/topology/kind.h"
#include "support/shared_folder.h"

namespace faultline {
namespace {

ResilienceResult network_links(const std::filesystem::path& dump) {
  const TopologyPtr topology =
      build_topology({"topology", "fabric", {{"file", {{dump.string()}, false, {}}}}, {}});
  return resilience(build_relation(topology, FaultSet(*topology), {"routing", "up-down", {}, {}}),
                    Survival::any_path_two_way,
                    FaultComponents(topology, FaultUnit::link, FaultScope::network), {});
}

TEST(RealFabrics, FourCablesCutTheSmallSwitchOfPsmn) {
  FAULTLINE_SHARED_FILE(dump, "fabrics/psmn-x5.ibnetdiscover");
  const ResilienceResult result = network_links(dump);
  EXPECT_EQ(result.components, 70U);
  EXPECT_EQ(result.tolerated_faults, 3U);
  EXPECT_TRUE(result.tolerated_exact);
  // By hand: the last switch of the dump, 4036-8BBA, has four cables to other switches, fewer than any other.
  ASSERT_EQ(result.witness.size(), 4U);
  for (const std::string& link : result.witness) EXPECT_NE(link.find("4036-8BBA"), std::string::npos) << link;
}

TEST(RealFabrics, EveryLeafOfAvakasHasEighteenCables) {
  FAULTLINE_SHARED_FILE(dump, "fabrics/avakas.ibnetdiscover");
  const ResilienceResult result = network_links(dump);
  EXPECT_EQ(result.components, 288U);
  EXPECT_EQ(result.tolerated_faults, 17U);
  EXPECT_EQ(result.witness.size(), 18U);
}

}  // namespace
}  // namespace faultline
