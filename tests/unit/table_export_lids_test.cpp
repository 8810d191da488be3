// SPDX-License-Identifier: Apache-2.0
// Where adapters have several LIDs, the tables that are written have for each LID the port that packets to it
// take.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "faultline/routing/kind.h"
#include "faultline/routing/table_export.h"
#include "faultline/topology/kind.h"
#include "faultline/topology/labellings.h"
#include "support/error_message.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

constexpr std::uint32_t leaves = 3, spines = 3, hosts = 6;  // two at each leaf
struct HostLids {
  std::uint32_t first, lmc;
};
constexpr HostLids lids_of_hosts[hosts] = {{8, 0}, {10, 1}, {12, 2}, {16, 1}, {18, 0}, {20, 2}};

/// Ports 1 and 2 of a leaf lead to its hosts, 3 to 5 to the spines; port i of a spine to leaf i.
std::string dump_with_lmc() {
  std::string text;
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
    text += fmt::format(
        "switchguid=0xa{0}(a{0})\nSwitch\t5 \"S-a{0}\"\t\t# \"leaf {0}\" base port 0 lid {1} lmc 0\n", leaf,
        1 + leaf);
    for (std::uint32_t i = 0; i < 2; ++i)
      text += fmt::format("[{}]\t\"H-c{}\"[1]\t\t# \"host\" lid {} 4xQDR\n", i + 1, 2 * leaf + i,
                          lids_of_hosts[2 * leaf + i].first);
    for (std::uint32_t spine = 0; spine < spines; ++spine)
      text += fmt::format("[{}]\t\"S-b{}\"[{}]\t\t# \"spine\" lid {} 4xQDR\n", 3 + spine, spine, 1 + leaf,
                          4 + spine);
    text += "\n";
  }
  for (std::uint32_t spine = 0; spine < spines; ++spine) {
    text += fmt::format(
        "switchguid=0xb{0}(b{0})\nSwitch\t3 \"S-b{0}\"\t\t# \"spine {0}\" base port 0 lid {1} lmc 0\n", spine,
        4 + spine);
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf)
      text += fmt::format("[{}]\t\"S-a{}\"[{}]\t\t# \"leaf\" lid {} 4xQDR\n", 1 + leaf, leaf, 3 + spine,
                          1 + leaf);
    text += "\n";
  }
  for (std::uint32_t host = 0; host < hosts; ++host)
    text += fmt::format(
        "caguid=0xc{0}\nCa\t1 \"H-c{0}\"\t\t# \"host {0}\"\n"
        "[1](d{0}) \t\"S-a{1}\"[{2}]\t\t# lid {3} lmc {4} \"leaf\" lid {5} 4xQDR\n\n",
        host, host / 2, host % 2 + 1, lids_of_hosts[host].first, lids_of_hosts[host].lmc, 1 + host / 2);
  return text;
}

/// Leaves choose the spine by the LID. Leaf 2 has no entry for LID 11, and none of the switches for switches.
std::string tables_with_lmc() {
  std::string text;
  const auto table = [&](std::uint32_t lid, char kind, std::uint32_t number, auto port) {
    text += fmt::format("Unicast lids [0x0-0x17] of switch Lid {} guid 0x00000000000000{}{} (x):\n", lid,
                        kind, number);
    for (std::uint32_t host = 0; host < hosts; ++host)
      for (std::uint32_t i = 0; i < 1U << lids_of_hosts[host].lmc; ++i)
        if (const std::uint32_t to = lids_of_hosts[host].first + i; kind != 'a' || number != 2 || to != 11)
          text += fmt::format("0x{:04x} {:03} : (x)\n", to, port(host, to));
  };
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf)
    table(1 + leaf, 'a', leaf, [&](std::uint32_t host, std::uint32_t lid) {
      return host / 2 == leaf ? host % 2 + 1 : 3 + lid % spines;
    });
  for (std::uint32_t spine = 0; spine < spines; ++spine)
    table(4 + spine, 'b', spine, [&](std::uint32_t host, std::uint32_t) { return 1 + host / 2; });
  return text;
}

/// By GUID of the switch and LID of a host, without the library's reader.
std::map<std::pair<std::string, std::uint32_t>, std::string> entries_for_hosts(const std::string& tables) {
  std::map<std::pair<std::string, std::uint32_t>, std::string> entries;
  std::istringstream lines(tables);
  std::string guid;
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t at = line.find(" guid 0x"); at != std::string::npos) guid = line.substr(at + 8, 16);
    if (!line.starts_with("0x")) continue;
    const auto lid = static_cast<std::uint32_t>(std::stoul(line.substr(2, 4), nullptr, 16));
    if (lid >= lids_of_hosts[0].first) entries[{guid, lid}] = line.substr(7, 3);
  }
  return entries;
}

/// Packets for the destination that were injected with this tag.
std::vector<ChannelId> channels_by_tag(const RoutingRelation& relation, TerminalId source,
                                       TerminalId destination, Tag tag) {
  const Topology& topology = relation.topology();
  RouteOptions options;
  relation.inject(source, destination, options);
  std::erase_if(options, [&](const RouteOption& option) { return option.tag != tag; });
  std::vector<ChannelId> taken;
  while (options.size() == 1 && taken.size() <= topology.switch_count() + 1) {
    const RouteOption option = options.front();
    taken.push_back(option.channel);
    if (topology.role(option.channel) == ChannelRole::ejection) return taken;
    options.clear();
    relation.route({.at = topology.target(option.channel),
                    .destination = destination,
                    .held = option.channel,
                    .tag = option.tag},
                   options);
  }
  return {};
}

class TableExportLids : public testing::Test {
 protected:
  [[nodiscard]] TopologyPtr fabric_with(const std::string& name, const std::string& tables) const {
    const std::vector<std::string> files{"file=" + folder.file("dump", dump_with_lmc()),
                                         "tables=" + folder.file(name, tables)};
    return build_topology(parse_assignments("topology", "fabric", files));
  }

  TemporaryFolder folder;
  TopologyPtr topology = fabric_with("old", tables_with_lmc());
};

TEST_F(TableExportLids, RouteEachLidAsTheRepairedTablesAroundEveryTwoCables) {
  const auto links = static_cast<std::uint32_t>(topology->network_link_count());
  ASSERT_EQ(links, leaves * spines);
  std::uint64_t different = 0;
  for (std::uint32_t one = 0; one <= links; ++one)
    for (std::uint32_t two = one; two <= links; ++two) {  // `links`: none
      FaultSet dead(*topology);
      for (const std::uint32_t link : {one, two})
        if (link < links) dead.fail(*topology, LinkId(link));
      const RelationPtr repaired = build_relation(topology, dead, parse_compact("routing", "repair"));
      const TableExport made = export_tables(*repaired, dead, "repair");
      const std::string written =
          infiniband::to_lft_dump(made.tables, topology->labelling<FabricLabelling>("test").fabric);
      const TopologyPtr again = fabric_with("new", written);
      const RelationPtr read = build_relation(again, FaultSet(*again), parse_compact("routing", "tables"));
      for (std::uint32_t from = 0; from < hosts; ++from)
        for (std::uint32_t to = 0; to < hosts; ++to)
          for (Tag tag = 0; from != to && tag < 1U << lids_of_hosts[to].lmc; ++tag) {
            const auto taken = channels_by_tag(*read, TerminalId(from), TerminalId(to), tag);
            ASSERT_FALSE(taken.empty()) << from << " to " << to << ", tag " << tag;
            EXPECT_EQ(taken, channels_by_tag(*repaired, TerminalId(from), TerminalId(to), tag));
            for (const ChannelId channel : taken) EXPECT_FALSE(dead.failed(channel));
            if (tag != 0 && taken != channels_by_tag(*read, TerminalId(from), TerminalId(to), 0)) ++different;
          }
      const auto before = entries_for_hosts(tables_with_lmc()), after = entries_for_hosts(written);
      std::uint64_t changed = 0;
      for (const auto& [entry, port] : after)
        if (!before.contains(entry) || before.at(entry) != port) ++changed;
      for (const auto& [entry, port] : before) changed += after.contains(entry) ? 0 : 1;
      EXPECT_EQ(made.changed, changed) << "links " << one << " and " << two;
      EXPECT_EQ(made.entries, after.size());
    }
  EXPECT_GT(different, 100U) << "paths that depend on the LID";
}

TEST_F(TableExportLids, OfTheFabricsOwnTablesAreThese) {
  const FaultSet none(*topology);
  const RelationPtr own = build_relation(topology, none, parse_compact("routing", "tables"));
  const TableExport made = export_tables(*own, none, "tables");
  EXPECT_EQ(made.changed, 0U);
  EXPECT_EQ(entries_for_hosts(
                infiniband::to_lft_dump(made.tables, topology->labelling<FabricLabelling>("test").fabric)),
            entries_for_hosts(tables_with_lmc()));
}

/// The fabric's own tables, changed so that a tag is not the offset of the LID that a packet has all the way.
class WithOtherTags : public RoutingRelation {
 public:
  explicit WithOtherTags(const TopologyPtr& topology)
      : RoutingRelation(topology),
        base_(build_relation(topology, FaultSet(*topology), parse_compact("routing", "tables"))) {}
  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    base_->inject(source, destination, options);
  }
  void route(const RouteState& state, RouteOptions& options) const override { base_->route(state, options); }
  [[nodiscard]] std::uint64_t tag_count() const override { return base_->tag_count(); }

 private:
  RelationPtr base_;
};
/// The last source may not take the last tag.
class WithoutOneTag final : public WithOtherTags {
 public:
  using WithOtherTags::WithOtherTags;
  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    WithOtherTags::inject(source, destination, options);
    if (source.index() == hosts - 1 && options.size() > 1) options.pop_back();
  }
};
/// Spines give packets another one.
class WithChangingTags final : public WithOtherTags {
 public:
  using WithOtherTags::WithOtherTags;
  void route(const RouteState& state, RouteOptions& options) const override {
    WithOtherTags::route(state, options);
    if (state.at.index() >= leaves)
      for (RouteOption& option : options) option.tag ^= 1;
  }
};

TEST_F(TableExportLids, AreRefusedWhereTagsMeanSomethingElse) {
  const FaultSet none(*topology);
  const auto refusal = [&](const RoutingRelation& relation) {
    return testing_support::error_message([&] { (void)export_tables(relation, none, "other"); });
  };
  EXPECT_EQ(refusal(WithOtherTags(topology)), "accepted");
  EXPECT_THAT(refusal(WithoutOneTag(topology)),
              testing::HasSubstr("must send all packets for a LID by one port"));
  EXPECT_THAT(refusal(WithChangingTags(topology)),
              testing::HasSubstr("must send all packets for a LID by one port"));
}

}  // namespace
}  // namespace faultline
