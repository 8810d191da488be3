// SPDX-License-Identifier: Apache-2.0
// Paper 1, Table 2 and the sentences on switch faults in section 5.3.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faultline/resilience/resilience.h"
#include "support/sample_networks.h"

namespace faultline {
namespace {

ResilienceResult study(const std::string& topology, FaultUnit unit, FaultScope scope) {
  const SampleNetwork network = make_network(topology);
  return resilience(network.relation, network.survival,
                    FaultComponents(network.relation->shared_topology(), unit, scope), {});
}

struct Row {
  std::string topology;
  std::uint32_t k, network, terminal;
};

class Table2 : public testing::TestWithParam<Row> {};

TEST_P(Table2, ToleratedFaultsOfChannelsAndLinks) {
  const auto& [topology, k, network, terminal] = GetParam();
  const std::string text = topology + ":k=" + std::to_string(k) + ",n=3";
  for (const FaultUnit unit : {FaultUnit::channel, FaultUnit::link}) {
    const ResilienceResult in_network = study(text, unit, FaultScope::network);
    EXPECT_EQ(in_network.tolerated_faults, network) << text;
    EXPECT_TRUE(in_network.tolerated_exact);
    EXPECT_EQ(in_network.witness.size(), network + 1);
    const ResilienceResult at_terminals = study(text, unit, FaultScope::terminal);
    EXPECT_EQ(at_terminals.tolerated_faults, terminal) << text;
    EXPECT_EQ(at_terminals.witness.size(), terminal + 1);
  }
}

std::vector<Row> rows() {
  std::vector<Row> rows;
  for (const std::uint32_t k : {2U, 4U, 8U, 16U})
    for (const Row& row : {Row{"fat-tree", k, k - 1, 0}, Row{"ruft", k, 0, 0}, Row{"ruft-pl", k, 1, 1},
                           Row{"ft-ruft-212", k, 3, 1}, Row{"ft-ruft-222", k, 7, 1}})
      rows.push_back(row);
  return rows;
}

INSTANTIATE_TEST_SUITE_P(AllArities, Table2, testing::ValuesIn(rows()), [](const auto& row) {
  std::string name = row.param.topology + "_k" + std::to_string(row.param.k);
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(Table2Text, OnlyDisjointInjectionToleratesASwitchFault) {
  for (const std::string k : {"2", "4", "8"}) {
    const auto tolerated = [&](const std::string& name) {
      return study(name + ":k=" + k + ",n=3", FaultUnit::switch_, FaultScope::network).tolerated_faults;
    };
    EXPECT_EQ(tolerated("ft-ruft-212"), 1U);
    EXPECT_EQ(tolerated("ft-ruft-222"), 1U);
    EXPECT_EQ(tolerated("ruft-pl"), 0U);
    const ResilienceResult tree = study("fat-tree:k=" + k + ",n=3", FaultUnit::switch_, FaultScope::network);
    EXPECT_EQ(tree.tolerated_faults, 0U);
    EXPECT_THAT(tree.witness, testing::ElementsAre(testing::StartsWith("s0.")));
  }
}

}  // namespace
}  // namespace faultline
