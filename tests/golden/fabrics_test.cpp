// SPDX-License-Identifier: Apache-2.0
// Which links of production fabrics matter?
#include <gtest/gtest.h>

#include "faultline/resilience/resilience.h"
#include "faultline/topology/kind.h"
#include "support/effort.h"
#include "support/shared_folder.h"

namespace faultline {
namespace {

ResilienceResult network_links(const std::filesystem::path& dump, const ResilienceSpec& spec = {}) {
  const TopologyPtr topology =
      build_topology(Description{"topology", "fabric", {{"file", {{dump.string()}, false, {}}}}, {}});
  return resilience(build_relation(topology, FaultSet(*topology), parse_compact("routing", "up-down")),
                    Survival::any_path_two_way,
                    FaultComponents(topology, FaultUnit::link, FaultScope::network), spec);
}

TEST(RealFabrics, FourCablesCutTheSmallSwitchOfPsmn) {
  FAULTLINE_SHARED_FILE(dump, "fabrics/psmn-x5.ibnetdiscover");
  const ResilienceResult result = network_links(dump);
  EXPECT_EQ(result.components, 70U);
  EXPECT_EQ(result.tolerance.faults, 3U);
  EXPECT_TRUE(result.tolerance.exact);
  // By hand: the last switch of the dump, 4036-8BBA, has four cables to other switches, fewer than any other.
  ASSERT_EQ(result.tolerance.witness.size(), 4U);
  for (const std::string& link : result.tolerance.witness)
    EXPECT_NE(link.find("4036-8BBA"), std::string::npos) << link;
}

TEST(RealFabrics, PsmnIsCountedExactlyForAnyNumberOfCables) {
  FAULTLINE_SHARED_FILE(dump, "fabrics/psmn-x5.ibnetdiscover");
  const ResilienceResult exact = network_links(
      dump, {.fractions = {.fault_counts = {3, 4, 20, 70}, .method = ResilienceMethod::exact}, .cuts = 100});
  ASSERT_TRUE(exact.minimum_cuts);
  EXPECT_EQ(exact.minimum_cuts->size, 4U);
  EXPECT_EQ(exact.minimum_cuts->count, "1");  // the four cables of 4036-8BBA
  ASSERT_EQ(exact.minimum_cuts->listed.size(), 1U);
  EXPECT_EQ(exact.minimum_cuts->listed.front(), exact.tolerance.witness);
  const ResilienceResult listed =
      network_links(dump, {.fractions = {.fault_counts = {3, 4}, .method = ResilienceMethod::exhaustive}});
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(exact.fractions.points[i].intolerable_sets, listed.fractions.points[i].intolerable_sets);
  const ResilienceResult sampled = network_links(dump, {.fractions = {.fault_counts = {20},
                                                                      .method = ResilienceMethod::sampled,
                                                                      .samples = effort(200'000U, 20'000U)}});
  const Interval seen = sampled.fractions.points.front().intolerable_interval;
  EXPECT_LE(seen.low, exact.fractions.points[2].intolerable_fraction);
  EXPECT_GE(seen.high, exact.fractions.points[2].intolerable_fraction);
  EXPECT_EQ(exact.fractions.points[3].intolerable_sets, "1");
}

TEST(RealFabrics, EveryLeafOfAvakasHasEighteenCables) {
  FAULTLINE_SHARED_FILE(dump, "fabrics/avakas.ibnetdiscover");
  const ResilienceResult result = network_links(dump);
  EXPECT_EQ(result.components, 288U);
  EXPECT_EQ(result.tolerance.faults, 17U);
  EXPECT_EQ(result.tolerance.witness.size(), 18U);
}

}  // namespace
}  // namespace faultline
