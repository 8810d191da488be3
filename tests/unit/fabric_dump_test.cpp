// SPDX-License-Identifier: Apache-2.0
// Real dumps are read correctly, and an incomplete dump is refused with one clear message.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "faultline/base/error.h"
#include "faultline/base/file.h"
#include "faultline/infiniband/fabric.h"
#include "faultline/infiniband/lids.h"
#include "support/error_message.h"
#include "support/replaced.h"
#include "support/shared_folder.h"
#include "support/small_fabric.h"

namespace faultline::infiniband {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsSupersetOf;

std::string message_on_dump(std::string_view text) {
  return testing_support::error_message([&] { (void)parse_ibnetdiscover(text, "dump"); });
}

std::size_t switch_cables(const Fabric& fabric) {
  return static_cast<std::size_t>(std::ranges::count_if(fabric.cables, [&](const Cable& cable) {
    return fabric.nodes[cable.a.node].type == NodeType::switch_ &&
           fabric.nodes[cable.b.node].type == NodeType::switch_;
  }));
}

TEST(FabricDump, ReadsEveryFieldOfARecord) {
  const Fabric fabric = parse_ibnetdiscover(small_dump, "dump");
  ASSERT_EQ(fabric.nodes.size(), 7U);
  const Node leaf{.type = NodeType::switch_,
                  .id = "S-00000000000000a1",
                  .guid = 0xa1,
                  .description = "leaf # 1",
                  .port_count = 4,
                  .is_enhanced = true,
                  .vendor = 0x2c9,
                  .device = 0xbd36,
                  .system_guid = 0xaf,
                  .end_ports = {{.number = 0, .guid = 0xa0, .lid = 1, .lmc = 0}}};
  EXPECT_EQ(fabric.nodes[0], leaf);
  const Node adapter{.type = NodeType::adapter,
                     .id = "H-00000000000000c1",
                     .guid = 0xc1,
                     .description = "host \"a\" HCA-1",
                     .port_count = 2,
                     .end_ports = {{.number = 1, .guid = 0xc2, .lid = 4, .lmc = 1}}};
  EXPECT_EQ(fabric.nodes[3], adapter);
  ASSERT_EQ(fabric.cables.size(), 8U);
  EXPECT_EQ(fabric.cables[0], (Cable{{0, 1}, {3, 1}, "4x", "QDR"}));
  EXPECT_EQ(fabric.cables[2], (Cable{{0, 3}, {2, 1}, "4x", "FDR10"}));
  EXPECT_THAT(fabric.remarks,
              ElementsAreArray({"name \"host b\" is shared by H-00000000000000d1, H-00000000000000e1",
                                "links have 2 rates, and all are treated alike: 1 of 4xFDR10, 7 of 4xQDR"}));
}

/// A name map may give such names; what would disturb a terminal is replaced.
TEST(FabricDump, KeepsNamesInUtf8) {
  const auto described = [](const std::string& name) {
    const Fabric fabric = parse_ibnetdiscover(replaced(small_dump, "leaf # 1", name), "dump");
    EXPECT_EQ(parse_ibnetdiscover(to_ibnetdiscover(fabric), "again").nodes, fabric.nodes);
    return fabric.nodes[0].description;
  };
  EXPECT_EQ(described("Schrank-\u00fc"), "Schrank-\u00fc");
  EXPECT_EQ(described("\u68da 1 \U0001f984"), "\u68da 1 \U0001f984");
  EXPECT_EQ(described("a\xfc\x1b[2J\u200e\tb"), "a??[2J? b") << "Latin 1, escape, left-to-right mark, tab";
}

TEST(FabricDump, ReadsAHandWrittenNetFile) {
  const Fabric fabric = parse_ibnetdiscover(
      "# a comment\ninclude \"other\"\nSwitch 8 \"sw 1\"\n[1] \"h1\"[1]\n# inside\n[2] \"h2\"\n[3] "
      "\"h3\"[1] # \"\" lid 9\n@x \"h4\"\n\n"
      "Hca 1 \"h1\"\n[1] \"sw 1\"[1]\n\nHca 2 \"h2\"\n[2] \"sw 1\"[2] w=4x s=2.5\n\nCa 1 \"h3\"\n\nRt 1 "
      "\"r\"\n",
      "net");
  EXPECT_EQ(fabric.count(NodeType::adapter), 3U);
  EXPECT_THAT(fabric.cables, ElementsAre(Cable{{0, 1}, {1, 1}, "", ""}, Cable{{0, 2}, {2, 2}, "", ""},
                                         Cable{{0, 3}, {3, 1}, "", ""}));
  EXPECT_THAT(fabric.nodes[3].end_ports, ElementsAre(EndPort{.number = 1, .lid = 9}));
  EXPECT_THAT(fabric.remarks,
              testing::Contains(HasSubstr("\"sw 1\"[3] - \"h3\"[1] is listed at this end only")));
}

TEST(FabricDump, KnowsAPortFromItsSwitchAlone) {
  const Fabric fabric = parse_ibnetdiscover(
      replaced(small_dump, "[1](d2) \t\"S-00000000000000a1\"[2]\t\t# lid 6 lmc 0 \"leaf # 1\" lid 1 4xQDR\n",
               ""),
      "dump");
  EXPECT_THAT(fabric.nodes[4].end_ports, ElementsAre(EndPort{.number = 1, .guid = 0xd2, .lid = 6}));
}

TEST(FabricDump, RemarksOnRatesOnlyWhereTheyDiffer) {
  const auto remarks = [](std::string_view first, std::string_view second) {
    return parse_ibnetdiscover(fmt::format("Switch 4 \"s\"\n[1] \"a\"[1] # \"a\" lid 1 {0}\n"
                                           "[2] \"b\"[1] # \"b\" lid 2 {1}\n\n"
                                           "Ca 1 \"a\"\n[1] \"s\"[1] # lid 1 lmc 0 \"s\" lid 3 {0}\n\n"
                                           "Ca 1 \"b\"\n[1] \"s\"[2] # lid 2 lmc 0 \"s\" lid 3 {1}\n",
                                           first, second),
                               "dump")
        .remarks;
  };
  EXPECT_THAT(remarks("4xEDR", "4xEDR"), ElementsAre());
  EXPECT_THAT(remarks("", ""), ElementsAre());
  EXPECT_THAT(remarks("4xEDR", "12xEDR"),
              ElementsAre("links have 2 rates, and all are treated alike: 1 of 12xEDR, 1 of 4xEDR"));
}

TEST(FabricDump, CountsOdditiesOfOneSort) {
  const Fabric fabric = parse_ibnetdiscover(
      "Switch 8 \"s\"\n[1] \"a\"[1]\n[2] \"b\"[1]\n[3] \"c\"[1]\n\n"
      "Ca 1 \"a\"\n\nCa 1 \"b\"\n\nCa 1 \"c\"\n[1] \"s\"[3]\n\nCa 1 \"d\"\n",
      "net");
  EXPECT_THAT(fabric.remarks, ElementsAre("line 2: \"s\"[1] - \"a\"[1] is listed at this end only (1 more "
                                          "like this)",
                                          "\"d\" has no cable"));
}

TEST(FabricDump, RemarksOnCablesThatCarryNoTraffic) {
  const Fabric fabric = parse_ibnetdiscover(
      "Switch 8 \"s\"\n[1] \"a\"[1]\n[2] \"s\"[3]\n[3] \"s\"[2]\n\n"
      "Ca 2 \"a\"\n[1] \"s\"[1]\n[2] \"b\"[1]\n\nCa 1 \"b\"\n[1] \"a\"[2]\n",
      "net");
  EXPECT_THAT(fabric.remarks, ElementsAre("\"a\"[2] - \"b\"[1] passes no switch; left out",
                                          "\"s\"[2] - \"s\"[3] leads back to its switch; left out"));
}

/// A port with LMC 2 takes packets for four LIDs that differ in their last two bits only.
TEST(FabricDump, RemarksOnLidsThatDoNotFitTheirLmc) {
  const auto remarks = [](std::string_view lid) {
    return parse_ibnetdiscover(replaced(small_dump, "# lid 9 lmc 0", fmt::format("# lid {}", lid)), "dump")
        .remarks;
  };
  EXPECT_THAT(remarks("12 lmc 2"), testing::Not(testing::Contains(HasSubstr("LMC"))));
  for (const char* lid : {"13 lmc 2", "14 lmc 2", "15 lmc 2"})
    EXPECT_THAT(
        remarks(lid),
        testing::Contains(HasSubstr("of H-00000000000000f1[2], whose LMC is 2, is no multiple of 4")));
}

TEST(FabricDump, RefusesLidsThatDoNotExist) {
  EXPECT_THAT(message_on_dump(replaced(small_dump, "# lid 6 lmc 0", "# lid 65536 lmc 0")),
              HasSubstr("lid LID, from 0 to 65535"));
  EXPECT_THAT(message_on_dump(replaced(small_dump, "# lid 6 lmc 0", "# lid 6 lmc 8")),
              HasSubstr("lmc LMC, from 0 to 7"));
  EXPECT_THAT(message_on_dump(replaced(small_dump, "# lid 6 lmc 0", "# lid 0x6 lmc 0")),
              HasSubstr("lid LID, from 0 to 65535"));
}

TEST(FabricDump, FindsLidsThatSeveralPortsHave) {
  EXPECT_TRUE(shared_lids(parse_ibnetdiscover(small_dump, "dump")).empty());
  // The host's two LIDs are 4 and 5.
  const Fabric fabric = parse_ibnetdiscover(replaced(small_dump, "# lid 6 lmc 0", "# lid 5 lmc 0"), "dump");
  const std::vector<SharedLid> shared = shared_lids(fabric);
  ASSERT_EQ(shared.size(), 1U);
  EXPECT_EQ(shared[0].lid, 5);
  EXPECT_THAT(shared[0].ports, ElementsAre("H-00000000000000c1[1]", "H-00000000000000d1[1]"));
  EXPECT_THAT(fabric.remarks,
              IsSupersetOf({"LID 5 is shared by H-00000000000000c1[1], H-00000000000000d1[1]",
                            "line 7: LID 6 for \"H-00000000000000d1\", whose own record says 5"}));
}

TEST(FabricDump, RemarksOnGuidsThatPortsShareAndLidsThatAreNotUnicast) {
  EXPECT_THAT(parse_ibnetdiscover(replaced(small_dump, "[1](e2) \t\"S", "[1](d2) \t\"S"), "dump").remarks,
              testing::Contains(
                  "port GUID 0x00000000000000d2 is shared by H-00000000000000d1[1], H-00000000000000e1[1]"));
  EXPECT_THAT(
      parse_ibnetdiscover(replaced(small_dump, "# lid 7 lmc 0", "# lid 50000 lmc 0"), "dump").remarks,
      testing::Contains("LID 50000 of H-00000000000000e1[1] is no unicast LID, the last of which is 49151"));
}

TEST(FabricDump, ReadsChassisAndFullForms) {
  const std::string grouped =
      replaced(replaced(replaced(small_dump, "[1]\t", "[1][ext 12]\t"), "\"H-00000000000000c1\"[1](c2)",
                        "\"H-00000000000000c1\"[1][ext 3](c2)"),
               "switchguid=0xa1(a0)", "switchguid=0xa1(a0)\t# Chassis 1 Slot 2");
  const std::string full = replaced(grouped, "lid 4 4xQDR", "lid 4 4xQDR s=4 w=2 v=4");
  const Fabric fabric = parse_ibnetdiscover("Chassis 1 (guid 0xaf)\n\nNon-Chassis Nodes\n\n" + full, "dump");
  EXPECT_EQ(fabric.cables, parse_ibnetdiscover(small_dump, "dump").cables);
  EXPECT_EQ(fabric.nodes, parse_ibnetdiscover(small_dump, "dump").nodes);
}

TEST(FabricDump, RefusesWhatIsNoWholeDump) {
  EXPECT_EQ(
      message_on_dump(""),
      "dump: dump: is empty; must be the output of ibnetdiscover: records that begin with Switch or Ca, "
      "or, with -p, ports that begin with SW or CA");
  EXPECT_THAT(message_on_dump("Ca\t: 0x00000000000000c1 ports 2 devid 0xbd36 vendid 0x2c9 \"host\"\n"),
              HasSubstr("(ibnetdiscover without -l)"));
  EXPECT_THAT(message_on_dump("# a comment\n"), HasSubstr("holds no record"));
  EXPECT_THAT(message_on_dump(std::string_view("\x7f"
                                               "ELF\0\0",
                                               6)),
              HasSubstr("is not a text"));
  EXPECT_THAT(message_on_dump("Switch 4 \"a\"\n"), HasSubstr("holds no cable"));
  EXPECT_EQ(message_on_dump(replaced(small_dump, "Switch\t4 \"S-00000000000000b1\"", "Node")),
            "dump:8: cable = '\"S-00000000000000a1\"[3] - \"S-00000000000000b1\"': must end at a Switch or "
            "Ca record, there is none of "
            "\"S-00000000000000b1\"; the dump is cut short or inconsistent, take it again");
  EXPECT_THAT(message_on_dump(replaced(small_dump, "\"S-00000000000000b1\"[1]", "\"S-00000000000000b1\"[2]")),
              HasSubstr("both ends must agree, but line"));
  EXPECT_THAT(message_on_dump(replaced(small_dump, "\"S-00000000000000b1\"[1]", "\"S-00000000000000b1\"[9]")),
              HasSubstr("must end at a port from 1 to 4"));
  EXPECT_THAT(message_on_dump(replaced(small_dump, "[2]\t", "[1]\t")),
              HasSubstr("dump:7: port = '\"S-00000000000000a1\"[1]': must be from 1 to 4 and listed once"));
  EXPECT_THAT(message_on_dump(replaced(small_dump, "[2]\t", "[2\t")), HasSubstr("dump:7: port = "));
  EXPECT_THAT(message_on_dump(replaced(small_dump, "Switch\t4", "Switch\tfour")),
              HasSubstr("dump:5: record = 'Switch four"));
  EXPECT_THAT(message_on_dump(std::string(small_dump) + std::string(small_dump)),
              HasSubstr("this is its second record"));
}

/// Tables have no value for such a port: 255 is that of an LID without an entry.
TEST(FabricDump, RefusesACableAtPort255OfASwitch) {
  const auto with_ports = [](int of_switch, int of_adapter) {
    return fmt::format("Switch\t255 \"S-1\"\n[{0}]\t\"H-1\"[{1}]\n\nCa\t255 \"H-1\"\n[{1}]\t\"S-1\"[{0}]\n",
                       of_switch, of_adapter);
  };
  EXPECT_EQ(
      message_on_dump(with_ports(255, 1)),
      "dump:2: port = '\"S-1\"[255]': must be from 1 to 254 at a switch, because 255 in a forwarding table "
      "means that there is no entry");
  EXPECT_EQ(message_on_dump(with_ports(254, 255)), "accepted")
      << "a switch with 255 ports; an adapter's port";
  EXPECT_THAT(message_on_dump("Ca 1 \"H-1\"\n[1] \"S-1\"[255]\n\nSwitch 255 \"S-1\"\n[254] \"S-1\"[253]\n"
                              "[253] \"S-1\"[254]\n\nCa 1 \"H-2\"\n"),
              HasSubstr("dump:2: port = '\"S-1\"[255]'"))
      << "listed at the other end only";
}

TEST(FabricDump, RefusesEveryCutOfASmallDump) {
  const std::string whole(small_dump);
  for (std::size_t size = 0; size + 1 < whole.size(); ++size)
    EXPECT_NE(message_on_dump(whole.substr(0, size)), "accepted") << size;
  EXPECT_EQ(message_on_dump(whole.substr(0, whole.size() - 1)), "accepted")
      << "only the last line's end is missing";
}

TEST(FabricDump, RoundTripsThroughTheWriter) {
  const Fabric fabric = parse_ibnetdiscover(small_dump, "dump");
  EXPECT_EQ(to_ibnetdiscover(fabric), small_dump);
  EXPECT_EQ(to_guid2lid(fabric).substr(0, 66),
            "0x00000000000000a0 0x0001 0x0001\n\n0x00000000000000a2 0x0002 0x0002");
  EXPECT_THAT(to_guid2lid(fabric), HasSubstr("0x00000000000000c2 0x0004 0x0005\n"));
  const Fabric beyond =
      parse_ibnetdiscover(replaced(small_dump, "# lid 7 lmc 0", "# lid 50000 lmc 0"), "dump");
  EXPECT_THAT(to_guid2lid(beyond), testing::Not(HasSubstr("0x00000000000000e2")));
}

struct RealFabric {
  const char* file;
  std::size_t switches, adapters, switch_cables;

  friend void PrintTo(const RealFabric& fabric, std::ostream* out) { *out << fabric.file; }
};

class RealFabrics : public testing::TestWithParam<RealFabric> {};

TEST_P(RealFabrics, AreReadWhole) {
  FAULTLINE_SHARED_FILE(path, std::string("fabrics/") + GetParam().file);
  const Fabric fabric = read_fabric(path, "file");
  EXPECT_EQ(fabric.count(NodeType::switch_), GetParam().switches);
  EXPECT_EQ(fabric.count(NodeType::adapter), GetParam().adapters);
  EXPECT_EQ(switch_cables(fabric), GetParam().switch_cables);
  const Fabric again = parse_ibnetdiscover(to_ibnetdiscover(fabric), "again");
  EXPECT_EQ(again.nodes, fabric.nodes);
  EXPECT_EQ(again.cables, fabric.cables);
  EXPECT_EQ(again.remarks.size(), fabric.remarks.size());
}

/// The writer prints exactly the record lines that the real tool printed (the other file was converted).
TEST(FabricDump, IsWrittenAsTheToolPrintsIt) {
  FAULTLINE_SHARED_FILE(path, "fabrics/psmn-x5.ibnetdiscover");
  const std::string text = read_file(path, "file");
  std::istringstream lines(text);
  std::map<std::string, int> balance;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line[0] != '#') ++balance[line];
  std::istringstream written(to_ibnetdiscover(parse_ibnetdiscover(text, "dump")));
  for (std::string line; std::getline(written, line);)
    if (!line.empty()) --balance[line];
  for (const auto& [line, count] : balance) EXPECT_EQ(count, 0) << line;
}

INSTANTIATE_TEST_SUITE_P(Files, RealFabrics,
                         testing::Values(RealFabric{"psmn-x5.ibnetdiscover", 11, 89, 70},
                                         RealFabric{"avakas.ibnetdiscover", 25, 281, 288}),
                         [](const auto& param) { return std::string(param.param.file).substr(0, 4); });

}  // namespace
}  // namespace faultline::infiniband
