// SPDX-License-Identifier: Apache-2.0
// Networks cabled as fabrics: the dump that is written is the same network, and its tables route alike.
#include "faultline/topology/fabric_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "faultline/routing/kind.h"
#include "faultline/routing/table_export.h"
#include "faultline/topology/builder.h"
#include "faultline/topology/kind.h"
#include "support/error_message.h"
#include "support/random_fabric.h"
#include "support/topology_named.h"

namespace faultline {
namespace {

using infiniband::CableEnd;
using infiniband::Fabric;
using infiniband::NodeType;
using testing::HasSubstr;

/// Names of both ends of every cable, with ports at switches.
std::multiset<std::string> cables_of(const Fabric& fabric, std::uint32_t first_port) {
  const auto name = [&](const CableEnd& end) {
    const infiniband::Node& node = fabric.nodes[end.node];
    return node.type == NodeType::switch_ ? fmt::format("{}[{}]", node.description, end.port - first_port)
                                          : node.description;
  };
  std::multiset<std::string> names;
  for (const infiniband::Cable& cable : fabric.cables)
    names.insert(std::min(name(cable.a), name(cable.b)) + " | " + std::max(name(cable.a), name(cable.b)));
  return names;
}

std::multiset<std::string> links_of(const Topology& topology) {
  std::multiset<std::string> names;
  for (const LinkId link : topology.links()) {
    const std::string name = topology.name(link);
    const std::size_t between = name.find(" - ");
    const std::string one = name.substr(0, between), other = name.substr(between + 3);
    names.insert(std::min(one, other) + " | " + std::max(one, other));
  }
  return names;
}

TEST(FabricOf, HasTheLinksOfTheNetwork) {
  for (const char* text : {"fat-tree:k=2,n=3", "mesh:radix=3x4", "hypercube:n=3", "mikant:k=3,n=2",
                           "switch-ring:n=5", "dragonfly:p=1,a=3,h=1"}) {
    const TopologyPtr topology = topology_named(text);
    const Fabric read =
        infiniband::parse_ibnetdiscover(to_ibnetdiscover(fabric_of(*topology).fabric), "dump");
    EXPECT_EQ(cables_of(read, 1), links_of(*topology)) << text;
    EXPECT_EQ(read.count(NodeType::switch_), topology->switch_count());
    EXPECT_EQ(read.count(NodeType::adapter), topology->terminal_count());
    EXPECT_THAT(infiniband::shared_lids(read), testing::IsEmpty());
    for (const infiniband::Node& node : read.nodes)
      for (const infiniband::EndPort& port : node.end_ports) EXPECT_NE(port.lid, 0) << node.id;
  }
}

/// At each end is a port of the node that is named after the channel's switch or terminal.
TEST(FabricOf, KnowsTheEndsOfEveryChannel) {
  for (const char* text : {"mikant:k=3,n=2", "switch-ring:n=5"}) {
    const TopologyPtr topology = topology_named(text);
    const FabricLabelling made = fabric_of(*topology);
    std::set<CableEnd> sending;
    for (const ChannelId channel : topology->channels()) {
      const CableEnd from = made.sending_end(*topology, channel), to = made.receiving_end(*topology, channel);
      EXPECT_TRUE(sending.insert(from).second) << topology->name(channel) << " sends where another does";
      const bool from_switch = topology->source(channel).valid(),
                 to_switch = topology->target(channel).valid();
      const auto name = [&](bool is_switch, SwitchId at) {
        return is_switch ? topology->name(at) : topology->name(topology->terminal(channel));
      };
      EXPECT_EQ(made.fabric.nodes[from.node].description, name(from_switch, topology->source(channel)));
      EXPECT_EQ(made.fabric.nodes[to.node].description, name(to_switch, topology->target(channel)));
      EXPECT_TRUE(from.port >= 1 && from.port <= made.fabric.nodes[from.node].port_count);
    }
    EXPECT_EQ(sending.size(), 2 * made.fabric.cables.size());
  }
}

/// The switches that the relation's only options lead through.
std::vector<std::string> switches_of_relation(const RoutingRelation& relation, TerminalId source,
                                              TerminalId destination) {
  const Topology& topology = relation.topology();
  RouteOptions options;
  relation.inject(source, destination, options);
  std::vector<std::string> names;
  while (!options.empty() && topology.role(options.front().channel) != ChannelRole::ejection) {
    const RouteOption taken = options.front();
    names.push_back(topology.name(topology.target(taken.channel)));
    options.clear();
    relation.route({topology.target(taken.channel), destination, taken.channel, 0, taken.tag}, options);
  }
  return names;
}

/// The switches from an adapter to the one that has the LID, by the cables of the dump.
std::vector<std::string> switches_of_tables(const Fabric& fabric, const infiniband::ForwardingTables& tables,
                                            const std::string& source, const std::string& destination) {
  const auto far = testing_support::far_ends(fabric);
  const auto node_named = [&](const std::string& name) {
    return static_cast<std::uint32_t>(std::ranges::find(fabric.nodes, name, &infiniband::Node::description) -
                                      fabric.nodes.begin());
  };
  const infiniband::Lid lid = fabric.nodes[node_named(destination)].end_ports.front().lid;
  std::vector<std::string> names;
  for (std::uint32_t at = far.at({node_named(source), 1}).node;
       fabric.nodes[at].type == NodeType::switch_ && names.size() <= fabric.nodes.size();) {
    names.push_back(fabric.nodes[at].description);
    at = far.at({at, *tables.find(fabric.nodes[at].guid)->port(lid)}).node;
    if (fabric.nodes[at].type != NodeType::switch_) {
      EXPECT_EQ(fabric.nodes[at].description, destination);
    }
  }
  return names;
}

TEST(FabricOf, IsRoutedByTablesAsByTheRelation) {
  struct Routed {
    const char *topology, *routing;
  };
  for (const auto& [text, routing] :
       {Routed{"fat-tree:k=2,n=3", "destro"}, Routed{"fat-tree:k=2,n=3", "repair"},
        Routed{"mesh:radix=3x4", "dimension-order"}, Routed{"hypercube:n=3", "dimension-order"},
        Routed{"torus:radix=3x3", "repair"}, Routed{"mikant:k=3,n=2", "repair"}}) {
    const TopologyPtr topology = topology_named(text);
    const FabricLabelling cabled = fabric_of(*topology);
    const RelationPtr relation = build_healthy_relation(topology, parse_compact("routing", routing));
    const FaultSet none(*topology);
    const Fabric fabric = infiniband::parse_ibnetdiscover(to_ibnetdiscover(cabled.fabric), "dump");
    const infiniband::ForwardingTables tables = infiniband::parse_forwarding_tables(
        to_lft_dump(export_tables(*relation, cabled, none, routing).tables, fabric), "tables");
    for (const TerminalId source : topology->terminals())
      for (const TerminalId destination : topology->terminals())
        if (source != destination) {
          ASSERT_EQ(switches_of_tables(fabric, tables, topology->name(source), topology->name(destination)),
                    switches_of_relation(*relation, source, destination))
              << text << ' ' << routing;
        }
    // And for LIDs of switches: from each to every other.
    const auto far = testing_support::far_ends(fabric);
    for (std::uint32_t start = 0; start < topology->switch_count(); ++start)
      for (std::uint32_t target = 0; target < topology->switch_count(); ++target) {
        const infiniband::Lid lid = fabric.nodes[target].end_ports.front().lid;
        std::uint32_t at = start;
        for (std::size_t hops = 0; at != target && hops <= topology->switch_count(); ++hops)
          at = far.at({at, *tables.find(fabric.nodes[at].guid)->port(lid)}).node;
        ASSERT_EQ(at, target) << text << ' ' << routing;
      }
  }
}

TEST(FabricOf, RefusesWhatCablesCannotBe) {
  const auto refusal = [](const char* text) {
    return testing_support::error_message([&] { (void)fabric_of(*topology_named(text)); });
  };
  EXPECT_THAT(refusal("ruft:k=2,n=3"), HasSubstr("s0.0[0] -> s1.0[0] is not two-way"));
  EXPECT_THAT(refusal("mesh:radix=200x200"), HasSubstr("80000 end ports, and a subnet has 49151 LIDs"));
  EXPECT_THAT(refusal("switch-clique:switches=2,terminals=600,degree=1"), HasSubstr("ports are 1 to 254"));
  EXPECT_EQ(refusal("mesh:radix=100x200"), "accepted");
}

TEST(FabricOf, RefusesASwitchWithoutACable) {
  TopologyBuilder builder;
  const SwitchId first = builder.add_switch({0, 0}), second = builder.add_switch({0, 1});
  builder.add_switch({0, 2});
  builder.connect_both({first, 0}, {second, 0});
  for (const SwitchId at : {first, second}) builder.attach(builder.add_terminal(), {at, 1});
  const Topology topology = std::move(builder).build("with one left over", "shortest-path");
  EXPECT_THAT(testing_support::error_message([&] { (void)fabric_of(topology); }), HasSubstr("has no cable"));
}

/// Two linked switches and a terminal with so many links to each of them.
std::string refusal_of_ports(std::uint32_t links_to_each) {
  TopologyBuilder builder;
  const SwitchId first = builder.add_switch({0, 0}), second = builder.add_switch({0, 1});
  builder.connect_both({first, 0}, {second, 0});
  const TerminalId wide = builder.add_terminal(), other = builder.add_terminal();
  for (std::uint32_t port = 1; port <= links_to_each; ++port)
    for (const SwitchId at : {first, second}) builder.attach(wide, {at, port});
  builder.attach(other, {first, links_to_each + 1});
  const Topology topology = std::move(builder).build("wide", "shortest-path");
  return testing_support::error_message([&] { (void)fabric_of(topology); });
}

/// The GUIDs of an adapter's ports stand between its own and the next one's.
TEST(FabricOf, RefusesTerminalsWithMorePortsThanANodeHas) {
  EXPECT_EQ(refusal_of_ports(127), "accepted");
  EXPECT_THAT(refusal_of_ports(128), HasSubstr("terminal 0 has a port 256, and ports are 1 to 254"));
}

}  // namespace
}  // namespace faultline
