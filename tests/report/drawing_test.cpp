// SPDX-License-Identifier: Apache-2.0
// Do the drawn paths say what the routing relation says? The oracle walks the relation itself, packet by
// packet.
#include "report/drawing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <map>
#include <numeric>
#include <set>

#include "faultline/fault/components.h"
#include "faultline/fault/sampler.h"
#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"
#include "report/failed.h"
#include "report/watched.h"
#include "report/worst.h"

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
    if (relation.topology().role(option.channel) != ChannelRole::ejection)
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

class Drawing : public testing::TestWithParam<std::pair<std::string, std::string>> {};

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
      std::string name = design.param.first + "_" + design.param.second;
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

/// A torus whose sources plan, with some links dead: what a case says of it, and what is drawn.
class DrawnFaults : public testing::Test {
 protected:
  using Names = std::vector<std::string>;

  void draw(const Names& names) {
    failed_ = FaultSet(*topology_);
    for (std::uint32_t link = 0; link < components_.count(); ++link)
      if (std::ranges::find(names, components_.name(link)) != names.end())
        for (const ChannelId channel : components_.channels(link)) failed_.fail(channel);
    const json one{{"verb", "simulate"},
                   {"routing", "methodology"},
                   {"options", {{"faults", std::to_string(names.size())}, {"unit", "link"}, {"seed", 7U}}},
                   {"result", {{"failed", names}, {"knowledge", "none"}, {"source", "plan"}}}};
    const json drawn = report::draw_failed(std::vector{&one}, topology_, nullptr);
    ASSERT_EQ(drawn.at("left_out"), 0);
    ASSERT_EQ(drawn.at("sets").size(), 1U);
    set_ = drawn.at("sets").at(0);
  }
  [[nodiscard]] Names names_of(const std::vector<std::uint32_t>& links) const {
    Names names;
    for (const std::uint32_t link : links) names.push_back(components_.name(link));
    return names;
  }

  /// Switches that living channels lead to: a breadth-first search.
  [[nodiscard]] std::vector<bool> reached_from(SwitchId from) const {
    std::vector<bool> reached(topology_->switch_count());
    std::vector<SwitchId> found{from};
    reached[from.index()] = true;
    for (std::size_t i = 0; i < found.size(); ++i)
      for (const ChannelId channel : topology_->outputs(found[i])) {
        if (topology_->role(channel) != ChannelRole::network || failed_.failed(channel)) continue;
        const SwitchId next = topology_->target(channel);
        if (!reached[next.index()]) found.push_back(next);
        reached[next.index()] = true;
      }
    return reached;
  }

  /// The legs of one pair, joined: living channels, each from where the last one led, a leg ending where it
  /// says.
  void expect_path(const json& pair) const {
    const TerminalId source(pair.at(0)), destination(pair.at(1));
    std::vector<ChannelId> path;
    for (std::size_t i = 3; i < pair.size(); ++i) {
      const json& leg = pair.at(i);
      for (std::size_t j = 2; j < leg.size(); ++j) {
        const ChannelId channel(leg.at(j).get<std::size_t>());
        EXPECT_FALSE(failed_.failed(channel));
        if (!path.empty()) {
          EXPECT_EQ(topology_->source(channel), topology_->target(path.back())) << pair;
        }
        path.push_back(channel);
      }
      const bool is_last = i + 1 == pair.size();
      EXPECT_EQ(leg.at(1) == -1, is_last) << pair;
      if (!is_last) {
        EXPECT_EQ(topology_->target(path.back()).value(), leg.at(1)) << pair;
      }
    }
    ASSERT_FALSE(path.empty());
    EXPECT_EQ(topology_->role(path.front()), ChannelRole::injection);
    EXPECT_EQ(topology_->terminal(path.front()), source);
    EXPECT_EQ(topology_->role(path.back()), ChannelRole::ejection);
    EXPECT_EQ(topology_->terminal(path.back()), destination);
  }

  TopologyPtr topology_ = build_topology(parse_compact("topology", "torus:radix=4x4x4"));
  FaultComponents components_{topology_, FaultUnit::link, FaultScope::network};
  FaultSet failed_{*topology_};
  json set_;
};

constexpr int served = 0, refused = 4;

TEST_F(DrawnFaults, PathsAreWholeAndSplitAtTheIntermediateSwitch) {
  const Names names = names_of(FaultSampler(components_.count(), 7).draw(6, 0));
  draw(names);
  EXPECT_EQ(set_.at("origin"), "seed 7");
  Names sorted = names;
  std::ranges::sort(sorted);
  EXPECT_EQ(set_.at("names"), json(sorted));
  EXPECT_EQ(set_.at("channels").size(), 12U);
  for (const std::size_t channel : set_.at("channels")) EXPECT_TRUE(failed_.failed(ChannelId(channel)));
  EXPECT_EQ(set_.at("unserved"), 0);
  EXPECT_EQ(set_.at("left_out"), 0);
  EXPECT_EQ(set_.at("pairs").size(), 64U * 63U);
  std::size_t by_intermediate = 0;
  for (const json& pair : set_.at("pairs")) {
    ASSERT_EQ(pair.at(2), served);
    ASSERT_NO_FATAL_FAILURE(expect_path(pair));
    by_intermediate += pair.size() > 4 ? 1 : 0;
  }
  const RelationPtr relation = build_relation(topology_, failed_, parse_compact("routing", "methodology"));
  EXPECT_EQ(by_intermediate, relation->plan_figures()->intermediate);
  EXPECT_GT(by_intermediate, 0U);
}

TEST_F(DrawnFaults, PairsAreRefusedThatNoLivingChannelsJoin) {
  Names around;  // switch 21, s1.1.1, loses all of its links
  for (std::uint32_t link = 0; link < components_.count(); ++link)
    if (components_.name(link).find("s1.1.1[") != std::string::npos) around.push_back(components_.name(link));
  ASSERT_EQ(around.size(), 6U);
  draw(around);
  std::size_t unserved = 0;
  for (const json& pair : set_.at("pairs")) {
    const bool joined =
        reached_from(SwitchId(pair.at(0).get<std::size_t>())).at(pair.at(1).get<std::size_t>());
    ASSERT_EQ(pair.at(2), joined ? served : refused) << pair;
    if (joined)
      ASSERT_NO_FATAL_FAILURE(expect_path(pair));
    else
      ASSERT_EQ(pair.size(), 3U);
    unserved += joined ? 0 : 1;
  }
  EXPECT_EQ(set_.at("pairs").size(), 64U * 63U);
  EXPECT_EQ(unserved, 2U * 63U);
  EXPECT_EQ(set_.at("unserved"), unserved);
}

TEST_F(DrawnFaults, WhatIsLeftOutIsPlainAndCounted) {
  const FaultSet dead = components_.fault_set(FaultSampler(components_.count(), 7).draw(6, 0));
  const RelationPtr relation = build_relation(topology_, dead, parse_compact("routing", "methodology"));
  constexpr std::size_t budget = 20'000;
  const json drawn = report::draw_legs(*relation, {dead, Knowledge::none(), SourceRole::plan}, budget);
  const auto& pairs = drawn.at("pairs");
  EXPECT_EQ(pairs.size() + drawn.at("left_out").get<std::size_t>(), 64U * 63U);
  EXPECT_GT(drawn.at("left_out"), 0);
  EXPECT_EQ(static_cast<std::uint64_t>(
                std::ranges::count_if(pairs, [](const json& pair) { return pair.size() > 4; })),
            relation->plan_figures()->intermediate);
}

TEST(DrawnPair, HasNumbersForNamesAndLeavesOutWhatIsOfAnotherNetwork) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "mesh:radix=2x2"));
  const auto case_with = [&](const std::string& destination) {
    const json watched{{"source", topology->name(TerminalId(1))},
                       {"destination", destination},
                       {"down", {topology->name(ChannelId(3))}},
                       {"paths", {{{"latency", 40}, {"channels", {topology->name(ChannelId(5))}}}}}};
    return json{{"routing", "ft-drb"},
                {"options", {{"load", 0.1}, {"traffic", "uniform"}, {"faults", "0"}}},
                {"result", {{"control", {{"watched", watched}}}}}};
  };
  const json good = case_with(topology->name(TerminalId(2))), bad = case_with("elsewhere");
  const json without{{"routing", ""}, {"result", {{"accepted", 0.1}}}};
  const std::vector<const json*> cases{&good, &without, &bad, &good};
  const json expected{{"routing", "ft-drb"},
                      {"load", 0.1},
                      {"setting", {"traffic uniform"}},
                      {"source", 1},
                      {"destination", 2},
                      {"down", {3}},
                      {"paths", {{{"latency", 40}, {"channels", {5}}}}}};
  const json drawn = report::draw_watched(cases, *topology);
  EXPECT_EQ(drawn.at("sets"), json::array({expected}));
  EXPECT_EQ(drawn.at("left_out"), 0);
}

/// A case whose source holds one path, of the latency given, over a channel that it names several times.
json watching(const Topology& topology, int latency, std::size_t channels) {
  const json path{{"latency", latency},
                  {"channels", std::vector<std::string>(channels, topology.name(ChannelId(5)))}};
  const json watched{{"source", topology.name(TerminalId(1))},
                     {"destination", topology.name(TerminalId(2))},
                     {"down", json::array()},
                     {"paths", {path}}};
  return {
      {"routing", "ft-drb"}, {"options", {{"load", 0.1}}}, {"result", {{"control", {{"watched", watched}}}}}};
}

/// The "latency" of the paths drawn of these cases, and how many are left out.
std::pair<std::vector<int>, std::size_t> drawn_of(const std::vector<json>& cases, const Topology& topology) {
  std::vector<const json*> pointers;
  for (const json& one : cases) pointers.push_back(&one);
  const json drawn = report::draw_watched(pointers, topology);
  std::vector<int> latencies;
  for (const json& pair : drawn.at("sets")) latencies.push_back(pair.at("paths").at(0).at("latency"));
  return {latencies, drawn.at("left_out")};
}

TEST(DrawnPair, IsOneOfSixteenAndTheOthersAreCounted) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "mesh:radix=2x2"));
  std::vector<json> cases;
  for (int i = 0; i < 40; ++i) cases.push_back(watching(*topology, i % 20, 1));  // each twice
  std::vector<int> first(16);
  std::iota(first.begin(), first.end(), 0);
  EXPECT_EQ(drawn_of(cases, *topology), std::pair(first, std::size_t{4}));
}

TEST(DrawnPair, IsLeftOutWhereItsPathsAreTooLong) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "mesh:radix=2x2"));
  const std::vector<json> cases{watching(*topology, 1, 200'000), watching(*topology, 2, 100'000),
                                watching(*topology, 3, 50'000)};
  EXPECT_EQ(drawn_of(cases, *topology), std::pair((std::vector{1, 3}), std::size_t{1}));
}

TEST(DrawnWorst, IsOneOfSixteenEachOnceAndTheOthersAreCounted) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "mesh:radix=4x4"));
  const FaultComponents links(topology, FaultUnit::link, FaultScope::network);
  const auto case_of = [&](std::uint32_t from) {  // four sets, of one link each
    json points{{{"faults", 0}}};
    for (std::uint32_t link = from; link < from + 4; ++link)
      points.push_back({{"worst_set", {links.name(link)}},
                        {"worst_set_terminals", {topology->name(TerminalId(link % 16))}}});
    return json{{"result", {{"unit", "link"}, {"scope", "network"}, {"by_faults", points}}}};
  };
  std::vector<json> cases;
  for (std::uint32_t from = 0; from + 4 <= links.count(); from += 2) cases.push_back(case_of(from));
  std::vector<const json*> pointers;
  for (const json& one : cases) pointers.push_back(&one);
  const json drawn = report::draw_worst(pointers, topology);
  ASSERT_EQ(links.count(), 24U);
  ASSERT_EQ(drawn.at("sets").size(), 16U);
  EXPECT_EQ(drawn.at("left_out"), 8);
  for (std::uint32_t link = 0; link < 16; ++link) {
    const json& set = drawn.at("sets").at(link);
    EXPECT_EQ(set.at("names"), json::array({links.name(link)}));
    EXPECT_EQ(set.at("lost"), json::array({link}));
    EXPECT_EQ(set.at("channels").at(0).size(), 2U);
  }
}

TEST(DrawnWorst, LeavesOutWhatIsOfAnotherNetworkOrNotAsItIsWritten) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "mesh:radix=4x4"));
  const auto sets_of = [&](const json& result) {
    const json one{{"result", result}};
    return report::draw_worst(std::vector{&one}, topology).at("sets").size();
  };
  const FaultComponents links(topology, FaultUnit::link, FaultScope::network);
  json result{{"unit", "link"},
              {"scope", "network"},
              {"by_faults", {{{"worst_set", {links.name(0)}}, {"worst_set_terminals", {"terminal 0"}}}}}};
  EXPECT_EQ(sets_of(result), 1U);
  json& point = result.at("by_faults").at(0);
  for (const json& names : {json{"elsewhere"}, json(5), json{1}}) {
    json other = result;
    other.at("by_faults").at(0).at("worst_set") = names;
    EXPECT_EQ(sets_of(other), 0U) << names;
  }
  point.at("worst_set_terminals") = json::array();
  EXPECT_EQ(sets_of(result), 0U);
  EXPECT_EQ(sets_of({{"by_faults", 5}}), 0U);
}

}  // namespace
}  // namespace faultline
