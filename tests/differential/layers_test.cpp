// SPDX-License-Identifier: Apache-2.0
// lash and dfsssp against a plain search: every pair's path walked hop by hop, its length compared with the
// distance by breadth first search, and the dependencies of all paths of a virtual channel searched for a
// cycle.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <deque>
#include <functional>
#include <map>
#include <set>

#include "support/random_graph.h"
#include "support/sample_networks.h"
#include "support/shared_folder.h"

namespace faultline {
namespace {

constexpr std::uint32_t max_vcs = 8;

/// A virtual channel by number, so that a change of layer in mid-path would be seen.
using Buffer = std::pair<std::uint32_t, std::uint32_t>;  // channel, virtual channel

/// Network channels on the shortest path from each switch to one that ejects to `destination`; absent where
/// there is no path.
std::map<std::uint32_t, std::uint32_t> distances(const Topology& topology, TerminalId destination,
                                                 const FaultSet& dead) {
  std::map<std::uint32_t, std::uint32_t> distance;
  std::deque<SwitchId> todo;
  for (const ChannelId channel : topology.ejection(destination))
    if (!dead.failed(channel) && distance.emplace(topology.source(channel).value(), 0).second)
      todo.push_back(topology.source(channel));
  for (; !todo.empty(); todo.pop_front())
    for (const ChannelId channel : topology.channels())
      if (topology.role(channel) == ChannelRole::network && topology.target(channel) == todo.front() &&
          !dead.failed(channel) &&
          distance.emplace(topology.source(channel).value(), distance[todo.front().value()] + 1).second)
        todo.push_back(topology.source(channel));
  return distance;
}

std::uint32_t only_vc(const RouteOption& option) {
  std::uint32_t vc = 0;
  while ((option.vcs >> vc & 1U) == 0) ++vc;
  EXPECT_EQ(option.vcs, 1U << vc) << "one virtual channel a path";
  return vc;
}

struct Walked {
  std::set<std::uint32_t> vcs;
  std::map<Buffer, std::set<Buffer>> waits;  // who holds what may wait for what
  std::size_t pairs = 0;
};

/// Follows the packets of a pair over every channel that they may be injected on.
void walk(const RoutingRelation& relation, TerminalId source, TerminalId destination, const FaultSet& dead,
          const std::map<std::uint32_t, std::uint32_t>& distance, Walked& walked) {
  const Topology& topology = relation.topology();
  RouteOptions starts, options;
  relation.inject(source, destination, starts);
  std::set<std::uint32_t> wanted, offered;
  for (const ChannelId channel : topology.injection(source))
    if (!dead.failed(channel) && distance.contains(topology.target(channel).value()))
      wanted.insert(channel.value());
  for (const RouteOption& start : starts) {
    offered.insert(start.channel.value());
    walked.vcs.insert(only_vc(start));
    Buffer held{start.channel.value(), only_vc(start)};
    Tag tag = start.tag;
    std::uint32_t hops = 0;
    while (true) {
      const ChannelId channel(held.first);
      options.clear();
      relation.route(
          {topology.target(channel), destination, channel, static_cast<std::uint8_t>(held.second), tag},
          options);
      ASSERT_FALSE(options.empty());
      const RouteOption next = options.front();
      ASSERT_FALSE(dead.failed(next.channel));
      if (topology.role(next.channel) == ChannelRole::ejection) {
        ASSERT_EQ(topology.terminal(next.channel), destination);
        break;
      }
      ASSERT_EQ(options.size(), 1U);
      ASSERT_EQ(topology.source(next.channel), topology.target(channel));
      const Buffer after{next.channel.value(), only_vc(next)};
      walked.waits[held].insert(after);
      held = after;
      tag = next.tag;
      ASSERT_LE(++hops, topology.switch_count());
    }
    EXPECT_EQ(hops, distance.at(topology.target(start.channel).value())) << "not the shortest path";
    ++walked.pairs;
  }
  EXPECT_EQ(offered, wanted);
}

bool has_cycle(const std::map<Buffer, std::set<Buffer>>& waits) {
  std::map<Buffer, int> state;  // 1: being searched, 2: searched
  const std::function<bool(const Buffer&)> closes = [&](const Buffer& at) {
    state[at] = 1;
    if (const auto found = waits.find(at); found != waits.end())
      for (const Buffer& next : found->second)
        if (state[next] == 1 || (state[next] == 0 && closes(next))) return true;
    state[at] = 2;
    return false;
  };
  for (const auto& [buffer, next] : waits)
    if (state[buffer] == 0 && closes(buffer)) return true;
  return false;
}

/// The virtual channels that the paths use.
std::size_t checked(const TopologyPtr& topology, const std::string& routing, const FaultSet& dead) {
  SCOPED_TRACE(topology->name() + " " + routing);
  const RelationPtr relation = build_relation(topology, dead, parse_compact("routing", routing));
  Walked walked;
  for (const TerminalId destination : topology->terminals()) {
    const auto distance = distances(*topology, destination, dead);
    for (const TerminalId source : topology->terminals())
      if (source != destination) walk(*relation, source, destination, dead, distance, walked);
  }
  EXPECT_FALSE(has_cycle(walked.waits));
  EXPECT_LE(relation->virtual_channels(), max_vcs);
  EXPECT_LT(walked.vcs.empty() ? 0U : *walked.vcs.rbegin(), relation->virtual_channels());
  if (walked.pairs > 0) {
    EXPECT_EQ(walked.vcs.size(), relation->virtual_channels()) << "says more than it needs";
  }
  return walked.vcs.size();
}

class Layers : public testing::TestWithParam<std::string> {};

TEST_P(Layers, AreShortestAndFreeOfCyclesOnRandomGraphs) {
  std::size_t several = 0;
  for (std::uint64_t seed = 1; seed <= effort(50U, 12U); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const auto size = static_cast<std::uint32_t>(seed);
    const TopologyPtr topology = random_graph(8 + size % 25, 2 * size, 8 + size % 40, seed);
    several += checked(topology, GetParam(), FaultSet(*topology)) > 1 ? 1U : 0U;
  }
  EXPECT_GT(several, effort(20U, 3U)) << "graphs on which one layer does are no test";
}

TEST_P(Layers, AreThatOnWhatFaultsLeave) {
  for (std::uint64_t seed = 1; seed <= effort(30U, 8U); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const TopologyPtr topology = random_graph(12, 14, 16, seed);
    RandomStream random(seed, 1);
    FaultSet dead(*topology);
    for (int i = 0; i < 8; ++i)
      dead.fail(ChannelId(random.next_below(static_cast<std::uint32_t>(topology->channel_count()))));
    (void)checked(topology, GetParam(), dead);
  }
}

TEST_P(Layers, AreThatOnEverySample) {
  for (const std::string& sample : sample_topologies()) {
    const TopologyPtr topology = build_topology(parse_compact("topology", sample));
    (void)checked(topology, GetParam(), FaultSet(*topology));
  }
}

TEST_P(Layers, AreThatOnRealFabrics) {
  FAULTLINE_SHARED_FILE(avakas, "fabrics/avakas.ibnetdiscover");
  FAULTLINE_SHARED_FILE(psmn, "fabrics/psmn-x5.ibnetdiscover");
  for (const auto& dump : {avakas, psmn}) {
    const TopologyPtr topology = build_topology(parse_compact("topology", "fabric:file=" + dump.string()));
    (void)checked(topology, GetParam(), FaultSet(*topology));
  }
}

TEST_P(Layers, OfOneRingAreTwo) {
  // All shortest paths of a ring of five go round it once both ways: one virtual channel closes both circles.
  const TopologyPtr ring = build_topology(parse_compact("topology", "torus:radix=5"));
  EXPECT_EQ(checked(ring, GetParam(), FaultSet(*ring)), 2U);
  try {
    (void)build_healthy_relation(ring, parse_compact("routing", GetParam() + ":vcs=1"));
    ADD_FAILURE() << "one virtual channel was enough";
  } catch (const Error& error) {
    EXPECT_EQ(error.parts().field, "routing.vcs");
  }
  EXPECT_EQ(build_healthy_relation(ring, parse_compact("routing", GetParam() + ":vcs=5"))->virtual_channels(),
            5U);
}

INSTANTIATE_TEST_SUITE_P(Routings, Layers, testing::Values("lash", "dfsssp"));

}  // namespace
}  // namespace faultline
