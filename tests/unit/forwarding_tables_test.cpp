// SPDX-License-Identifier: Apache-2.0
// Forwarding tables are read in every dialect that the tools print, and written in the one that OpenSM loads.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faultline/base/error.h"
#include "faultline/base/file.h"
#include "faultline/infiniband/forwarding_tables.h"
#include "faultline/infiniband/table_match.h"
#include "support/error_message.h"
#include "support/replaced.h"
#include "support/shared_folder.h"
#include "support/small_fabric.h"

namespace faultline::infiniband {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint8_t none = ForwardingTable::no_entry;

std::string message_on_tables(std::string_view text) {
  return testing_support::error_message([&] { (void)parse_forwarding_tables(text, "lfts"); });
}

TEST(ForwardingTables, ReadsEachDialect) {
  const auto expect_read = [](std::string_view text) {
    const ForwardingTables tables = parse_forwarding_tables(text, "lfts");
    ASSERT_EQ(tables.switches.size(), 1U) << text;
    EXPECT_EQ(tables.switches[0].switch_guid, 0x200000U) << text;
    EXPECT_THAT(tables.switches[0].ports, ElementsAre(none, 3, none, 0)) << text;
    EXPECT_THAT(tables.remarks, ElementsAre()) << text;
    EXPECT_EQ(tables.switches[0].entry_count(), 2U);
    EXPECT_EQ(tables.switches[0].port(1), 3);
    EXPECT_EQ(tables.switches[0].port(2), std::nullopt);
    EXPECT_EQ(tables.switches[0].port(40), std::nullopt);
  };
  expect_read(  // ibroute
      "Unicast lids [0x0-0x3] of switch Lid 3 guid 0x0000000000200000 (leaf0):\n  Lid  Out   Destination\n"
      "       Port     Info \n0x0001 003 : (Channel Adapter portguid 0x0000000000100001: 'h0')\n"
      "0x0003 000 : (Switch portguid 0x0000000000200000: 'leaf0')\n2 valid lids dumped \n");
  expect_read(  // dump_fts
      "Unicast lids [0x0-0x3] of switch DR path slid 0; dlid 0; 0,1,3,3 guid 0x0000000000200000 (leaf0):\n"
      "0x0001 003 : (Channel Adapter portguid 0x0000000000100001: 'h0')\n0x0003 000 : ()\n2 lids dumped\n"
      "Multicast mlids [0xc000-0xc3ff] of switch Lid 3 guid 0x0000000000200000 (leaf0):\n 0xc000 x\n0xc001 "
      "x\n");
  expect_read(  // opensm-lfts.dump
      "Unicast lids [0-3] of switch Lid 3 guid 0x0000000000200000 ('leaf0'):\n"
      "0x0001 003 # Channel Adapter portguid 0x0000000000100001: 'h0'\n0x0003 000 # 'leaf0'\n2 lids "
      "dumped\n");
  expect_read(  // opensm.fdbs
      "dump_ucast_routes: Switch 0x0000000000200000\nLID    : Port : Hops : Optimal\n0x0001 : 003  : 01   : "
      "yes\n"
      "0x0002 : UNREACHABLE\n0x0003 : 000  : 00   : yes\n");
  expect_read("# ours\nUnicast lids of switch guid 0x200000 \n0x1 3\n# a remark\n0x3 0\n");
}

/// Names of nodes are any text; what a line is stands at its beginning.
TEST(ForwardingTables, AreReadWhateverNodesAreCalled) {
  const ForwardingTables tables = parse_forwarding_tables(small_tables, "lfts");
  for (const char* const name :
       {"Unicast lids", "lids dumped", "8 lids dumped", "Multicast mlids", "# remark",
        "0x0004 002 :", "dump_ucast_routes: Switch 0x5", " guid 0x77", "portguid 0x99: 'x'"}) {
    Fabric fabric = parse_ibnetdiscover(small_dump, "dump");
    for (Node& node : fabric.nodes) node.description = name;
    const ForwardingTables again = parse_forwarding_tables(to_lft_dump(tables, fabric), "again");
    EXPECT_EQ(again.switches, tables.switches) << name;
    EXPECT_EQ(again.port_guids, tables.port_guids) << name;
    EXPECT_THAT(again.remarks, ElementsAre()) << name;
  }
}

/// As OpenSM reads them, which skips blanks at the beginning of a line.
TEST(ForwardingTables, MayBeIndented) {
  for (const char* const indent : {" ", "\t", "    "}) {
    std::string text = indent;
    for (const char c : small_tables.substr(0, small_tables.size() - 1)) {
      text += c;
      if (c == '\n') text += indent;
    }
    const ForwardingTables tables = parse_forwarding_tables(text + "\n", "lfts");
    EXPECT_EQ(tables.switches, parse_forwarding_tables(small_tables, "lfts").switches);
    EXPECT_THAT(tables.remarks, ElementsAre());
  }
}

TEST(ForwardingTables, MayBeginWithAByteOrderMark) {
  const auto tables = parse_forwarding_tables("\xEF\xBB\xBF" + std::string(small_tables), "lfts");
  EXPECT_EQ(tables.switches.size(), 3U);
  EXPECT_EQ(tables.switches.front().entry_count(),
            parse_forwarding_tables(small_tables, "lfts").switches.front().entry_count());
}

TEST(ForwardingTables, RemarksOnATableThatAToolCutShort) {
  const ForwardingTables tables = parse_forwarding_tables(
      "Unicast lids [0x0-0x40] of switch Lid 3 guid 0x1 (a):\n0x003f 001\n1 lids dumped\n", "lfts");
  EXPECT_THAT(tables.remarks, ElementsAre("line 2: the table of 0x0000000000000001 ends at LID 63 of 64"));
}

TEST(ForwardingTables, RefusesWhatIsNoWholeDump) {
  EXPECT_THAT(message_on_tables(""), HasSubstr("lfts: tables: is empty; must be a dump of ibroute"));
  EXPECT_THAT(message_on_tables("0x0001 001\n"), HasSubstr("holds no table"));
  EXPECT_THAT(message_on_tables("Unicast lids [0x0-0x3] of switch Lid 1\n"),
              HasSubstr("lfts:1: table = 'Unicast lids [0x0-0x3] of switch Lid 1': must name its switch"));
  const std::string header = "Unicast lids [0x0-0x3] of switch Lid 1 guid 0x1 (a):\n";
  EXPECT_EQ(message_on_tables(header + "0x0001 001\n"),
            "lfts:2: tables = '0x0001': the file ends here, but this table goes up to LID 0x0003; take the "
            "dump again");
  EXPECT_THAT(message_on_tables("0x0001 001\n0x0002 001\n" + header + "0x0001 001\n0x0003 001\n"),
              HasSubstr("lfts:1: entry = '0x0001 001': must stand in a table"));
  EXPECT_THAT(message_on_tables(header + "0x0001 00"), HasSubstr("the file ends in the middle of this line"));
  EXPECT_THAT(
      message_on_tables(header + "0x0001 256\n"),
      HasSubstr("lfts:2: entry = '0x0001 256': must be written 0xLID PORT ..., with ports from 0 to 255"));
  EXPECT_THAT(message_on_tables(header + "0x0001 -1\n"), HasSubstr("ports from 0 to 255"));
  EXPECT_THAT(message_on_tables(header + "0xc000 1\n"),
              HasSubstr("must be a unicast LID, from 0x1 to 0xbfff"));
  EXPECT_THAT(message_on_tables(header + "0x0003 1\n0x0003 2\n"),
              HasSubstr("lfts:3: entry = '0x0003': must be given once in a table"));
  for (const char* const twice : {"0x0001 : UNREACHABLE\n0x0001 001\n", "0x0001 001\n0x0001 : UNREACHABLE\n",
                                  "0x0001 255\n0x0001 001\n"})
    EXPECT_THAT(message_on_tables(header + twice + "0x0003 1\n"),
                HasSubstr("lfts:3: entry = '0x0001': must be given once in a table; line 2 gives it as well"))
        << twice;
  EXPECT_THAT(message_on_tables(header + "0x0003 1\n" + header),
              HasSubstr("this is the switch's second table"));
}

TEST(ForwardingTables, RoundTripsThroughTheWriter) {
  const ForwardingTables tables = parse_forwarding_tables(small_tables, "lfts");
  EXPECT_EQ(to_lft_dump(tables, parse_ibnetdiscover(small_dump, "dump")), small_tables);
}

std::vector<std::string> match(std::string_view tables, std::string_view dump = small_dump) {
  return remarks_on_match(parse_forwarding_tables(tables, "lfts"), parse_ibnetdiscover(dump, "dump"));
}

TEST(ForwardingTables, FitTheirOwnFabric) {
  EXPECT_THAT(match(small_tables), ElementsAre()) << "the entry that is missing is for the LID of a switch";
}

TEST(ForwardingTables, OfAnotherSwitchDoNotFit) {
  EXPECT_THAT(match(replaced(small_tables, " guid 0x00000000000000b1", " guid 0x0000000000000099")),
              ElementsAre("1 table is of a switch that the fabric does not have: GUID 0x0000000000000099",
                          "1 switch has no table: \"spine\" (S-00000000000000b1)"));
}

TEST(ForwardingTables, WhoseEntriesCannotLeadToTheAdapterDoNotFit) {
  const std::string leaf = "\"leaf 2\" (S-00000000000000a2)";
  EXPECT_THAT(match(replaced(small_tables, "0x0007 001", "0x0007 255")),
              ElementsAre("1 entry for the LID of an adapter is missing: LID 7 at " + leaf));
  EXPECT_THAT(match(replaced(small_tables, "0x0007 001", "0x0007 000")),
              ElementsAre("1 entry for the LID of an adapter leads to the switch itself: LID 7 at " + leaf +
                          ", port 0"));
  EXPECT_THAT(match(replaced(small_tables, "0x0007 001", "0x0007 003")),
              ElementsAre("1 entry leads to an adapter port that does not have the LID: LID 7 at " + leaf +
                          ", port 3, to \"twin\" (H-00000000000000f1)"));
  EXPECT_THAT(match(replaced(small_tables, "0x0008 002", "0x0008 003")),
              ElementsAre(HasSubstr("LID 8 at " + leaf + ", port 3, to \"twin\"")))
      << "the adapter's other port";
  EXPECT_THAT(match(replaced(replaced(small_tables, "0x0005 002", "0x0005 004"), "0x0008 003", "0x0008 004")),
              ElementsAre("2 entries lead to ports without a cable; the first: LID 5 at \"spine\" "
                          "(S-00000000000000b1), port 4"))
      << "5 is the second LID of an adapter port with LMC 1";
}

/// Packets to switches, as those to a subnet manager in one of them, are not in the verdict on adapters.
TEST(ForwardingTables, WhoseEntriesForSwitchesLeadTheWrongWayDoNotFit) {
  const std::string two_switches =
      "Switch\t8 \"S-0000000000000001\"\t\t# \"a\" base port 0 lid 1 lmc 0\n"
      "[2]\t\"S-0000000000000002\"[2]\t\t# \"b\" lid 2 4xQDR\n"
      "[4]\t\"H-0000000000000011\"[1](12)\t\t# \"h\" lid 3 4xQDR\n\n"
      "Switch\t8 \"S-0000000000000002\"\t\t# \"b\" base port 0 lid 2 lmc 0\n"
      "[2]\t\"S-0000000000000001\"[2]\t\t# \"a\" lid 1 4xQDR\n\n"
      "Ca\t1 \"H-0000000000000011\"\t\t# \"h\"\n"
      "[1](12)\t\"S-0000000000000001\"[4]\t\t# lid 3 lmc 0 \"a\" lid 1 4xQDR\n";
  const auto remarks = [&](int own, int at_a, int at_b) {
    return match(fmt::format("Unicast lids [0x0-0x3] of switch Lid 1 guid 0x0000000000000001 (a):\n"
                             "0x0001 {:03}\n0x0002 {:03}\n0x0003 004\n"
                             "Unicast lids [0x0-0x3] of switch Lid 2 guid 0x0000000000000002 (b):\n"
                             "0x0001 {:03}\n0x0002 000\n0x0003 002\n",
                             own, at_a, at_b),
                 two_switches);
  };
  EXPECT_THAT(remarks(0, 2, 2), ElementsAre());
  EXPECT_THAT(remarks(0, 255, 255), ElementsAre()) << "OpenSM's engines leave some out";
  const std::string at_a = " at \"a\" (S-0000000000000001), port ";
  EXPECT_THAT(
      remarks(4, 2, 2),
      ElementsAre("1 entry for a switch's own LID does not lead to the switch itself: LID 1" + at_a + "4"));
  EXPECT_THAT(
      remarks(0, 0, 2),
      ElementsAre("1 entry for the LID of another switch leads to the switch itself: LID 2" + at_a + "0"));
  EXPECT_THAT(
      remarks(0, 4, 2),
      ElementsAre(HasSubstr("1 entry leads to an adapter port that does not have the LID: LID 2" + at_a)));
  EXPECT_THAT(remarks(0, 7, 2), ElementsAre("1 entry leads to a port without a cable: LID 2" + at_a + "7"));
}

TEST(ForwardingTables, WhoseEntriesForASwitchLeadInACircleDoNotFit) {
  std::string dump, tables;  // a ring, on which port 1 leads on
  for (int i = 1; i <= 4; ++i) {
    dump += fmt::format(
        "Switch\t8 \"S-000000000000000{0}\"\t\t# \"s{0}\" base port 0 lid {0} lmc 0\n"
        "[1]\t\"S-000000000000000{1}\"[2]\t\t# \"s{1}\" lid {1} 4xQDR\n"
        "[2]\t\"S-000000000000000{2}\"[1]\t\t# \"s{2}\" lid {2} 4xQDR\n\n",
        i, i % 4 + 1, (i + 2) % 4 + 1);
    tables += fmt::format("Unicast lids [0x0-0x4] of switch Lid {0} guid 0x000000000000000{0} (s{0}):\n", i);
    for (int lid = 1; lid <= 4; ++lid) tables += fmt::format("0x000{} {:03}\n", lid, lid == i ? 0 : 1);
  }
  EXPECT_THAT(match(tables, dump), ElementsAre());
  const std::string third = "guid 0x0000000000000003 (s3):\n0x0001 00";
  EXPECT_THAT(match(replaced(tables, third + "1", third + "2"), dump),
              ElementsAre("1 LID of a switch has entries that lead in a circle: LID 1 of \"s1\" "
                          "(S-0000000000000001), at \"s2\" (S-0000000000000002)"));
}

/// As it is written after the switch was cut: its record stays, and its table is empty.
TEST(ForwardingTables, NeedNoEntriesAtASwitchWithoutACable) {
  const std::string first = "guid 0x00000000000000b1 (spine):\n", text(small_tables);
  const std::string empty = text.substr(0, text.find(first) + first.size()) + "0 lids dumped\n";
  const std::string without = text.substr(0, text.rfind("Unicast lids"));
  Fabric cut = parse_ibnetdiscover(small_dump, "dump");
  const auto remarks = [&](const std::string& tables) {
    return remarks_on_match(parse_forwarding_tables(tables, "lfts"), cut);
  };
  EXPECT_THAT(remarks(empty), ElementsAre(HasSubstr("6 entries for the LIDs of adapters are missing")));
  EXPECT_THAT(remarks(without), ElementsAre(HasSubstr("1 switch has no table")));
  std::erase_if(cut.cables, [&](const Cable& cable) {
    return cut.nodes[cable.a.node].description == "spine" || cut.nodes[cable.b.node].description == "spine";
  });
  EXPECT_THAT(remarks(empty), ElementsAre(HasSubstr("entries lead to ports without a cable")))
      << "those of the leaves, towards each other";
  EXPECT_THAT(remarks(without), ElementsAre(HasSubstr("entries lead to ports without a cable")));
}

TEST(ForwardingTables, AreOfTheFabricWhosePortsTheyName) {
  EXPECT_THAT(
      match(replaced(small_tables, "0x00000000000000d2: 'host b'", "0x00000000000000e2: 'host b'")),
      ElementsAre("1 LID belongs to another port than the tables say (dumped at another time?): LID 6 of "
                  "\"host b\" (H-00000000000000d1), port GUID 0x00000000000000d2, in the tables "
                  "0x00000000000000e2"));
}

TEST(ForwardingTables, AreOfOneTime) {
  std::string tables(small_tables);
  const std::size_t last = tables.rfind("0x00000000000000d2: 'host b'");
  tables.replace(last, 18, "0x00000000000000e2");
  EXPECT_THAT(match(tables), testing::Contains(testing::HasSubstr("1 LID belongs to another port")));
}

TEST(ForwardingTables, AnnounceNoLidBeyondTheirLastEntry) {
  ForwardingTables tables;
  constexpr std::uint8_t no_entry = ForwardingTable::no_entry;
  tables.switches.push_back({0xa1, {no_entry, 0, no_entry, 3, no_entry}});
  const std::string text = to_lft_dump(tables, parse_ibnetdiscover(small_dump, "dump"));
  EXPECT_THAT(parse_forwarding_tables(text, "again").remarks, ElementsAre());
}

TEST(ForwardingTables, LeadToNoAdapterWithoutALid) {
  EXPECT_THAT(match(small_tables, replaced(small_dump, "# lid 7 lmc 0", "# lid 0 lmc 0")),
              ElementsAre("1 adapter port has no unicast LID: \"host b\" (H-00000000000000e1), port 1",
                          "1 LID in the tables belongs to no port of the fabric: LID 7"));
}

TEST(ForwardingTables, OfARealFabricFit) {
  FAULTLINE_SHARED_FILE(dump, "fabrics/avakas.ibnetdiscover");
  FAULTLINE_SHARED_FILE(lfts, "fabrics/avakas.lfts");
  EXPECT_THAT(remarks_on_match(read_forwarding_tables(lfts, "tables"), read_fabric(dump, "file")),
              ElementsAre());
}

TEST(ForwardingTables, OfARealFabricRoundTrip) {
  FAULTLINE_SHARED_FILE(dump, "fabrics/avakas.ibnetdiscover");
  FAULTLINE_SHARED_FILE(lfts, "fabrics/avakas.lfts");
  const ForwardingTables tables = read_forwarding_tables(lfts, "tables");
  EXPECT_EQ(tables.switches.size(), 25U);
  EXPECT_THAT(tables.remarks, ElementsAre());
  std::size_t entries = 0;
  for (const ForwardingTable& table : tables.switches) entries += table.entry_count();
  EXPECT_EQ(entries, 7650U);
  const ForwardingTables again =
      parse_forwarding_tables(to_lft_dump(tables, read_fabric(dump, "dump")), "again");
  EXPECT_EQ(again.switches, tables.switches);
}

}  // namespace
}  // namespace faultline::infiniband
