// SPDX-License-Identifier: Apache-2.0
// What `fabric whatif` says of a fabric whose tables lose routes while it is whole.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "faultline/infiniband/fabric.h"
#include "faultline/infiniband/forwarding_tables.h"
#include "program.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

using infiniband::ForwardingTable;
using infiniband::Guid;
using infiniband::Lid;
using infiniband::NodeType;
using testing::HasSubstr;

/// Switches A - B - C, with adapter a1 at A, b1 and b2 at B, c1 at C: nodes 0 to 2 and 3 to 6, with LIDs one
/// higher. The cables between switches are at ports 3 and 4.
infiniband::Fabric line_of_three() {
  infiniband::Fabric fabric;
  for (const char* const name : {"A", "B", "C", "a1", "b1", "b2", "c1"}) {
    const auto number = static_cast<std::uint32_t>(fabric.nodes.size());
    const bool is_switch = number < 3;
    const Guid guid = 0x100 + 0x10 * number;
    infiniband::Node node{.type = is_switch ? NodeType::switch_ : NodeType::adapter,
                          .id = fmt::format("{}-{:016x}", is_switch ? "S" : "H", guid),
                          .guid = guid,
                          .description = name,
                          .port_count = is_switch ? 4U : 1U};
    node.end_ports = {
        {.number = is_switch ? 0U : 1U, .guid = guid + 1, .lid = static_cast<Lid>(number + 1), .lmc = 0}};
    fabric.nodes.push_back(node);
  }
  fabric.cables = {{{0, 1}, {3, 1}, "4x", "QDR"}, {{0, 4}, {1, 3}, "4x", "QDR"},
                   {{1, 1}, {4, 1}, "4x", "QDR"}, {{1, 2}, {5, 1}, "4x", "QDR"},
                   {{1, 4}, {2, 3}, "4x", "QDR"}, {{2, 1}, {6, 1}, "4x", "QDR"}};
  return fabric;
}

/// A and C have no entries for b1 and b2.
infiniband::ForwardingTables tables_without_b(const infiniband::Fabric& fabric) {
  constexpr std::uint8_t none = ForwardingTable::no_entry;
  infiniband::ForwardingTables tables;
  tables.switches = {{fabric.nodes[0].guid, {none, 0, 4, 4, 1, none, none, 4}},
                     {fabric.nodes[1].guid, {none, 3, 0, 4, 3, 1, 2, 4}},
                     {fabric.nodes[2].guid, {none, 3, 3, 0, 3, none, none, 1}}};
  return tables;
}

TEST(FabricVerify, NamesTheLidThatATableDoesNotLeadOn) {
  const TemporaryFolder folder;
  const infiniband::Fabric fabric = line_of_three();
  const Outcome outcome =
      run_program({"fabric", "verify", folder.file("dump", to_ibnetdiscover(fabric)), "--tables",
                   folder.file("tables", to_lft_dump(tables_without_b(fabric), fabric))});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.output, HasSubstr("no entry at A for LID 5 leads on"));
}

/// What new tables do is what a repair of each set alone says, also where an adapter has no LID.
TEST(FabricWhatIf, JudgesNewTablesAsARepairDoes) {
  const TemporaryFolder folder;
  infiniband::Fabric fabric = line_of_three();
  fabric.nodes[6].end_ports.front().lid = 0;
  const std::string dump = folder.file("dump", to_ibnetdiscover(fabric));
  const auto answer =
      nlohmann::json::parse(run_program({"fabric", "whatif", dump, "--unit", "switch", "--json"}).output);
  ASSERT_EQ(answer["by_set"].size(), 3U);
  for (const auto& set : answer["by_set"]) {
    const auto name = set["failed"][0].get<std::string>();
    const auto alone = nlohmann::json::parse(
        run_program({"fabric", "repair", dump, "--cut", name, "--dry-run", "--json"}).output);
    for (const char* const key : {"unreachable_pairs", "acyclic_with_switches", "max_link_load"})
      EXPECT_EQ(set["after"][key], alone[key]) << name << ' ' << key;
  }
  EXPECT_FALSE(answer["holds"].get<bool>());
}

TEST(FabricWhatIf, SaysWhereTheEngineComputesNoTables) {
  const TemporaryFolder folder;
  const infiniband::Fabric fabric = line_of_three();
  const std::string dump = folder.file("dump", to_ibnetdiscover(fabric)),
                    tables = folder.file("tables", to_lft_dump(tables_without_b(fabric), fabric));
  const auto notes = [&](const std::string& engine) {
    const auto answer = nlohmann::json::parse(
        run_program({"fabric", "whatif", dump, "--tables", tables, "--engine", engine, "--json"}).output);
    EXPECT_EQ(answer["by_set"][0]["after"].is_null(), engine != "repair") << engine;
    return answer["remarks"].dump();
  };
  EXPECT_THAT(notes("destro"), HasSubstr("engine destro computes no tables after a failure"));
  EXPECT_THAT(notes("tables"), testing::Not(HasSubstr("engine ")));
  EXPECT_THAT(notes("repair"), testing::Not(HasSubstr("engine ")));
}

/// C is on its own, and A and B have two cables: no failure of one cable unconnects what was connected.
TEST(FabricWhatIf, CountsWhatAFailureAdds) {
  const TemporaryFolder folder;
  infiniband::Fabric fabric = line_of_three();
  fabric.cables[4] = {{0, 3}, {1, 4}, "4x", "QDR"};
  const std::string two = folder.file("two", to_ibnetdiscover(fabric));
  const Outcome outcome = run_program({"fabric", "whatif", two});
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_THAT(
      outcome.output,
      HasSubstr("6 pairs are unconnected without a failure, also by new tables, and are not counted below"));
  EXPECT_THAT(outcome.output, HasSubstr("0 leave some pair unconnected that is connected without a failure"));
  fabric.cables.erase(fabric.cables.begin() + 4);
  const std::string one = folder.file("one", to_ibnetdiscover(fabric));
  const auto answer = nlohmann::json::parse(run_program({"fabric", "whatif", one, "--json"}).output);
  EXPECT_EQ(answer["healthy"]["unreachable_pairs"], 6);
  ASSERT_EQ(answer["by_set"].size(), 1U);
  EXPECT_EQ(answer["by_set"][0]["after"]["unreachable_pairs"], 6 + 4);
  EXPECT_EQ(answer["by_set"][0]["after"]["newly_unreachable_pairs"], 4);
  EXPECT_FALSE(answer["holds"].get<bool>());
}

/// An adapter without a LID, and packets on the tables in use can deadlock.
TEST(FabricWhatIf, SaysWhatIsWrongWithoutAFailure) {
  const TemporaryFolder folder;
  const std::string ring = (folder.path / "ring").string();
  (void)run_program({"fabric", "export", "torus", "radix=7", "--routing", "dimension-order", "-o", ring});
  infiniband::Fabric fabric = infiniband::read_fabric(ring + "/fabric.ibnetdiscover", "test");
  std::ranges::find(fabric.nodes, NodeType::adapter, &infiniband::Node::type)->end_ports.front().lid = 0;
  const std::string dump = folder.file("dump", to_ibnetdiscover(fabric));
  const Outcome outcome = run_program({"fabric", "whatif", dump, "--tables", ring + "/tables.lfts"});
  EXPECT_THAT(outcome.output, HasSubstr("note: 1 adapter port has no unicast LID"));
  EXPECT_THAT(outcome.output, HasSubstr("the tables in use are not proved free of deadlock"));
  EXPECT_THAT(outcome.output, HasSubstr("0 are not proved free of deadlock"));
}

TEST(FabricWhatIf, GoesOnWhereASetCannotBeRouted) {
  const TemporaryFolder folder;
  const std::string out = (folder.path / "out").string();
  (void)run_program({"fabric", "export", "torus", "radix=5x5", "--routing", "dimension-order", "-o", out});
  const Outcome outcome =
      run_program({"fabric", "whatif", out + "/fabric.ibnetdiscover", "--engine", "dfsssp:vcs=2", "--json"});
  EXPECT_EQ(outcome.code, 3);
  const auto answer = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(answer["by_set"].size(), 50U);
  EXPECT_FALSE(answer["by_set"][0]["tables_made"].get<bool>());
  EXPECT_TRUE(answer["by_set"][0]["after"].is_null());
}

/// By hand: a1 and c1 cannot send to b1 and b2, which are 4 lost routes. Without B, none of those counts, and
/// a1 and c1 cannot reach each other. Without A or C, what is left is lost already.
TEST(FabricWhatIf, TellsNewLossesFromThoseThatTheTablesHad) {
  const TemporaryFolder folder;
  const infiniband::Fabric fabric = line_of_three();
  const std::string dump = folder.file("dump", to_ibnetdiscover(fabric));
  const std::string tables = folder.file("tables", to_lft_dump(tables_without_b(fabric), fabric));
  const std::vector<std::string> asked{"fabric", "whatif", dump, "--tables", tables, "--unit", "switch"};
  std::vector<std::string> as_json = asked;
  as_json.emplace_back("--json");
  const auto answer = nlohmann::json::parse(run_program(as_json).output);
  EXPECT_EQ(answer["healthy"]["lost_routes"], 4);
  std::vector<std::pair<std::string, int>> newly_lost;
  for (const auto& set : answer["by_set"])
    newly_lost.emplace_back(set["failed"][0], set["before"].value("newly_lost_routes", -1));
  EXPECT_THAT(newly_lost,
              testing::UnorderedElementsAre(std::pair("A", 0), std::pair("B", 2), std::pair("C", 0)));
  EXPECT_EQ(newly_lost.front().first, "B") << "the worst comes first";
  EXPECT_EQ(answer["by_set"][0]["before"]["lost_routes"], 2);
  EXPECT_EQ(answer["by_set"][1]["before"]["lost_routes"], 2) << "of c1 to b1 and b2, or of a1";
  const std::string text = run_program(asked).output;
  EXPECT_THAT(text, HasSubstr("1 of 3 sets loses routes that were not lost before"));
  EXPECT_THAT(text, testing::ContainsRegex("\n +2 +[0-9]+ .* B; cuts off 10 pairs\n"));
}

/// Without B no route arrives; without A or C, or one of the cables between switches, half of them.
TEST(FabricWhatIf, ListsWhatIsCutOffAmongTheWorst) {
  const TemporaryFolder folder;
  const auto answer = nlohmann::json::parse(
      run_program({"fabric", "whatif", folder.file("dump", to_ibnetdiscover(line_of_three())), "--unit",
                   "link+switch", "--json"})
          .output);
  EXPECT_EQ(answer["healthy"]["routes"], 12);
  ASSERT_EQ(answer["by_set"].size(), 5U);
  EXPECT_EQ(answer["by_set"][0]["failed"][0], "B");
  EXPECT_EQ(answer["by_set"][0]["cut_off_pairs"], 10);
  EXPECT_EQ(answer["by_set"][0]["before"]["newly_lost_routes"], 2) << "fewer than without a cable";
  for (std::size_t i = 1; i < 5; ++i) {
    const auto& set = answer["by_set"][i];
    EXPECT_EQ(set["cut_off_pairs"].get<int>() + set["before"]["newly_lost_routes"].get<int>(), 6) << i;
  }
}

/// The network leaves no path; no tables could help.
TEST(FabricWhatIf, TellsAFabricThatIsSplitFromTablesThatFail) {
  const TemporaryFolder folder;
  infiniband::Fabric fabric = line_of_three();
  const std::string dump = folder.file("dump", to_ibnetdiscover(fabric));
  const Outcome split = run_program({"fabric", "whatif", dump});
  EXPECT_EQ(split.code, 3);
  EXPECT_THAT(split.output,
              HasSubstr("DOES NOT HOLD: 2 of 2 sets split the fabric: adapters that still have a "
                        "cable have no path to others, whatever is loaded\n"));
  const auto answer = nlohmann::json::parse(run_program({"fabric", "whatif", dump, "--json"}).output);
  EXPECT_EQ(answer["by_set"][0]["separated_pairs"], 6);
  EXPECT_EQ(answer["by_set"][0]["after"]["newly_unreachable_pairs"], 6);
  std::erase_if(fabric.cables, [](const infiniband::Cable& cable) { return cable.b.node == 2; });
  const Outcome in_parts = run_program({"fabric", "whatif", folder.file("parts", to_ibnetdiscover(fabric)),
                                        "--unit", "link", "--scope", "terminal"});
  EXPECT_THAT(
      in_parts.output,
      HasSubstr("the fabric is in parts that no cable joins: 6 of 12 pairs of adapter ports have no path"));
  EXPECT_THAT(in_parts.output, HasSubstr("holds: new tables connect every pair that is not cut off and is "
                                         "connected without a failure, without deadlock\n"));
}

TEST(FabricWhatIf, SaysHowManySetsThereAre) {
  const TemporaryFolder folder;
  const std::string dump = folder.file("dump", to_ibnetdiscover(line_of_three()));
  const auto text = [&](const std::vector<std::string>& more) {
    std::vector<std::string> asked{"fabric", "whatif", dump};
    asked.insert(asked.end(), more.begin(), more.end());
    return run_program(asked).output;
  };
  EXPECT_THAT(text({}), HasSubstr("all 2 sets of 1 failure (unit link"));
  EXPECT_THAT(text({"--failures", "2"}), HasSubstr("the only set of 2 failures (unit link"));
  EXPECT_THAT(text({"--failures", "2"}), HasSubstr("1 of 1 set loses routes\n"));
  EXPECT_THAT(text({"--failures", "2"}), HasSubstr("with new tables: 1 leaves some pair unconnected, 0 are"));
  EXPECT_THAT(text({"--samples", "1"}), HasSubstr("1 set, drawn from 2, of 1 failure (unit link"));
}

/// The four corners of a mesh have two cables each: 4 of the 276 sets of two split it, and the 20 drawn with
/// this seed are others.
TEST(FabricWhatIf, SetsThatAreOnlyDrawnProveNothing) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program({"fabric", "export", "mesh", "radix=4x4", "-o", "."}, folder.path.string()).code, 0);
  const std::vector<std::string> all{
      "fabric", "whatif", "fabric.ibnetdiscover", "--tables", "tables.lfts", "--failures", "2"};
  EXPECT_THAT(run_program(all, folder.path.string()).output, HasSubstr("DOES NOT HOLD: 4 of 276 sets split"));
  std::vector<std::string> some = all;
  some.insert(some.end(), {"--samples", "20", "--seed", "1"});
  const Outcome drawn = run_program(some, folder.path.string());
  EXPECT_EQ(drawn.code, 3);
  EXPECT_THAT(drawn.output, HasSubstr("\nholds for the sets drawn, which are not all\n"));
}

}  // namespace
}  // namespace faultline
