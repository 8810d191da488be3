// SPDX-License-Identifier: Apache-2.0
// Do the drawn paths say what the routing relation says? The oracle walks the relation itself, packet by
// packet.
#include "report/drawing.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"

namespace faultline {
namespace {

using nlohmann::json;
using Channels = std::set<std::uint32_t>;

RelationPtr make(const std::string& topology_text, const std::string& routing) {
  const TopologyPtr topology = build_topology(parse_compact("topology", topology_text));
  return build_relation(topology, FaultSet(*topology), parse_compact("routing", routing));
}

/// Channels that a packet can cross, by trying every option. Assumes what holds here: one virtual channel, no
/// dead ends.
void walk(const RoutingRelation& relation, const RouteState& state, Channels& crossed) {
  RouteOptions options;
  relation.route(state, options);
  for (const RouteOption& option : options) {
    crossed.insert(option.channel.value());
    if (relation.topology().kind(option.channel) != ChannelKind::ejection)
      walk(relation,
           {relation.topology().target(option.channel), state.destination, option.channel, 0, option.tag},
           crossed);
  }
}

Channels walked(const RoutingRelation& relation, TerminalId source, TerminalId destination) {
  Channels crossed;
  RouteOptions options;
  relation.inject(source, destination, options);
  for (const RouteOption& option : options) {
    crossed.insert(option.channel.value());
    walk(relation, {relation.topology().target(option.channel), destination, option.channel, 0, option.tag},
         crossed);
  }
  return crossed;
}

/// The same, read from the drawing as the page reads it.
class DrawnPaths {
 public:
  DrawnPaths(const json& topology, const json& paths)
      : to_(topology.at("channels").at("to")), paths_(paths) {}

  [[nodiscard]] Channels of(std::uint32_t source, std::uint32_t destination) const {
    std::map<std::pair<int, int>, std::vector<int>> rules;
    for (const json& index : paths_.at("destinations").at(destination)) {
      const auto rule = paths_.at("rules").at(index.get<std::size_t>()).get<std::vector<int>>();
      EXPECT_TRUE(
          rules.emplace(std::pair(rule[0], rule[1]), std::vector(rule.begin() + 2, rule.end())).second);
    }
    Channels crossed;
    std::vector<std::pair<int, int>> todo{{-1 - static_cast<int>(source), -1}};
    while (!todo.empty()) {
      const std::vector<int> steps = rules.at(todo.back());
      todo.pop_back();
      for (std::size_t i = 0; i + 1 < steps.size(); i += 2) {
        crossed.insert(static_cast<std::uint32_t>(steps[i]));
        if (steps[i + 1] >= 0)
          todo.emplace_back(paths_.at("held") ? json(steps[i]) : to_.at(static_cast<std::size_t>(steps[i])),
                            steps[i + 1]);
      }
    }
    return crossed;
  }

 private:
  json to_, paths_;
};

class Drawing : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Drawing, PathsAreThoseOfAPlainWalk) {
  const RelationPtr relation = make(GetParam().first, GetParam().second);
  const DrawnPaths drawn(report::draw_topology(relation->topology()), report::draw_paths(*relation));
  for (const TerminalId source : relation->topology().terminals())
    for (const TerminalId destination : relation->topology().terminals()) {
      if (source == destination) continue;
      const Channels expected = walked(*relation, source, destination);
      ASSERT_FALSE(expected.empty());
      ASSERT_EQ(drawn.of(source.value(), destination.value()), expected)
          << source.value() << " -> " << destination.value();
    }
}

INSTANTIATE_TEST_SUITE_P(
    Designs, Drawing,
    testing::Values(std::pair("fat-tree:k=2,n=3", "fta"), std::pair("fat-tree:k=4,n=2", "destro"),
                    std::pair("ruft:k=3,n=2", "ruft"), std::pair("ruft-pl:k=2,n=3", "ruft"),
                    std::pair("ft-ruft-212:k=2,n=3", "ruft"), std::pair("ft-ruft-222:k=4,n=2", "ruft"),
                    std::pair("fat-tree:k=2,n=3", "up-down")),
    [](const auto& design) {
      std::string name = std::string(design.param.first) + "_" + design.param.second;
      for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
      return name;
    });

TEST(DrawnTopology, EndsAndPlacesAreTheTopologys) {
  const RelationPtr relation = make("ft-ruft-212:k=2,n=3", "ruft");
  const Topology& topology = relation->topology();
  const json drawn = report::draw_topology(topology);
  EXPECT_EQ(drawn.at("terminals").size(), 8U);
  EXPECT_EQ(drawn.at("switches").at("columns").get<std::vector<int>>(),
            (std::vector{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}));
  const json& channels = drawn.at("channels");
  EXPECT_EQ(channels.at("network"), 16);
  EXPECT_EQ(channels.at("injection"), 16);
  EXPECT_EQ(channels.at("from").size(), 48U);
  for (const TerminalId terminal : topology.terminals()) {
    for (const ChannelId channel : topology.injection(terminal))
      EXPECT_EQ(channels.at("from").at(channel.index()), terminal.value());
    for (const ChannelId channel : topology.ejection(terminal))
      EXPECT_EQ(channels.at("to").at(channel.index()), terminal.value());
  }
}

TEST(DrawnPathsBudget, LeavesPathsOutThatWouldBeTooMany) {
  EXPECT_TRUE(report::draw_paths(*make("fat-tree:k=2,n=3", "fta"), 10).is_null());
}

}  // namespace
}  // namespace faultline
