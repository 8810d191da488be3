// SPDX-License-Identifier: Apache-2.0
// Forwarding tables that are written route as the routing that they were made of.
#include "faultline/routing/table_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <map>

#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"
#include "faultline/topology/labellings.h"
#include "support/error_message.h"
#include "support/shared_folder.h"
#include "support/small_fabric.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

using testing::HasSubstr;

TopologyPtr fabric(const std::string& dump, const std::string& tables = {}) {
  std::vector<std::string> assignments{"file=" + dump};
  if (!tables.empty()) assignments.push_back("tables=" + tables);
  return build_topology(parse_assignments("topology", "fabric", assignments));
}

/// The switches that the first option of every state leads to, up to the terminal.
std::vector<ChannelId> path(const RoutingRelation& relation, TerminalId source, TerminalId destination) {
  const Topology& topology = relation.topology();
  RouteOptions options;
  relation.inject(source, destination, options);
  std::vector<ChannelId> taken;
  while (!options.empty() && taken.size() <= topology.switch_count() + 1) {
    const RouteOption option = options.front();
    taken.push_back(option.channel);
    if (topology.role(option.channel) == ChannelRole::ejection) break;
    options.clear();
    relation.route({.at = topology.target(option.channel),
                    .destination = destination,
                    .held = option.channel,
                    .vc = static_cast<std::uint8_t>(std::countr_zero(option.vcs)),
                    .tag = option.tag},
                   options);
  }
  return taken;
}

/// The routing, recomputed without some links, and what its tables say when they are read again.
void expect_tables_route_alike(const std::string& dump, const std::string& routing,
                               const std::vector<std::size_t>& dead_links) {
  const TemporaryFolder folder;
  const TopologyPtr topology = fabric(dump);
  FaultSet dead(*topology);
  for (const std::size_t link : dead_links) dead.fail(*topology, LinkId(link));
  const RelationPtr relation = build_relation(topology, dead, parse_compact("routing", routing));
  const auto& labelling = topology->labelling<FabricLabelling>("test");
  const TableExport made = export_tables(*relation, dead, routing);
  EXPECT_FALSE(made.changed) << "there were no tables";
  const TopologyPtr again =
      fabric(dump, folder.file("tables", infiniband::to_lft_dump(made.tables, labelling.fabric)));
  const RelationPtr read = build_relation(again, FaultSet(*again), parse_compact("routing", "tables"));
  for (const TerminalId source : topology->terminals())
    for (const TerminalId destination : topology->terminals()) {
      if (source == destination) continue;
      const std::vector<ChannelId> taken = path(*read, source, destination);
      ASSERT_EQ(path(*relation, source, destination), taken)
          << topology->name(source) << " -> " << topology->name(destination);
      for (const ChannelId channel : taken) EXPECT_FALSE(dead.failed(channel));
    }
}

/// From node to node by the cables of the dump alone, without topology, labelling or routing: the nodes that
/// a packet for `lid` visits from an adapter's port on, until it is at an adapter or goes in circles.
std::vector<std::uint32_t> nodes_on_path(const infiniband::Fabric& cabled,
                                         const infiniband::ForwardingTables& tables,
                                         infiniband::CableEnd from, infiniband::Lid lid) {
  std::map<infiniband::CableEnd, infiniband::CableEnd> far;
  for (const infiniband::Cable& cable : cabled.cables) far[cable.a] = cable.b, far[cable.b] = cable.a;
  std::vector<std::uint32_t> visited;
  while (far.contains(from) && visited.size() <= cabled.nodes.size()) {
    visited.push_back(far.at(from).node);
    const infiniband::Node& node = cabled.nodes[visited.back()];
    if (node.type != infiniband::NodeType::switch_) return visited;
    const auto port = tables.find(node.guid)->port(lid);
    if (!port) break;
    from = {visited.back(), *port};
  }
  return {};
}

TEST(TableExport, LeadsToTheAdapterOfTheLidAlongTheCablesOfTheDump) {
  const TemporaryFolder folder;
  const std::string dump = folder.file("dump", small_dump);
  const infiniband::Fabric cabled = infiniband::parse_ibnetdiscover(small_dump, "dump");
  const TopologyPtr topology = fabric(dump);
  const RelationPtr relation =
      build_relation(topology, FaultSet(*topology), parse_compact("routing", "dfsssp"));
  const infiniband::ForwardingTables tables = infiniband::parse_forwarding_tables(
      infiniband::to_lft_dump(export_tables(*relation, FaultSet(*topology), "dfsssp").tables, cabled),
      "tables");
  std::size_t paths = 0;
  for (std::uint32_t source = 0; source < cabled.nodes.size(); ++source)
    for (std::uint32_t target = 0; target < cabled.nodes.size(); ++target) {
      if (cabled.nodes[source].type == infiniband::NodeType::switch_ ||
          cabled.nodes[target].type == infiniband::NodeType::switch_ || source == target)
        continue;
      for (const infiniband::EndPort& out : cabled.nodes[source].end_ports)
        for (const infiniband::EndPort& in : cabled.nodes[target].end_ports)
          for (unsigned offset = 0; in.lid != 0 && offset < 1U << in.lmc; ++offset, ++paths) {
            const auto visited = nodes_on_path(cabled, tables, {source, out.number},
                                               static_cast<infiniband::Lid>(in.lid + offset));
            ASSERT_FALSE(visited.empty()) << cabled.nodes[source].id << " to LID " << in.lid + offset;
            EXPECT_EQ(visited.back(), target) << cabled.nodes[source].id << " to LID " << in.lid + offset;
          }
    }
  EXPECT_GT(paths, 15U);
}

TEST(TableExport, IsReadAsTheSameRouting) {
  const TemporaryFolder folder;
  const std::string dump = folder.file("dump", small_dump);
  for (const char* routing : {"dfsssp", "lash", "repair"}) {
    expect_tables_route_alike(dump, routing, {});
    expect_tables_route_alike(dump, routing, {0});
  }
}

TEST(TableExport, OfARealFabricAvoidsItsDeadLinks) {
  FAULTLINE_SHARED_FILE(dump, "fabrics/avakas.ibnetdiscover");
  for (const char* routing : {"dfsssp", "repair"}) expect_tables_route_alike(dump, routing, {3, 50, 200});
}

TEST(TableExport, OfTheFabricsOwnTablesIsWhatWasRead) {
  FAULTLINE_SHARED_FILE(dump, "fabrics/avakas.ibnetdiscover");
  FAULTLINE_SHARED_FILE(tables, "fabrics/avakas.lfts");
  const TopologyPtr topology = fabric(dump, tables);
  const RelationPtr own = build_relation(topology, FaultSet(*topology), parse_compact("routing", "tables"));
  const TableExport made = export_tables(*own, FaultSet(*topology), "tables");
  EXPECT_EQ(made.changed, 0U);
  EXPECT_EQ(made.entries, topology->switch_count() * topology->terminal_count());
  const auto& read = topology->labelling<FabricLabelling>("test").tables;
  for (const infiniband::ForwardingTable& table : made.tables.switches)
    EXPECT_EQ(table, *read->find(table.switch_guid));
}

TEST(TableExport, KeepsTheEntriesForSwitches) {
  const TemporaryFolder folder;
  const TopologyPtr topology = fabric(folder.file("dump", small_dump), folder.file("tables", small_tables));
  const RelationPtr relation =
      build_relation(topology, FaultSet(*topology), parse_compact("routing", "dfsssp"));
  const TableExport made = export_tables(*relation, FaultSet(*topology), "dfsssp");
  ASSERT_TRUE(made.changed);
  EXPECT_LE(*made.changed, made.entries);
  const infiniband::ForwardingTable& leaf = *made.tables.find(0xa1);
  EXPECT_EQ(leaf.port(1), 0) << "its own LID";
  EXPECT_EQ(leaf.port(2), 4) << "the other leaf's LID";
}

/// A switch with two LIDs, whose second is reached by the other of two cables: that stays as it is.
TEST(TableExport, KeepsTheEntriesForEachLidOfASwitch) {
  const TemporaryFolder folder;
  std::string dump(small_dump), tables(small_tables);
  dump.replace(dump.find("lid 3 lmc 0"), 11, "lid 10 lmc 1");  // the spine's own record
  for (const std::string from : {"\"spine\" lid 3", "0x0003"})
    for (std::size_t at = dump.find(from); at != std::string::npos; at = dump.find(from))
      dump.replace(at, from.size(), "\"spine\" lid 10");
  const std::string last = " lids dumped\n";
  std::size_t at = 0;
  for (const std::string entries : {"0x000a 003 :\n0x000b 004 :\n", "0x000a 004 :\n0x000b 004 :\n",
                                    "0x000a 000 :\n0x000b 000 :\n"}) {  // both leaves, and the spine itself
    at = tables.find(last, at) - 1;                                     // before the count of entries
    tables.insert(at, entries);
    at += entries.size() + last.size();
  }
  const TopologyPtr topology = fabric(folder.file("dump", dump), folder.file("tables", tables));
  const RelationPtr relation =
      build_relation(topology, FaultSet(*topology), parse_compact("routing", "dfsssp"));
  const TableExport made = export_tables(*relation, FaultSet(*topology), "dfsssp");
  EXPECT_EQ(made.tables.find(0xa1)->port(10), 3);
  EXPECT_EQ(made.tables.find(0xa1)->port(11), 4);
  EXPECT_EQ(made.tables.find(0xb1)->port(10), 0);
}

/// Without the cable, by the cables that are left: whether packets for the LID of switch `target` come from
/// switch `start` to it.
bool comes_to_switch(infiniband::Fabric cabled, const infiniband::Cable& dead,
                     const infiniband::ForwardingTables& tables, std::uint32_t start, std::uint32_t target) {
  std::erase(cabled.cables, dead);
  std::map<infiniband::CableEnd, infiniband::CableEnd> far;
  for (const infiniband::Cable& cable : cabled.cables) far[cable.a] = cable.b, far[cable.b] = cable.a;
  const infiniband::Lid lid = cabled.nodes[target].end_ports.front().lid;
  std::uint32_t at = start;
  for (std::size_t hops = 0; hops <= cabled.nodes.size(); ++hops) {
    const auto port = tables.find(cabled.nodes[at].guid)->port(lid);
    if (port == 0) return at == target;
    if (!port || !far.contains({at, *port})) return false;
    at = far.at({at, *port}).node;
    if (cabled.nodes[at].type != infiniband::NodeType::switch_) return false;
  }
  return false;
}

TEST(TableExport, LeadsToEverySwitchWithoutADeadCable) {
  const TemporaryFolder folder;
  const std::string dump = folder.file("dump", small_dump), old = folder.file("tables", small_tables);
  const infiniband::Fabric cabled = infiniband::parse_ibnetdiscover(small_dump, "dump");
  const auto is_switch = [&](std::uint32_t node) {
    return cabled.nodes[node].type == infiniband::NodeType::switch_;
  };
  std::size_t paths = 0;
  for (const std::string& tables : {std::string(), old})
    for (const infiniband::Cable& cable : cabled.cables) {
      if (!is_switch(cable.a.node) || !is_switch(cable.b.node)) continue;
      const TopologyPtr topology = fabric(dump, tables);
      const auto& labelling = topology->labelling<FabricLabelling>("test");
      FaultSet dead(*topology);
      for (const ChannelId channel : topology->channels())
        if (topology->role(channel) == ChannelRole::network)
          for (const infiniband::CableEnd& end : {cable.a, cable.b})
            if (labelling.switch_nodes[topology->source(channel).index()] == end.node &&
                topology->output_port(channel) == end.port)
              dead.fail(channel);
      ASSERT_EQ(dead.failed_channel_count(), 2U);
      const RelationPtr relation = build_relation(topology, dead, parse_compact("routing", "dfsssp"));
      const infiniband::ForwardingTables made = export_tables(*relation, dead, "dfsssp").tables;
      // The second leaf has one cable; who cannot reach a switch has no entry for it.
      const std::string_view leaf = "S-00000000000000a2";
      const bool cuts_off = cabled.nodes[cable.a.node].id == leaf || cabled.nodes[cable.b.node].id == leaf;
      for (std::uint32_t start = 0; start < cabled.nodes.size(); ++start)
        for (std::uint32_t target = 0; target < cabled.nodes.size(); ++target) {
          if (!is_switch(start) || !is_switch(target)) continue;
          const bool reaches =
              !cuts_off || (cabled.nodes[start].id == leaf) == (cabled.nodes[target].id == leaf);
          const infiniband::Lid lid = cabled.nodes[target].end_ports.front().lid;
          EXPECT_EQ(made.find(cabled.nodes[start].guid)->port(lid).has_value(), reaches);
          EXPECT_EQ(comes_to_switch(cabled, cable, made, start, target), reaches)
              << cabled.nodes[start].id << " to " << cabled.nodes[target].id;
          ++paths;
        }
    }
  EXPECT_GE(paths, 2U * 3U * 9U);
}

TEST(TableExport, RefusesFabricsWhoseNamesDoNotTellPortsApart) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& from, const std::string& to) {
    std::string dump(small_dump);
    for (std::size_t at = dump.find(from); at != std::string::npos; at = dump.find(from, at + to.size()))
      dump.replace(at, from.size(), to);
    const TopologyPtr topology = fabric(folder.file("dump", dump));
    const FaultSet none(*topology);
    const RelationPtr relation = build_relation(topology, none, parse_compact("routing", "dfsssp"));
    return testing_support::error_message([&] { (void)export_tables(*relation, none, "dfsssp"); });
  };
  EXPECT_THAT(refusal("lid 9 lmc 0", "lid 8 lmc 0"), HasSubstr("topology.file = 'LID 8': is given to"));
  EXPECT_THAT(refusal("switchguid=0xb1(b1)", "switchguid=0xa2(a2)"), HasSubstr("has the GUID of"));
  EXPECT_EQ(refusal("lid 9 lmc 0", "lid 0 lmc 0"), "accepted");
  EXPECT_EQ(refusal("lid 9 lmc 0", "lid 10 lmc 1"), "accepted");
  EXPECT_THAT(
      refusal("lid 9 lmc 0", "lid 9 lmc 1"),
      HasSubstr("topology.file = 'LID 9': is the first of H-00000000000000f1[2], whose LMC is 1; it must "
                "be a multiple of 2"));
}

TEST(TableExport, RefusesWhatTablesCannotHold) {
  const TemporaryFolder folder;
  const auto refusal = [](const TopologyPtr& topology, const std::string& routing) {
    return testing_support::error_message([&] {
      const FaultSet none(*topology);
      (void)export_tables(*build_relation(topology, none, parse_compact("routing", routing)), none, routing);
    });
  };
  EXPECT_THAT(refusal(fabric(folder.file("dump", small_dump)), "up-down"),
              HasSubstr("must send all packets for a LID by one port of each switch"));
  EXPECT_THAT(refusal(build_topology(parse_compact("topology", "mesh:radix=3x3")), "dfsssp"),
              HasSubstr("tables-out"));
}

}  // namespace
}  // namespace faultline
