// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "faultline/cost/cost.h"
#include "faultline/routing/kind.h"
#include "faultline/topology/builder.h"
#include "faultline/topology/kind.h"

namespace faultline {
namespace {

TopologyFigures figures(std::string_view topology, std::string routing = {}) {
  const TopologyPtr built = build_topology(parse_compact("topology", topology));
  return topology_figures(
      *build_relation(built, FaultSet(*built), Description{"routing", std::move(routing), {}, {}}));
}

struct Table4Row {
  std::string_view topology;
  std::size_t channels;
  std::uint64_t switching_elements;

  friend void PrintTo(const Table4Row& row, std::ostream* out) { *out << row.topology; }
};

// Paper 1, Table 4.
class Table4 : public testing::TestWithParam<Table4Row> {};

TEST_P(Table4, LinksAndSwitchingElements) {
  const TopologyFigures measured = figures(GetParam().topology);
  EXPECT_EQ(measured.channels, GetParam().channels);
  EXPECT_EQ(measured.switching_elements, GetParam().switching_elements);
}

INSTANTIATE_TEST_SUITE_P(
    AllDesigns, Table4,
    testing::Values(Table4Row{"fat-tree:k=4,n=3", 384, 2304}, Table4Row{"ruft:k=4,n=3", 256, 768},
                    Table4Row{"ruft-pl:k=4,n=3", 512, 3072}, Table4Row{"ft-ruft-212:k=4,n=3", 384, 1280},
                    Table4Row{"ft-ruft-222:k=4,n=3", 512, 3072}, Table4Row{"fat-tree:k=8,n=3", 3072, 36864},
                    Table4Row{"ruft:k=8,n=3", 2048, 12288}, Table4Row{"ruft-pl:k=8,n=3", 4096, 49152},
                    Table4Row{"ft-ruft-212:k=8,n=3", 3072, 20480},
                    Table4Row{"ft-ruft-222:k=8,n=3", 4096, 49152}));

TEST(Cost, Table3PerSwitch) {
  constexpr std::uint64_t switches = 48;
  EXPECT_EQ(figures("fat-tree:k=4,n=3", "destro").switching_elements, switches * (2 * 16 + 4));
  EXPECT_EQ(figures("ruft-pl:k=4,n=3,selection=static").switching_elements, switches * 2 * 16);
}

TEST(Cost, PropertiesOfTheTreeAreItsClosedForms) {
  for (const auto& [k, n] : {std::pair{2, 1}, std::pair{2, 4}, std::pair{3, 3}, std::pair{4, 3}}) {
    SCOPED_TRACE(testing::Message() << "k=" << k << " n=" << n);
    const TopologyFigures measured = figures("fat-tree:k=" + std::to_string(k) + ",n=" + std::to_string(n));
    // Paper 3, the table of properties: the self pair counts in the average.
    EXPECT_EQ(measured.diameter, 2U * static_cast<unsigned>(n));
    EXPECT_NEAR(measured.average_distance, 2.0 * n - 2.0 / (k - 1) + 2.0 / ((k - 1) * std::pow(k, n)), 1e-12);
    if (k % 2 == 0) {
      EXPECT_EQ(measured.bisection, static_cast<std::uint64_t>(std::pow(k, n)) / 2);
    }
  }
}

/// Two cliques of three switches, one link between them; terminals are attached to one and the other in turn.
TEST(Cost, TheHalvesOfANetworkAreFoundWhateverTheNumbersOfItsTerminals) {
  constexpr std::uint32_t size = 3;
  TopologyBuilder builder;
  std::vector<SwitchId> switches;
  for (std::uint32_t i = 0; i < 2 * size; ++i) switches.push_back(builder.add_switch({0, i}));
  for (std::uint32_t i = 0; i < size; ++i)
    for (std::uint32_t k = i + 1; k < size; ++k)
      for (const std::uint32_t clique : {0U, size})
        builder.connect_both({switches[clique + i], k}, {switches[clique + k], i});
  builder.connect_both({switches[0], size}, {switches[size], size});
  for (std::uint32_t i = 0; i < size; ++i)
    for (const std::uint32_t clique : {0U, size})
      builder.attach(builder.add_terminal(), {switches[clique + i], size + 1});
  const Topology topology = std::move(builder).build("two cliques", "shortest-path");
  EXPECT_EQ(bisection_channels(topology), 1U);
}

/// Over all sets of switches: the channels that leave the set, and the terminals that the set is short of
/// half of them or has too many, each of which a channel of its own separates.
std::uint64_t bisection_by_enumeration(const Topology& topology) {
  const std::size_t switches = topology.switch_count(), half = topology.terminal_count() / 2;
  std::uint64_t smallest = half;
  for (std::uint32_t set = 0; set < 1U << switches; ++set) {
    const auto holds = [&](SwitchId at) { return (set >> at.index() & 1U) != 0; };
    std::uint64_t leaving = 0;
    std::size_t terminals = 0;
    for (const ChannelId channel : topology.channels()) {
      if (topology.role(channel) == ChannelRole::network)
        leaving += holds(topology.source(channel)) && !holds(topology.target(channel)) ? 1 : 0;
      else if (topology.role(channel) == ChannelRole::injection)
        terminals += holds(topology.target(channel)) ? 1 : 0;
    }
    smallest = std::min(smallest, leaving + (terminals > half ? terminals - half : half - terminals));
  }
  return smallest;
}

TEST(Cost, TheBisectionOfAGridDoesNotDependOnTheOrderOfItsDimensions) {
  for (const char* text :
       {"mesh:radix=5x3", "mesh:radix=3x5", "mesh:radix=15", "torus:radix=5x3,terminals_per_switch=3",
        "mesh:radix=5x3,terminals_per_switch=2", "mesh:radix=3x3", "mesh:radix=4x3", "torus:radix=3x4",
        "torus:radix=3x5,terminals_per_switch=4", "mesh:radix=3x2x2",
        "torus:radix=3x3,terminals_per_switch=2", "mesh:radix=7x2,terminals_per_switch=3"}) {
    const auto topology = build_topology(parse_compact("topology", text));
    EXPECT_EQ(bisection_channels(*topology), bisection_by_enumeration(*topology)) << text;
  }
  EXPECT_EQ(figures("mesh:radix=15x3").bisection, figures("mesh:radix=3x15").bisection);
  EXPECT_EQ(figures("mesh:radix=5x3x3").bisection, figures("mesh:radix=3x3x5").bisection);
}

/// The digits of its groups cannot be halved: one group sends more of them than the other.
TEST(Cost, TheBisectionOfAMikantWithOddRadixIsAboutAQuarterOfItsTerminals) {
  for (const auto& [k, n] : {std::pair{3U, 2U}, {5U, 2U}, {3U, 3U}, {3U, 4U}}) {
    const auto of_a_group = static_cast<std::uint64_t>(std::pow(k, n));
    const auto measured = figures(fmt::format("mikant:k={},n={}", k, n)).bisection;
    EXPECT_EQ(measured, (of_a_group + of_a_group / k / k) / 2) << k << " " << n;
  }
  EXPECT_EQ(bisection_by_enumeration(*build_topology(parse_compact("topology", "mikant:k=3,n=2"))), 5U);
}

TEST(Cost, HasNoDistancesWithoutTerminals) {
  TopologyBuilder builder;
  const SwitchId a = builder.add_switch({}), b = builder.add_switch({});
  builder.connect({a, 0}, {b, 0});
  builder.connect({b, 0}, {a, 0});
  const auto network = std::make_shared<const Topology>(std::move(builder).build("two-switches", "none"));
  const TopologyFigures measured =
      topology_figures(*build_healthy_relation(network, parse_compact("routing", "shortest-path")));
  EXPECT_FALSE(measured.has_distances);
  EXPECT_EQ(measured.average_distance, 0);
}

TEST(Cost, SaysWhereTheBisectionIsAnUpperBound) {
  EXPECT_TRUE(figures("torus:radix=4x4").bisection_exact);
  EXPECT_TRUE(figures("mesh:radix=4x3").bisection_exact);
  EXPECT_FALSE(figures("mesh:radix=5x4").bisection_exact);
  EXPECT_FALSE(figures("ft-ruft-222:k=4,n=2").bisection_exact);
}

}  // namespace
}  // namespace faultline
