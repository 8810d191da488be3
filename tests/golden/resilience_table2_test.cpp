// SPDX-License-Identifier: Apache-2.0
// Paper 1, Table 2 and the sentences on switch faults in section 5.3.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faultline/resilience/resilience.h"
#include "resilience/cuts/tolerance.h"
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

  friend void PrintTo(const Row& row, std::ostream* out) { *out << row.topology << ":k=" << row.k << ",n=3"; }
};

std::vector<Row> rows(std::initializer_list<std::uint32_t> arities) {
  std::vector<Row> rows;
  for (const std::uint32_t k : arities)
    for (const Row& row : {Row{"fat-tree", k, k - 1, 0}, Row{"ruft", k, 0, 0}, Row{"ruft-pl", k, 1, 1},
                           Row{"ft-ruft-212", k, 3, 1}, Row{"ft-ruft-222", k, 7, 1}})
      rows.push_back(row);
  return rows;
}

std::string row_name(const testing::TestParamInfo<Row>& row) {
  std::string name = row.param.topology + "_k" + std::to_string(row.param.k);
  std::ranges::replace(name, '-', '_');
  return name;
}

void expect_tolerated(const SampleNetwork& network, FaultUnit unit, FaultScope scope,
                      std::uint32_t expected) {
  const FaultComponents components(network.relation->shared_topology(), unit, scope);
  const survival::Tolerance tolerance =
      survival::tolerance_by_cuts({network.relation, network.survival, components});
  EXPECT_EQ(tolerance.faults, expected) << network.name << ' ' << to_string(unit) << ' ' << to_string(scope);
  EXPECT_TRUE(tolerance.exact);
  EXPECT_EQ(tolerance.witness.size(), expected + 1);
}

void expect_row(const Row& row) {
  const SampleNetwork network = make_network(row.topology + ":k=" + std::to_string(row.k) + ",n=3");
  for (const FaultUnit unit : {FaultUnit::channel, FaultUnit::link}) {
    expect_tolerated(network, unit, FaultScope::network, row.network);
    expect_tolerated(network, unit, FaultScope::terminal, row.terminal);
  }
}

class Table2 : public testing::TestWithParam<Row> {};
class SlowTable2 : public testing::TestWithParam<Row> {};
TEST_P(Table2, ToleratedFaultsOfChannelsAndLinks) { expect_row(GetParam()); }
TEST_P(SlowTable2, ToleratedFaultsOfChannelsAndLinks) { expect_row(GetParam()); }
INSTANTIATE_TEST_SUITE_P(SmallArities, Table2, testing::ValuesIn(rows({2, 4, 8})), row_name);
INSTANTIATE_TEST_SUITE_P(LargestArity, SlowTable2, testing::ValuesIn(rows({16})), row_name);

TEST(Table2Text, OnlyDisjointInjectionToleratesASwitchFault) {
  for (const std::string k : {"2", "4", "8"}) {
    const auto tolerated = [&](const std::string& name) {
      return study(name + ":k=" + k + ",n=3", FaultUnit::switch_, FaultScope::network).tolerance.faults;
    };
    EXPECT_EQ(tolerated("ft-ruft-212"), 1U);
    EXPECT_EQ(tolerated("ft-ruft-222"), 1U);
    EXPECT_EQ(tolerated("ruft-pl"), 0U);
    const ResilienceResult tree = study("fat-tree:k=" + k + ",n=3", FaultUnit::switch_, FaultScope::network);
    EXPECT_EQ(tree.tolerance.faults, 0U);
    EXPECT_THAT(tree.tolerance.witness, testing::ElementsAre(testing::StartsWith("s0.")));
  }
}

}  // namespace
}  // namespace faultline
