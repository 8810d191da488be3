// SPDX-License-Identifier: Apache-2.0
// The verbs of real fabrics, as an operator uses them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "fabric_files.h"
#include "faultline/infiniband/forwarding_tables.h"
#include "program.h"
#include "support/random_fabric.h"
#include "support/replaced.h"
#include "support/small_fabric.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

using testing::HasSubstr;

TEST(FabricImport, CountsWhatTheFilesHold) {
  const FabricFiles files;
  const auto found = json_answer({"fabric", "import", files.dump, "--tables", files.tables});
  EXPECT_EQ(found["switches"], 3);
  EXPECT_EQ(found["adapters"], 4);
  EXPECT_EQ(found["cables"], 8);
  EXPECT_EQ(found["cables_between_switches"], 3);
  EXPECT_EQ(found["rates"], nlohmann::json({{"4x FDR10", 1}, {"4x QDR", 7}}));
  EXPECT_EQ(found["end_ports"], 8);
  EXPECT_EQ(found["lids"], nlohmann::json({{"min", 1}, {"max", 9}}));
  EXPECT_EQ(found["lmc_max"], 1);
  EXPECT_EQ(found["tables"], nlohmann::json({{"switches", 3}, {"entries", 26}}));
  const std::string written = files.path("again");
  EXPECT_EQ(json_answer({"fabric", "import", files.dump, "-o", written})["written"], written);
  EXPECT_EQ(read_file(written, "test"), small_dump);
}

TEST(FabricImport, CountsUnicastLidsOnly) {
  const FabricFiles files;
  for (const char* const lid : {"# lid 0 lmc 0", "# lid 50000 lmc 0"}) {
    const std::string dump = files.folder.file("some", replaced(small_dump, "# lid 7 lmc 0", lid));
    EXPECT_EQ(json_answer({"fabric", "import", dump})["without_lid"], 1) << lid;
  }
}

TEST(FabricImport, OverwritesNothingThatItReads) {
  const FabricFiles files;
  for (const std::string& read : {files.dump, files.tables}) {
    const Outcome outcome =
        run_program({"fabric", "import", files.dump, "--tables", files.tables, "-o", read});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("would overwrite a file that is also read"));
  }
  EXPECT_EQ(read_file(files.dump, "test"), small_dump);
  EXPECT_EQ(read_file(files.tables, "test"), small_tables);
}

/// Each terminal of the ring has two ports.
TEST(FabricExport, CountsAdaptersAndTheirPortsAsImportDoes) {
  const TemporaryFolder folder;
  const auto exported = json_answer(
      {"fabric", "export", "switch-ring", "n=6", "--routing", "none", "-o", folder.path.string()});
  EXPECT_EQ(exported["adapters"], 6);
  EXPECT_EQ(exported["adapter_ports"], 12);
  const auto imported = json_answer({"fabric", "import", (folder.path / "fabric.ibnetdiscover").string()});
  for (const char* key : {"switches", "adapters", "cables"}) EXPECT_EQ(imported[key], exported[key]) << key;
}

/// A fabric that was exported, exported again into the folder that it is read from.
TEST(FabricExport, OverwritesNothingThatItReads) {
  const TemporaryFolder folder;
  const std::string out = (folder.path / "out").string();
  const std::string dump = out + "/fabric.ibnetdiscover", tables = out + "/tables.lfts";
  EXPECT_EQ(json_answer({"fabric", "export", "fat-tree", "k=2", "n=2", "-o", out})["switches"], 4);
  const std::string before = read_file(dump, "test"), tables_before = read_file(tables, "test");
  const std::string copy = folder.file("copy", before);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"file=" + dump},
        {"file=" + copy, "tables=" + tables},
        {"file=" + copy, "--routing", "tables:file=" + tables},
        {"file=" + copy, "--routing", "repair:base=tables:file=" + tables}}) {
    std::vector<std::string> asked{"fabric", "export", "fabric"};
    asked.insert(asked.end(), words.begin(), words.end());
    asked.insert(asked.end(), {"-o", out});
    const Outcome outcome = run_program(asked);
    EXPECT_EQ(outcome.code, 2) << outcome.output;
    EXPECT_THAT(outcome.errors, HasSubstr("would overwrite a file that is also read"));
  }
  EXPECT_EQ(read_file(dump, "test"), before);
  EXPECT_EQ(read_file(tables, "test"), tables_before);
}

TEST(FabricExport, WithoutTablesNotesThoseThatAreThere) {
  const TemporaryFolder folder;
  const std::string out = (folder.path / "out").string();
  const std::vector<std::string> torus{"fabric",    "export", "torus", "radix=4x4",
                                       "--routing", "none",   "-o",    out};
  EXPECT_THAT(run_program(torus).output, testing::Not(HasSubstr("note")));
  EXPECT_EQ(run_program({"fabric", "export", "fat-tree", "k=2", "n=2", "-o", out}).code, 0);
  EXPECT_THAT(run_program(torus).output,
              HasSubstr("note: " + out + "/tables.lfts was there before: it need not be of this network"));
}

TEST(FabricRepair, WritesTablesForTheFabricThatIsLeft) {
  const FabricFiles files;
  const std::string out = files.path("out");
  const auto answer = json_answer(
      {"fabric", "repair", files.dump, "--tables", files.tables, "--cut", "leaf # 1[3]", "-o", out});
  EXPECT_EQ(answer["failed"], nlohmann::json({"leaf # 1[3] - spine[1]"}));
  // By hand: entries of leaf 1 for LIDs 7 and 9 and of the spine for LIDs 4 name the dead cable.
  EXPECT_EQ(answer["dead_entries"], 3);
  EXPECT_GE(answer["crossed_entries"], 3);
  EXPECT_GE(answer["changed_entries"], 3);
  EXPECT_GT(answer["lost_routes"], 0);
  const std::string dump = out + "/fabric.ibnetdiscover", tables = out + "/tables.lfts";
  EXPECT_EQ(infiniband::read_fabric(dump, "test").cables,
            infiniband::parse_ibnetdiscover(dump_without_cable(), "test").cables);
  EXPECT_EQ(read_file(out + "/guid2lid", "test"),
            to_guid2lid(infiniband::parse_ibnetdiscover(small_dump, "test")));
  const auto again = json_answer({"fabric", "verify", dump, "--tables", tables});
  EXPECT_TRUE(again["connected"].get<bool>());
  EXPECT_TRUE(again["deadlock_free"].get<bool>());
  EXPECT_EQ(again["virtual_channels"], 1);
}

/// A switch is cut by its name or by its id in the dump: its three cables are gone, as if each was cut.
TEST(FabricRepair, CutsASwitch) {
  const FabricFiles files;
  const auto left = [&](const std::vector<std::string>& cut, const char* out) {
    std::vector<std::string> asked{"fabric", "repair", files.dump, "-o", files.path(out)};
    for (const std::string& one : cut) asked.insert(asked.end(), {"--cut", one});
    EXPECT_EQ(run_program(asked).code, 3) << "the leaves are apart";
    return infiniband::read_fabric(files.path(out) + "/fabric.ibnetdiscover", "test").cables;
  };
  const auto expected = left({"spine[1]", "leaf # 1[4]", "leaf 2[4]"}, "cables");
  EXPECT_EQ(expected.size(), 5U);
  EXPECT_EQ(left({"spine"}, "name"), expected);
  EXPECT_EQ(left({"S-00000000000000b1"}, "id"), expected);
}

/// It stays in the dump, without cables, and nothing is missing there.
TEST(FabricRepair, LeavesNothingMissingAtASwitchThatIsCut) {
  const TemporaryFolder folder;
  const std::string tree = (folder.path / "tree").string(), out = (folder.path / "out").string();
  EXPECT_EQ(json_answer({"fabric", "export", "fat-tree", "k=2", "n=2", "-o", tree})["switches"], 4);
  (void)json_answer({"fabric", "repair", tree + "/fabric.ibnetdiscover", "--tables", tree + "/tables.lfts",
                     "--cut", "s1.0", "-o", out});
  const auto found =
      json_answer({"fabric", "import", out + "/fabric.ibnetdiscover", "--tables", out + "/tables.lfts"});
  EXPECT_EQ(found["switches"], 4);
  EXPECT_EQ(found["remarks"], nlohmann::json::array());
}

/// Packets to switches all go round a ring the same way, which those between adapters do not.
TEST(FabricVerify, SaysThatPacketsToSwitchesCloseACycle) {
  const TemporaryFolder folder;
  const std::string ring = (folder.path / "ring").string(), dump = ring + "/fabric.ibnetdiscover";
  EXPECT_EQ(json_answer({"fabric", "export", "torus", "radix=5", "-o", ring})["switches"], 5);
  const auto fabric = infiniband::read_fabric(dump, "test");
  auto tables = infiniband::read_forwarding_tables(ring + "/tables.lfts", "test");
  const auto acyclic = json_answer({"fabric", "verify", dump, "--tables", ring + "/tables.lfts"});
  EXPECT_TRUE(acyclic["acyclic_with_switches"].get<bool>());
  EXPECT_EQ(acyclic["switch_entries"], 25);
  const auto far = testing_support::far_ends(fabric);
  const auto is_switch = [&](std::uint32_t node) {
    return fabric.nodes[node].type == infiniband::NodeType::switch_;
  };
  std::uint32_t at = 0, came_from = 5;
  for (int step = 0; step < 5; ++step) {
    const auto next = std::ranges::find_if(far, [&](const auto& cable) {
      return cable.first.node == at && is_switch(cable.second.node) && cable.second.node != came_from;
    });
    const auto table =
        std::ranges::find(tables.switches, fabric.nodes[at].guid, &infiniband::ForwardingTable::switch_guid);
    for (std::uint32_t target = 0; target < fabric.nodes.size(); ++target)
      if (is_switch(target) && target != at)
        table->ports[fabric.nodes[target].end_ports.front().lid] =
            static_cast<std::uint8_t>(next->first.port);
    came_from = at;
    at = next->second.node;
  }
  EXPECT_EQ(at, 0U);
  const std::string cyclic = folder.file("cyclic", to_lft_dump(tables, fabric));
  const auto answer = json_answer({"fabric", "verify", dump, "--tables", cyclic});
  EXPECT_TRUE(answer["holds"].get<bool>()) << "of packets between adapters";
  EXPECT_FALSE(answer["acyclic_with_switches"].get<bool>());
  const Outcome outcome = run_program({"fabric", "verify", dump, "--tables", cyclic});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.output, HasSubstr("the verdict does not cover packets to and from switches"));
  for (const auto& node : fabric.nodes)
    if (node.type == infiniband::NodeType::switch_)
      for (auto& table : tables.switches)
        table.ports[node.end_ports.front().lid] = infiniband::ForwardingTable::no_entry;
  const std::string none = folder.file("none", to_lft_dump(tables, fabric));
  EXPECT_FALSE(json_answer({"fabric", "verify", dump, "--tables", none}).contains("acyclic_with_switches"));
}

/// What a switch that is cut held does not count as changed, in the note as in the table.
TEST(FabricRepair, CountsChangesAtLivingSwitchesOnly) {
  const TemporaryFolder folder;
  const std::string tree = (folder.path / "tree").string(), dump = tree + "/fabric.ibnetdiscover",
                    out = (folder.path / "out").string();
  EXPECT_EQ(json_answer({"fabric", "export", "fat-tree", "k=2", "n=2", "-o", tree})["switches"], 4);
  const auto tables = infiniband::read_forwarding_tables(tree + "/tables.lfts", "test");
  const auto fabric = infiniband::read_fabric(dump, "test");
  const auto spine = std::ranges::find(fabric.nodes, "s1.0", &infiniband::Node::description);
  ASSERT_NE(spine, fabric.nodes.end());
  const auto answer =
      json_answer({"fabric", "repair", dump, "--tables", tree + "/tables.lfts", "--cut", "s1.0", "-o", out});
  const auto after = infiniband::read_forwarding_tables(out + "/tables.lfts", "test");
  std::uint64_t changed = 0;
  for (const infiniband::Node& node : fabric.nodes) {
    if (node.type != infiniband::NodeType::switch_ || node.guid == spine->guid) continue;
    for (const infiniband::Node& adapter : fabric.nodes)
      if (adapter.type != infiniband::NodeType::switch_) {
        const infiniband::Lid lid = adapter.end_ports.front().lid;
        changed += tables.find(node.guid)->port(lid) != after.find(node.guid)->port(lid) ? 1 : 0;
      }
  }
  EXPECT_GT(changed, 0U);
  EXPECT_EQ(answer["changed_entries"], changed);
}

TEST(FabricRepair, NamesWhatCannotBeWrittenByItsOption) {
  const FabricFiles files;
  std::filesystem::create_directories(files.path("out") + "/tables.lfts");
  const Outcome outcome =
      run_program({"fabric", "repair", files.dump, "--tables", files.tables, "-o", files.path("out")});
  EXPECT_NE(outcome.code, 0);
  EXPECT_THAT(outcome.errors, HasSubstr("faultline: output = '" + files.path("out") + "/tables.lfts'"));
}

TEST(FabricRepair, NamesTheNumberOfLidsThatOpenSmHasToKnow) {
  const FabricFiles files;
  const auto next_step = [&](const std::string& dump) {
    return run_program({"fabric", "repair", dump, "--tables", files.tables, "-o", files.path("out")}).output;
  };
  EXPECT_THAT(next_step(files.dump), HasSubstr("Next: opensm -l 1 -R file,no_fallback -U "));
  const std::string one_each = files.folder.file("one-each", replaced(small_dump, "lmc 1", "lmc 0"));
  EXPECT_THAT(next_step(one_each), HasSubstr("Next: opensm -R file,no_fallback -U "));
}

/// Such a reference is of little use.
TEST(FabricRepair, SaysThatTheReferenceLacksTables) {
  const FabricFiles files;
  const std::string_view whole = small_tables;
  const std::string one = files.folder.file("one", whole.substr(0, whole.find("Unicast lids", 1)));
  const auto answer = json_answer(
      {"fabric", "repair", files.dump, "--tables", files.tables, "--reference", one, "--dry-run"});
  EXPECT_THAT(answer["remarks"].dump(), HasSubstr("reference: "));
  EXPECT_THAT(answer["remarks"].dump(), HasSubstr("no table"));
}

/// What a dump no longer lists is repaired as what is cut.
TEST(FabricRepair, LeadsAroundWhatTheDumpLacks) {
  const FabricFiles files;
  const std::string dump = files.folder.file("later", dump_without_cable());
  const auto answer = json_answer({"fabric", "repair", dump, "--tables", files.tables, "--dry-run"});
  EXPECT_EQ(answer["dead_entries"], 3);
  EXPECT_TRUE(answer["holds"].get<bool>());
  EXPECT_TRUE(answer["tables"].is_null());
  EXPECT_EQ(run_program({"fabric", "verify", dump, "--tables", files.tables}).code, 3) << "as they are";
}

/// Two cables fail one after the other, and the first is repaired: only what the second needs stays changed.
TEST(FabricRepair, GoesBackToTheReference) {
  const FabricFiles files;
  const auto repaired = [&](const std::string& tables, std::vector<std::string> more, const char* out) {
    more.insert(more.begin(), {"fabric", "repair", files.dump, "--tables", tables, "-o", files.path(out)});
    EXPECT_TRUE(json_answer(more)["connected"].get<bool>());
    return entries_for_adapters(files.path(out));
  };
  const auto whole = repaired(files.tables, {}, "whole");
  const std::string reference = files.path("whole/tables.lfts"), later = files.path("first/tables.lfts");
  const auto first = repaired(reference, {"--cut", "spine[1]"}, "first");
  EXPECT_NE(first, whole);
  EXPECT_EQ(repaired(later, {}, "stays"), first) << "nothing needs repair";
  EXPECT_EQ(repaired(later, {"--reference", reference}, "back"), whole);
  EXPECT_EQ(repaired(later, {"--reference", reference, "--cut", "spine[2]"}, "second"),
            repaired(reference, {"--cut", "spine[2]"}, "alone"));
  EXPECT_EQ(
      run_program({"fabric", "repair", files.dump, "--reference", reference, "--engine", "dfsssp"}).code, 2);
}

/// No tables are in use: there is an address for each LID all the same.
TEST(FabricRepair, MakesTablesAfterTheReference) {
  const FabricFiles files;
  const std::string whole = files.path("whole"), made = files.path("made");
  EXPECT_TRUE(json_answer({"fabric", "repair", files.dump, "--tables", files.tables, "-o", whole})["holds"]
                  .get<bool>());
  const auto answer =
      json_answer({"fabric", "repair", files.dump, "--reference", whole + "/tables.lfts", "-o", made});
  EXPECT_TRUE(answer["holds"].get<bool>());
  EXPECT_EQ(entries_for_adapters(made), entries_for_adapters(whole));
}

/// No packet can be sent to it: what is written is judged as when it is read again.
TEST(FabricRepair, DoesNotHoldWhereAnAdapterHasNoLid) {
  const FabricFiles files;
  for (const char* const lid : {"# lid 0 lmc 0", "# lid 50000 lmc 0"}) {
    const std::string dump = files.folder.file("some", replaced(small_dump, "# lid 7 lmc 0", lid));
    const std::string out = files.path(lid);
    const Outcome made = run_program({"fabric", "repair", dump, "-o", out, "--json"});
    EXPECT_EQ(made.code, 3) << lid;
    const auto repaired = nlohmann::json::parse(made.output);
    const auto again = nlohmann::json::parse(run_program({"fabric", "verify", out + "/fabric.ibnetdiscover",
                                                          "--tables", out + "/tables.lfts", "--json"})
                                                 .output);
    EXPECT_EQ(repaired["unreachable_pairs"], 4) << "of the other four ports";
    for (const char* const key : {"holds", "connected", "unreachable_pairs"})
      EXPECT_EQ(repaired[key], again[key]) << lid << ' ' << key;
  }
}

TEST(FabricRepair, RefusesAReferenceOfAnotherFabric) {
  const FabricFiles files;
  const std::string other = files.folder.file(
      "other", "Unicast lids [0x0-0x1] of switch Lid 1 guid 0x1 (a):\n0x0001 000 : (Switch)\n");
  const Outcome outcome = run_program(
      {"fabric", "repair", files.dump, "--tables", files.tables, "--reference", other, "--dry-run"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("reference = '" + other + "': holds no table of a switch of this"));
  const Outcome followed = run_program({"fabric", "verify", files.dump, "--routing", "tables:file=" + other});
  EXPECT_NE(followed.code, 0);
}

TEST(FabricWhatIf, DrawsDifferentSets) {
  const TemporaryFolder folder;
  const std::string out = (folder.path / "out").string();
  (void)json_answer({"fabric", "export", "fat-tree", "k=4", "n=2", "-o", out});
  const auto drawn = [&](const char* failures, const char* samples) {
    std::set<nlohmann::json> different;
    const auto answer =
        nlohmann::json::parse(run_program({"fabric", "whatif", out + "/fabric.ibnetdiscover", "--failures",
                                           failures, "--samples", samples, "--json"})
                                  .output);
    for (const auto& set : answer["by_set"]) different.insert(set["failed"]);
    return different.size();
  };
  EXPECT_EQ(drawn("1", "15"), 15U);  // of 16 cables
  EXPECT_EQ(drawn("2", "110"), 110U);
}

TEST(FabricWhatIf, SaysWhereNothingCanFail) {
  const TemporaryFolder folder;
  const std::string out = (folder.path / "out").string();
  (void)json_answer({"fabric", "export", "fat-tree", "k=2", "n=1", "-o", out});
  const Outcome outcome = run_program({"fabric", "whatif", out + "/fabric.ibnetdiscover"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("has no components of this unit and scope; choose others"));
}

TEST(FabricWhatIf, ExaminesEveryCable) {
  const FabricFiles files;
  const Outcome outcome = run_program({"fabric", "whatif", files.dump, "--tables", files.tables, "--json"});
  EXPECT_EQ(outcome.code, 3) << "leaf 2 has one cable to the others";
  const auto answer = nlohmann::json::parse(outcome.output);
  ASSERT_EQ(answer["by_set"].size(), 3U);
  EXPECT_TRUE(answer["exhaustive"].get<bool>());
  const auto& worst = answer["by_set"][0];
  EXPECT_EQ(worst["failed"], nlohmann::json({"leaf 2[4] - spine[3]"}));
  // Two terminals at leaf 1 with three LIDs, three at leaf 2 with one each: all routes between the leaves.
  EXPECT_EQ(worst["before"]["lost_routes"], 2 * 3 + 3 * 3);
  EXPECT_EQ(worst["after"]["unreachable_pairs"], 2 * (2 * 3));
  for (const auto& set : answer["by_set"]) {
    EXPECT_TRUE(set["after"]["deadlock_free"].get<bool>());
    const auto alone =
        nlohmann::json::parse(run_program({"fabric", "repair", files.dump, "--tables", files.tables, "--json",
                                           "--cut", set["failed"][0].get<std::string>()})
                                  .output);
    for (const char* key : {"lost_routes", "dead_entries", "crossed_entries"})
      EXPECT_EQ(set["before"][key], alone[key]) << key;
    for (const char* key : {"unreachable_pairs", "changed_entries", "max_link_load"})
      EXPECT_EQ(set["after"][key], alone[key]) << key;
  }
  const auto pairs = nlohmann::json::parse(
      run_program({"fabric", "whatif", files.dump, "--tables", files.tables, "--failures", "2", "--json"})
          .output);
  EXPECT_EQ(pairs["sets"], 3);
  const auto drawn = nlohmann::json::parse(
      run_program({"fabric", "whatif", files.dump, "--tables", files.tables, "--samples", "2", "--json"})
          .output);
  EXPECT_FALSE(drawn["exhaustive"].get<bool>());
  ASSERT_EQ(drawn["sets"], 2);
  for (const auto& set : drawn["by_set"]) EXPECT_THAT(answer["by_set"], testing::Contains(set));
  const Outcome stale = run_program({"fabric", "whatif", files.dump, "--tables", files.tables, "--engine",
                                     "tables", "--list", "1", "--unit", "switch"});
  EXPECT_EQ(stale.code, 3);
  EXPECT_THAT(stale.output, HasSubstr("all 3 sets of 1 failure (unit switch, scope network)"));
}

/// A switch that takes its adapters with it loses no routes between the others.
TEST(FabricWhatIf, CountsFailuresThatCutAdaptersOff) {
  const TemporaryFolder folder;
  const std::string one = (folder.path / "one").string();
  EXPECT_EQ(json_answer({"fabric", "export", "fat-tree", "k=2", "n=1", "-o", one})["switches"], 1);
  const Outcome whatif = run_program({"fabric", "whatif", one + "/fabric.ibnetdiscover", "--unit", "switch"});
  EXPECT_THAT(whatif.output, HasSubstr("whatever is loaded: 1 set cuts adapters off"));
}

/// The tables that are written can deadlock, which is known when they are: as `fabric verify` says of them.
TEST(FabricExport, SaysThatTablesHoldNoServiceLevels) {
  const TemporaryFolder folder;
  const auto asked = [&](const std::string& routing, const std::string& radix) {
    return std::vector<std::string>{"fabric",    "export", "torus", "radix=" + radix,
                                    "--routing", routing,  "-o",    (folder.path / routing).string()};
  };
  const auto holds = [&](const std::string& routing) {
    const std::string out = (folder.path / routing).string();
    return run_program({"fabric", "verify", out + "/fabric.ibnetdiscover", "--tables", out + "/tables.lfts"})
               .code == 0;
  };
  const auto whole = json_answer(asked("repair", "5x5"));
  EXPECT_EQ(whole["virtual_channels"], 1);
  EXPECT_TRUE(whole["holds"].get<bool>());
  EXPECT_TRUE(holds("repair"));
  std::vector<std::string> several = asked("dfsssp", "5x5");
  const Outcome text = run_program(several);
  EXPECT_EQ(text.code, 3);
  EXPECT_THAT(text.output, HasSubstr("tables hold no service levels"));
  EXPECT_THAT(text.output, HasSubstr("do not load them"));
  several.emplace_back("--json");
  const Outcome json = run_program(several);
  EXPECT_EQ(json.code, 3);
  EXPECT_GT(nlohmann::json::parse(json.output)["virtual_channels"], 1);
  EXPECT_FALSE(nlohmann::json::parse(json.output)["holds"].get<bool>());
  EXPECT_FALSE(holds("dfsssp"));
}

/// On a torus dimension-order needs bubbles or two virtual channels, and tables say nothing of either; tables
/// without an entry for a port leave its adapter without packets.
TEST(FabricExport, VerifiesWhatItWrites) {
  const FabricFiles files;
  const auto exported = [&](const std::vector<std::string>& words) {
    std::vector<std::string> asked{"fabric", "export"};
    asked.insert(asked.end(), words.begin(), words.end());
    const std::string out = files.path("exported");
    asked.insert(asked.end(), {"-o", out, "--json"});
    const Outcome outcome = run_program(asked);
    const int verdict =
        run_program({"fabric", "verify", out + "/fabric.ibnetdiscover", "--tables", out + "/tables.lfts"})
            .code;
    EXPECT_EQ(outcome.code, verdict) << outcome.errors;
    return nlohmann::json::parse(outcome.output);
  };
  const auto ring = exported({"torus", "radix=5x5", "--routing", "dimension-order"});
  EXPECT_EQ(ring["virtual_channels"], 1);
  EXPECT_FALSE(ring["holds"].get<bool>());
  EXPECT_THAT(ring["remarks"].at(0).get<std::string>(), HasSubstr("can deadlock"));
  EXPECT_TRUE(exported({"mesh", "radix=5x5", "--routing", "dimension-order"})["holds"].get<bool>());
  const std::string less = files.folder.file(
      "less", without_line(std::string(small_tables), "0x0006 002"));  // leaf 1 to its own host b
  const auto some = exported({"fabric", "file=" + files.dump, "tables=" + less, "--routing", "tables"});
  EXPECT_FALSE(some["holds"].get<bool>());
  EXPECT_THAT(some["remarks"].back().get<std::string>(), HasSubstr("pairs of adapters unconnected"));
}

/// A ring of switches: the shortest paths of dfsssp need two virtual lanes.
TEST(FabricRepair, SaysThatTablesHoldNoServiceLevels) {
  const TemporaryFolder folder;
  const std::string ring = (folder.path / "ring").string();
  EXPECT_EQ(json_answer({"fabric", "export", "torus", "radix=5", "-o", ring})["switches"], 5);
  const std::string dump = ring + "/fabric.ibnetdiscover", tables = ring + "/tables.lfts";
  const Outcome outcome = run_program({"fabric", "repair", dump, "--tables", tables, "--engine", "dfsssp"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.output, HasSubstr("tables hold no service levels"));
  EXPECT_THAT(outcome.output, HasSubstr("not by tables alone; proved by acyclic-dependencies, on 2 virtual"));
  const auto answer = nlohmann::json::parse(
      run_program({"fabric", "repair", dump, "--tables", tables, "--engine", "dfsssp", "--json"}).output);
  EXPECT_FALSE(answer["deadlock_free"].get<bool>());
  EXPECT_FALSE(answer["holds"].get<bool>());
  EXPECT_EQ(answer["virtual_channels"], 2);
  const std::string written = (folder.path / "written").string();
  const auto verify = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"fabric", "verify", dump, "--json"});
    return nlohmann::json::parse(run_program(more).output);
  };
  EXPECT_TRUE(verify({"--routing", "dfsssp"})["holds"].get<bool>());
  EXPECT_FALSE(verify({"--routing", "dfsssp", "--tables-out", written})["holds"].get<bool>());
  EXPECT_FALSE(verify({"--tables", written})["holds"].get<bool>());
  EXPECT_EQ(run_program({"fabric", "whatif", dump, "--engine", "dfsssp"}).code, 0)
      << "without any one cable it is a line";
  EXPECT_THAT(run_program({"fabric", "verify", dump, "--tables", written}).output,
              HasSubstr("\nNext: faultline fabric repair "));
  EXPECT_THAT(run_program({"fabric", "verify", dump}).output, HasSubstr("\nnote: no tables are given"));
  const Outcome in_use = run_program({"fabric", "whatif", dump, "--tables", written});
  EXPECT_EQ(in_use.code, 3);
  EXPECT_THAT(in_use.output, HasSubstr("DOES NOT HOLD: the tables in use are not proved free of deadlock"));
  const Outcome watch = run_program({"fabric", "watch", dump, "--tables", tables, "--engine", "dfsssp", "-o",
                                     (folder.path / "out").string(), "--rounds", "1"});
  EXPECT_THAT(watch.output, HasSubstr("nothing is written"));
  EXPECT_EQ(watch.code, 2);
}

/// No tables connect it, and those in use lose as much: whoever repairs it by hand loads what `watch` loads.
TEST(FabricRepair, HasTablesLoadedForAFabricThatIsSplit) {
  const TemporaryFolder folder;
  const std::string tree = (folder.path / "tree").string(), out = (folder.path / "out").string();
  EXPECT_EQ(json_answer({"fabric", "export", "fat-tree", "k=2", "n=2", "-o", tree})["switches"], 4);
  const std::string tables = tree + "/tables.lfts", command = "touch " + (folder.path / "loaded").string();
  const Outcome repair = run_program({"fabric", "repair", tree + "/fabric.ibnetdiscover", "--tables", tables,
                                      "--cut", "s0.0[3]", "--cut", "s0.0[4]", "-o", out});
  EXPECT_EQ(repair.code, 3);
  EXPECT_THAT(repair.output, HasSubstr("no: 8 pairs may fail to arrive"));
  EXPECT_THAT(repair.output, HasSubstr("these tables connect all that can be\nNext: opensm"));
  EXPECT_THAT(run_program({"fabric", "repair", tree + "/fabric.ibnetdiscover", "--tables", tables, "--cut",
                           "s0.0[3]", "--cut", "s0.0[4]", "--dry-run"})
                  .output,
              HasSubstr("these tables connect all that can be\nnothing is written (--dry-run)"));
  const std::string split = folder.file("split", read_file(out + "/fabric.ibnetdiscover", "test"));
  const Outcome watch = run_program(
      {"fabric", "watch", split, "--tables", tables, "-o", out + "2", "--rounds", "1", "--command", command});
  EXPECT_EQ(watch.code, 3) << watch.errors;
  EXPECT_TRUE(std::filesystem::exists(folder.path / "loaded")) << watch.output;
}

/// Switches answer requests of management from everywhere, whoever else sends packets through them.
TEST(FabricRepair, LeavesNoSwitchWithoutAnswers) {
  const TemporaryFolder folder;
  const std::string tree = (folder.path / "tree").string(), out = (folder.path / "out").string();
  EXPECT_EQ(json_answer({"fabric", "export", "fat-tree", "k=4", "n=2", "-o", tree})["switches"], 8);
  for (const char* seed : {"1", "2", "3"}) {
    const auto answer = json_answer({"fabric", "repair", tree + "/fabric.ibnetdiscover", "--tables",
                                     tree + "/tables.lfts", "--cut-links", "2", "--seed", seed, "-o", out});
    EXPECT_EQ(answer["total_entries"], 8 * 16);
    const auto fabric = infiniband::read_fabric(out + "/fabric.ibnetdiscover", "test");
    const auto tables = infiniband::read_forwarding_tables(out + "/tables.lfts", "test");
    const auto far = testing_support::far_ends(fabric);
    for (std::uint32_t start = 0; start < 8; ++start)
      for (std::uint32_t target = 8; target < fabric.nodes.size(); ++target) {
        std::uint32_t at = start;
        for (int hops = 0; hops < 8 && fabric.nodes[at].type == infiniband::NodeType::switch_; ++hops)
          at = far.at({at,
                       *tables.find(fabric.nodes[at].guid)->port(fabric.nodes[target].end_ports.front().lid)})
                   .node;
        EXPECT_EQ(at, target);
      }
  }
}

}  // namespace
}  // namespace faultline
