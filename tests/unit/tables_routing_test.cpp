// SPDX-License-Identifier: Apache-2.0
// Packets go where the fabric's own forwarding tables send them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>

#include "faultline/routing/kind.h"
#include "faultline/routing/states.h"
#include "faultline/topology/kind.h"
#include "faultline/topology/labellings.h"
#include "faultline/verify/verify.h"
#include "support/replaced.h"
#include "support/shared_folder.h"
#include "support/small_fabric.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

TopologyPtr fabric_with_tables(const std::string& dump, const std::string& tables) {
  std::vector<std::string> assignments{"file=" + dump};
  if (!tables.empty()) assignments.push_back("tables=" + tables);
  return build_topology(parse_assignments("topology", "fabric", assignments));
}

RelationPtr tables_relation(const std::string& dump, const std::string& tables) {
  const TopologyPtr topology = fabric_with_tables(dump, tables);
  return build_relation(topology, FaultSet(*topology), parse_compact("routing", "tables"));
}

/// The output ports on the only path; 0 last where the packet is stuck, cut off after more hops than
/// switches.
std::vector<std::uint32_t> ports_on_path(const RoutingRelation& relation, TerminalId source,
                                         TerminalId destination, Tag tag = 0) {
  const Topology& topology = relation.topology();
  ChannelId held = topology.injection(source).front();
  std::vector<std::uint32_t> ports;
  while (ports.size() <= topology.switch_count()) {
    RouteOptions options;
    relation.route({.at = topology.target(held), .destination = destination, .held = held, .tag = tag},
                   options);
    if (options.size() != 1) {
      EXPECT_TRUE(options.empty()) << "a table has one entry a destination";
      ports.push_back(0);
      return ports;
    }
    EXPECT_EQ(options.front().tag, tag) << "a packet keeps its LID";
    held = options.front().channel;
    ports.push_back(topology.output_port(held));
    if (topology.role(held) == ChannelRole::ejection) return ports;
  }
  return ports;
}

TEST(TablesRouting, FollowsTheTables) {
  const TemporaryFolder folder;
  const RelationPtr relation =
      tables_relation(folder.file("dump", small_dump), folder.file("tables", small_tables));
  const auto path = [&](std::size_t from, std::size_t to) {
    return ports_on_path(*relation, TerminalId(from), TerminalId(to));
  };
  EXPECT_THAT(path(0, 1), ElementsAre(2));
  EXPECT_THAT(path(0, 2), ElementsAreArray({3, 3, 1}));
  EXPECT_THAT(path(0, 3), ElementsAreArray({4, 3, 2}));
  EXPECT_THAT(path(4, 0), ElementsAreArray({4, 1, 1}));
  EXPECT_THAT(path(3, 4), ElementsAre(3));
}

std::vector<Tag> injected_tags(const RoutingRelation& relation, std::size_t source, std::size_t destination) {
  RouteOptions options;
  relation.inject(TerminalId(source), TerminalId(destination), options);
  std::vector<Tag> tags;
  for (const RouteOption& option : options) tags.push_back(option.tag);
  return tags;
}

TEST(TablesRouting, FollowsEachLidOfADestination) {
  const TemporaryFolder folder;
  const RelationPtr relation =
      tables_relation(folder.file("dump", small_dump), folder.file("tables", small_tables));
  EXPECT_EQ(relation->tag_count(), 2U);
  EXPECT_FALSE(relation->offers_output_bits());
  EXPECT_TRUE(relation->offers_output_sets());
  EXPECT_EQ(relation->injection_vcs(), 0U);
  EXPECT_THAT(injected_tags(*relation, 4, 0), ElementsAre(0, 1)) << "LIDs 4 and 5";
  EXPECT_THAT(injected_tags(*relation, 4, 1), ElementsAre(0));
  EXPECT_THAT(ports_on_path(*relation, TerminalId(4), TerminalId(0), 0), ElementsAre(4, 1, 1));
  EXPECT_THAT(ports_on_path(*relation, TerminalId(4), TerminalId(0), 1), ElementsAre(4, 2, 1));
  EXPECT_THAT(ports_on_path(*relation, TerminalId(0), TerminalId(4), 1), ElementsAre(0)) << "no such LID";
  EXPECT_EQ(enumerate_states(*relation, TerminalId(0)).count(), 6U) << "three switches, two LIDs";
}

/// One of the two cables between leaf 1 and the spine is dead: what took it takes the other, by either LID.
TEST(TablesRouting, AreRepairedForEachLidOfADestination) {
  const TemporaryFolder folder;
  const TopologyPtr topology =
      fabric_with_tables(folder.file("dump", small_dump), folder.file("tables", small_tables));
  FaultSet dead(*topology);
  const auto repaired = [&] { return build_relation(topology, dead, parse_compact("routing", "repair")); };
  const auto tables = build_relation(topology, dead, parse_compact("routing", "tables"));
  const RelationPtr whole = repaired();
  EXPECT_EQ(whole->tag_count(), 2U);
  EXPECT_TRUE(whole->remarks().empty());
  for (const TerminalId source : topology->terminals())
    for (const TerminalId destination : topology->terminals()) {
      if (source == destination) continue;
      const auto tags = injected_tags(*tables, source.index(), destination.index());
      EXPECT_EQ(injected_tags(*whole, source.index(), destination.index()), tags);
      for (const Tag tag : tags)
        EXPECT_EQ(ports_on_path(*whole, source, destination, tag),
                  ports_on_path(*tables, source, destination, tag));
    }
  for (const ChannelId channel : topology->channels())
    if (topology->name(channel).find("[4] -> spine") != std::string::npos &&
        topology->name(channel).starts_with("leaf # 1"))
      dead.fail(*topology, topology->link(channel));
  ASSERT_EQ(dead.failed_channel_count(), 2U);
  const RelationPtr around = repaired();
  EXPECT_THAT(injected_tags(*around, 4, 0), ElementsAre(0, 1));
  EXPECT_THAT(ports_on_path(*around, TerminalId(4), TerminalId(0), 0), ElementsAre(4, 1, 1));
  EXPECT_THAT(ports_on_path(*around, TerminalId(4), TerminalId(0), 1), ElementsAre(4, 1, 1)) << "was 4, 2, 1";
  EXPECT_THAT(ports_on_path(*around, TerminalId(0), TerminalId(3)), ElementsAre(3, 3, 2)) << "was 4, 3, 2";
  EXPECT_THAT(ports_on_path(*around, TerminalId(0), TerminalId(2)), ElementsAre(3, 3, 1));
  EXPECT_TRUE(verify(*around, dead, {.switching = Switching::wormhole}).positive());
}

TEST(TablesRouting, HasNoTagsWhereEachPortHasOneLid) {
  const TemporaryFolder folder;
  const RelationPtr relation =
      tables_relation(folder.file("dump", replaced(small_dump, "lid 4 lmc 1", "lid 4 lmc 0")),
                      folder.file("tables", small_tables));
  EXPECT_EQ(relation->tag_count(), 1U);
  EXPECT_TRUE(relation->offers_output_bits());
  EXPECT_FALSE(relation->offers_output_sets());
  EXPECT_EQ(relation->injection_vcs(), 1U);
  EXPECT_THAT(injected_tags(*relation, 4, 0), ElementsAre(0));
  EXPECT_THAT(ports_on_path(*relation, TerminalId(4), TerminalId(0)), ElementsAre(4, 1, 1));
}

TEST(TablesRouting, IsNotConnectedWhereASecondLidLoopsOrHasNoEntry) {
  const TemporaryFolder folder;
  const std::string dump = folder.file("dump", small_dump);
  const auto verdict = [&](const std::string& name, std::string_view tables) {
    const RelationPtr relation = tables_relation(dump, folder.file(name, tables));
    return verify(*relation, FaultSet(relation->topology()), {.switching = Switching::wormhole});
  };
  EXPECT_TRUE(verdict("whole", small_tables).positive());
  // The spine sends LID 5 back to leaf 2.
  const Verdict loop = verdict("loop", replaced(small_tables, "0x0005 002", "0x0005 003"));
  EXPECT_EQ(loop.unreachable_pairs, 3U);
  EXPECT_FALSE(loop.livelock_free());
  const Verdict hole = verdict("hole", replaced(small_tables, "0x0005 002", "0x0005 255"));
  EXPECT_EQ(hole.unreachable_pairs, 3U);
  EXPECT_TRUE(hole.livelock_free());
}

TEST(TablesRouting, RemarksOnTablesThatDoNotFitTheFabric) {
  const TemporaryFolder folder;
  const RelationPtr relation =
      tables_relation(folder.file("dump", small_dump),
                      folder.file("tables",
                                  "Unicast lids [0x0-0x40] of switch guid 0xa1 ():\n0x0006 001\n"
                                  "1 lids dumped\n"));
  EXPECT_THAT(relation->remarks(),
              ElementsAre(HasSubstr("the table of 0x00000000000000a1 ends at LID 6 of 64"),
                          HasSubstr("2 switches have no table; the first: \"leaf 2\""),
                          HasSubstr("5 entries for the LIDs of adapters are missing; the first: LID 4 at"),
                          HasSubstr("LID 6 at \"leaf # 1\" (S-00000000000000a1), port 1, to \"host \"a\"")));
}

TEST(TablesRouting, IsStuckWhereAnEntryIsMissingOrWrong) {
  const TemporaryFolder folder;
  const std::string dump = folder.file("dump", small_dump);
  const RelationPtr relation =
      tables_relation(dump, folder.file("tables",
                                        "Unicast lids of switch guid 0xa1 ():\n"
                                        "0x0006 001\n"  // the port of another host
                                        "0x0007 000\n"  // the switch itself
                                        "0x0008 004\n"  // on to a switch without a table
                                        "Unicast lids of switch guid 0xa2 ():\n"
                                        "0x0004 004\n"));
  const auto path = [&](std::size_t from, std::size_t to) {
    return ports_on_path(*relation, TerminalId(from), TerminalId(to));
  };
  EXPECT_THAT(path(0, 1), ElementsAre(0));
  EXPECT_THAT(path(0, 2), ElementsAre(0));
  EXPECT_THAT(path(0, 3), ElementsAreArray({4, 0}));
  EXPECT_THAT(path(0, 4), ElementsAre(0)) << "no entry";
}

TEST(TablesRouting, NeedsAFabricWithTables) {
  const auto message = [](const auto& build) -> std::string {
    try {
      (void)build();
      return "accepted";
    } catch (const Error& error) {
      return error.what();
    }
  };
  const TemporaryFolder folder;
  const std::string dump = folder.file("dump", small_dump);
  EXPECT_EQ(message([&] { return tables_relation(dump, ""); }),
            "routing = 'tables': needs the fabric's forwarding tables; give topology.tables = PATH");
  const TopologyPtr tree = build_topology(parse_compact("topology", "fat-tree:k=2,n=2"));
  EXPECT_THAT(
      message([&] { return build_relation(tree, FaultSet(*tree), parse_compact("routing", "tables")); }),
      HasSubstr("needs the LIDs of a real fabric"));
}

/// The same two files read again, without the library: which terminals are reached from where, and over which
/// ports.
class PlainReading {
 public:
  PlainReading(const std::filesystem::path& dump, const std::filesystem::path& tables) {
    read_dump(dump);
    read_tables(tables);
  }

  [[nodiscard]] std::vector<std::uint32_t> ports_on_path(const std::string& source,
                                                         const std::string& destination) const {
    std::vector<std::uint32_t> ports;
    std::string at = far_.at({source, 1}).first;
    while (at != destination && ports.size() < 32) {
      ports.push_back(port_.at({at.substr(2), lid_.at(destination)}));
      at = far_.at({at, ports.back()}).first;
    }
    return ports;
  }

 private:
  void read_dump(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::string node;
    for (std::string line; std::getline(file, line);) {
      char id[65];
      unsigned port = 0, far_port = 0, lid = 0;
      unsigned long long guid = 0;
      if (std::sscanf(line.c_str(), "%*[SwitchCa] %u \"%64[^\"]\"", &port, id) == 2)
        node = id;
      else if (std::sscanf(line.c_str(), "[%u](%llx) \"%64[^\"]\"[%u] # lid %u", &port, &guid, id, &far_port,
                           &lid) == 5) {
        far_[{node, port}] = {id, far_port};
        lid_[node] = lid;
      } else if (std::sscanf(line.c_str(), "[%u] \"%64[^\"]\"[%u]", &port, id, &far_port) == 3)
        far_[{node, port}] = {id, far_port};
    }
  }
  void read_tables(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::string guid;
    for (std::string line; std::getline(file, line);) {
      unsigned lid = 0, port = 0;
      if (line.starts_with("Unicast"))
        guid = line.substr(line.find("guid 0x") + 7, 16);
      else if (std::sscanf(line.c_str(), "0x%x %u", &lid, &port) == 2)
        port_[{guid, lid}] = port;
    }
  }

  std::map<std::pair<std::string, unsigned>, std::pair<std::string, unsigned>> far_;
  std::map<std::string, unsigned> lid_;
  std::map<std::pair<std::string, unsigned>, unsigned> port_;  // (switch GUID, LID)
};

TEST(TablesRouting, ConnectsEveryPairOfARealFabric) {
  FAULTLINE_SHARED_FILE(dump, "fabrics/avakas.ibnetdiscover");
  FAULTLINE_SHARED_FILE(tables, "fabrics/avakas.lfts");
  const RelationPtr relation = tables_relation(dump.string(), tables.string());
  const auto& labelling = relation->topology().labelling<FabricLabelling>("test");
  const PlainReading plain(dump, tables);
  const auto id = [&](TerminalId t) {
    return labelling.fabric.nodes[labelling.terminal_ports[t.index()].node].id;
  };
  std::size_t longest = 0;
  for (const TerminalId source : relation->topology().terminals())
    for (const TerminalId destination : relation->topology().terminals()) {
      if (source == destination) continue;
      const auto ports = ports_on_path(*relation, source, destination);
      ASSERT_EQ(ports, plain.ports_on_path(id(source), id(destination)))
          << source.value() << " to " << destination.value();
      longest = std::max(longest, ports.size());
    }
  EXPECT_EQ(longest, 3U) << "leaf, spine, leaf";
}

}  // namespace
}  // namespace faultline
