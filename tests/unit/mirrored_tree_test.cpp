// SPDX-License-Identifier: Apache-2.0
// Paper 3: the table of properties against the graph, and the printed routing examples.
#include <gtest/gtest.h>

#include <cmath>

#include "faultline/cost/cost.h"
#include "faultline/cost/hypercube.h"
#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"
#include "faultline/topology/mirrored_tree.h"
#include "support/error_message.h"

namespace faultline {
namespace {

TopologyPtr mirrored_tree(const std::string& kind, std::uint32_t k, std::uint32_t n) {
  return build_topology(
      parse_compact("topology", kind + ":k=" + std::to_string(k) + ",n=" + std::to_string(n)));
}

RelationPtr make_relation(const TopologyPtr& topology, std::string routing) {
  return build_relation(topology, FaultSet(*topology), Description{"routing", std::move(routing), {}, {}});
}

/// Paper 3, table of properties; `saved` is by how much the average distance of a MiKANT is below a Clos
/// tree's.
void expect_properties(const std::string& kind, std::uint32_t stages_factor, double saved) {
  for (std::uint32_t k = 2; k <= 5; ++k)
    for (std::uint32_t n = 2; n <= 5; ++n) {
      const double power = std::pow(k, n);
      if (power > 1500) continue;
      SCOPED_TRACE(testing::Message() << kind << " k=" << k << " n=" << n);
      const TopologyPtr topology = mirrored_tree(kind, k, n);
      const TopologyFigures figures = topology_figures(*make_relation(topology, "minimal"));
      EXPECT_EQ(static_cast<double>(figures.terminals), 2 * power);
      EXPECT_EQ(static_cast<double>(figures.switches), (2 * n - stages_factor) * power / k);
      EXPECT_EQ(static_cast<double>(figures.links), (2 * n - (stages_factor - 1)) * power);
      EXPECT_EQ(figures.min_switch_radix, 2 * k);
      EXPECT_EQ(figures.max_switch_radix, 2 * k);
      EXPECT_EQ(figures.diameter, 2 * n);
      EXPECT_NEAR(figures.average_distance, 2.0 * n - 1.0 / (k - 1) + 1.0 / ((k - 1) * power) - saved, 1e-9);
    }
}

TEST(MirroredTree, BothTreesCountTowardsTheLimitOfTerminals) {
  for (const char* kind : {"mikant", "clos-tree"})
    EXPECT_NE(testing_support::error_message([&] {
                (void)mirrored_tree(kind, 2, 20);
              }).find("2k^n must be at most 1048576 terminals"),
              std::string::npos);
}

TEST(MirroredTree, PropertiesOfMikantAreThePrintedOnes) { expect_properties("mikant", 2, 0.5); }
TEST(MirroredTree, PropertiesOfTheClosTreeAreThePrintedOnes) { expect_properties("clos-tree", 1, 0); }

TEST(MirroredTree, CostsLessForItsPerformanceThanTheHypercubeAndTheClosTree) {
  const auto beside = [](const TopologyPtr& topology, const char* routing) {
    return compare_with_hypercube(*topology, topology_figures(*make_relation(topology, routing)));
  };
  for (std::uint32_t k = 2; k <= 4; ++k)
    for (std::uint32_t n = 3; n <= 4; ++n) {
      const HypercubeComparison mikant = beside(mirrored_tree("mikant", k, n), "minimal");
      EXPECT_GT(mikant.cost_performance,
                beside(mirrored_tree("clos-tree", k, n), "minimal").cost_performance);
    }
  // A hypercube compares with itself as 1, and its figures are those of the graph.
  const TopologyPtr cube = build_topology(parse_compact("topology", "hypercube:n=5"));
  const HypercubeComparison itself = beside(cube, "shortest-path");
  const TopologyFigures figures = topology_figures(*make_relation(cube, "shortest-path"));
  EXPECT_NEAR(itself.cost_performance, 1, 1e-12);
  EXPECT_NEAR(itself.average_distance, figures.average_distance, 1e-12);
  EXPECT_EQ(itself.links, static_cast<double>(figures.links));
  EXPECT_EQ(itself.switch_ports, static_cast<double>(itself.own_switch_ports));
}

/// Links and switches saved against the Clos tree: a stage of k^(n-1) switches, and k^n links, whatever n.
TEST(MirroredTree, SavesAStageAgainstTheClosTreeForEveryN) {
  for (std::uint32_t n = 2; n <= 8; ++n) {
    const TopologyPtr mikant = mirrored_tree("mikant", 2, n), clos = mirrored_tree("clos-tree", 2, n);
    EXPECT_EQ(clos->switch_count() - mikant->switch_count(), std::size_t{1} << (n - 1));
    EXPECT_EQ(clos->link_count() - mikant->link_count(), std::size_t{1} << n);
  }
}

/// The number of a terminal from its printed digits: group, then c_(n-1) … c_0.
TerminalId terminal(std::string_view printed, std::uint32_t k) {
  std::uint32_t number = 0;
  for (const char digit : printed) number = number * k + static_cast<std::uint32_t>(digit - '0');
  return TerminalId(number);
}

/// Links from terminal to terminal of the one path offered, and the switches on it.
std::vector<SwitchId> path(const RoutingRelation& relation, TerminalId from, TerminalId to) {
  RouteOptions options;
  relation.inject(from, to, options);
  std::vector<SwitchId> switches;
  const Topology& topology = relation.topology();
  while (topology.role(options.front().channel) != ChannelRole::ejection && switches.size() < 100) {
    EXPECT_EQ(options.size(), 1U);
    const ChannelId held = options.front().channel;
    switches.push_back(topology.target(held));
    options.clear();
    relation.route({switches.back(), to, held}, options);
  }
  EXPECT_EQ(topology.terminal(options.front().channel), to);
  return switches;
}

TEST(MirroredTree, ThePrintedExamplesTakeSevenEightSixAndFourLinks) {
  const TopologyPtr topology = mirrored_tree("mikant", 3, 4);
  const RelationPtr relation = make_relation(topology, "minimal");
  const auto links = [&](std::string_view from, std::string_view to) {
    return path(*relation, terminal(from, 3), terminal(to, 3)).size() + 1;
  };
  EXPECT_EQ(links("02000", "12222"), 7U);
  EXPECT_EQ(links("02000", "02222"), 8U);
  EXPECT_EQ(links("02000", "02022"), 6U);
  EXPECT_EQ(links("02000", "02002"), 4U);
}

TEST(MirroredTree, TheFirstPrintedExampleTakesThePrintedHops) {
  const TopologyPtr topology = mirrored_tree("mikant", 3, 4);
  const auto& labels = topology->labelling<MirroredTreeLabelling>("test");
  const RelationPtr relation = make_relation(topology, "minimal");
  // <0,0,000> <0,1,002> <0,2,022> <1,2,222> <1,1,222> <1,0,222>, orders in base 3.
  const std::vector<SwitchId> printed{labels.at(0, 0, 0),  labels.at(0, 1, 2),  labels.at(0, 2, 8),
                                      labels.at(1, 2, 26), labels.at(1, 1, 26), labels.at(1, 0, 26)};
  EXPECT_EQ(path(*relation, terminal("02000", 3), terminal("12222", 3)), printed);
}

TEST(MirroredTree, OnePortTakesTheNextPortAndAllPortEveryOther) {
  const TopologyPtr topology = mirrored_tree("mikant", 3, 3);
  RouteOptions one, all;
  const RouteState state{SwitchId(0), terminal("1222", 3), topology->inputs(SwitchId(0)).front()};
  make_relation(topology, "one-port")->route(state, one);
  make_relation(topology, "all-port")->route(state, all);
  const auto ports = [&](const RouteOptions& options) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
    for (const RouteOption& option : options)
      found.emplace_back(option.tier, topology->output_port(option.channel));
    return found;
  };
  EXPECT_EQ(ports(one), (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 5}, {1, 3}}));
  EXPECT_EQ(ports(all), (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 5}, {1, 3}, {2, 4}}));
}

}  // namespace
}  // namespace faultline
