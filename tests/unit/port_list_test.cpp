// SPDX-License-Identifier: Apache-2.0
// The list of ports that `ibnetdiscover -p` prints describes the same fabric as its plain output.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "faultline/base/file.h"
#include "faultline/infiniband/fabric.h"
#include "faultline/infiniband/forwarding_tables.h"
#include "faultline/infiniband/table_match.h"
#include "support/error_message.h"
#include "support/port_list.h"
#include "support/replaced.h"
#include "support/shared_folder.h"

namespace faultline::infiniband {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Fabric parse(std::string_view text) { return parse_ibnetdiscover(text, "ports"); }

std::string message_on_ports(std::string_view text) {
  return testing_support::error_message([&] { (void)parse(text); });
}

/// The lines of `text` for which `keep` holds.
template <class Keep>
std::string lines_of(std::string_view text, Keep keep) {
  std::istringstream lines{std::string(text)};
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (keep(line)) kept += line + '\n';
  return kept;
}

/// Nodes and cables in words that do not depend on the order of the dump or on ids: port GUIDs and numbers.
std::set<std::string> facts(const Fabric& fabric) {
  std::set<std::string> facts;
  for (const Node& node : fabric.nodes) {
    std::string fact = fmt::format("type {} \"{}\" {} ports:", static_cast<int>(node.type), node.description,
                                   node.port_count);
    for (const EndPort& port : node.end_ports)
      fact += fmt::format(" [{}] {:x} lid {} lmc {}", port.number, port.guid, port.lid, port.lmc);
    facts.insert(fact);
  }
  const auto end = [&](const CableEnd& at) {
    const Node& node = fabric.nodes[at.node];
    const EndPort* port = node.find_end_port(node.type == NodeType::switch_ ? 0 : at.port);
    return port == nullptr ? "no end port" : fmt::format("{:x}[{}]", port->guid, at.port);
  };
  for (const Cable& cable : fabric.cables) {
    std::string a = end(cable.a), b = end(cable.b);
    if (b < a) std::swap(a, b);
    facts.insert(fmt::format("{} - {} {}{}", a, b, cable.width, cable.speed));
  }
  EXPECT_EQ(facts.size(), fabric.nodes.size() + fabric.cables.size());
  return facts;
}

const Node& node(const Fabric& fabric, std::string_view id) {
  const auto found = std::ranges::find(fabric.nodes, id, &Node::id);
  EXPECT_NE(found, fabric.nodes.end()) << id;
  return found == fabric.nodes.end() ? fabric.nodes.front() : *found;
}

TEST(PortList, TellsWhatThePlainOutputTells) {
  const Fabric fabric = parse(dump_in_ports);
  EXPECT_EQ(fabric.nodes.size(), 6U);
  EXPECT_EQ(facts(fabric), facts(parse(dump_in_records)));
  const Node twin{
      .type = NodeType::adapter,
      .id = "H-00000000000000c1",
      .guid = 0xc1,
      .description = "Bob's (twin) - 2",
      .port_count = 2,
      .end_ports = {{.number = 1, .guid = 0xc1, .lid = 4}, {.number = 2, .guid = 0xc2, .lid = 5}}};
  EXPECT_EQ(node(fabric, "H-00000000000000c1"), twin);
}

/// A byte order mark must not hide the first line.
TEST(PortList, MayBeginWithAByteOrderMark) {
  const std::string mark = "\xef\xbb\xbf";
  for (const std::string_view text : {dump_in_ports, dump_in_records})
    EXPECT_EQ(facts(parse(mark + std::string(text))), facts(parse(text)));
}

TEST(PortList, SaysWhatItInferred) {
  EXPECT_THAT(
      parse(dump_in_ports).remarks,
      ElementsAre("name \"host\" is shared by H-00000000000000d2, H-00000000000000f1",
                  AllOf(HasSubstr("ibnetdiscover -p lists ports, not nodes"), HasSubstr("LMC")),
                  "\"R-00000000000000e1\": ports with the same name and consecutive GUIDs are taken for one "
                  "adapter (1 more like this)"));
  EXPECT_THAT(parse(dump_in_records).remarks, Not(Contains(HasSubstr("-p"))));
}

TEST(PortList, IsWrittenAndReadAgainInThePlainForm) {
  const Fabric fabric = parse(dump_in_ports);
  const Fabric again = parse(to_ibnetdiscover(fabric));
  EXPECT_EQ(again.nodes, fabric.nodes);
  EXPECT_EQ(again.cables, fabric.cables);
}

TEST(PortList, StandsBehindLinesOfProgress) {
  const std::string progress =
      "DR path slid 0; dlid 0; 0 -> new Channel Adapter {00000000000000c0} portnum 1 lid 0-0 \"\"\n";
  EXPECT_EQ(facts(parse(progress + std::string(dump_in_ports))), facts(parse(dump_in_ports)));
  EXPECT_EQ(facts(parse(progress + std::string(dump_in_records))), facts(parse(dump_in_records)));
}

/// Two switch ports with an adapter port each.
std::string two_adapters(std::string_view first, std::string_view first_name, std::string_view second,
                         std::string_view second_name) {
  constexpr std::string_view form =
      "SW 1 1 0xa 4x QDR - CA {0} ( 's' - '{1}' )\nSW 1 2 0xa 4x QDR - CA {2} ( 's' - '{3}' )\n"
      "CA {0} 4x QDR - SW 1 1 0xa ( '{1}' - 's' )\nCA {2} 4x QDR - SW 1 2 0xa ( '{3}' - 's' )\n";
  return fmt::format(fmt::runtime(form), first, first_name, second, second_name);
}

TEST(PortList, JoinsPortsOfOneNameAndConsecutiveGuids) {
  const auto adapters = [](std::string_view text) { return parse(text).count(NodeType::adapter); };
  EXPECT_EQ(adapters(two_adapters("2 1 0xc1", "a", "3 2 0xc2", "a")), 1U);
  EXPECT_EQ(adapters(two_adapters("2 2 0xc2", "a", "3 1 0xc1", "a")), 1U);
  EXPECT_EQ(adapters(two_adapters("2 1 0xc1", "a", "3 2 0xc2", "b")), 2U) << "other names";
  EXPECT_EQ(adapters(two_adapters("2 1 0xc1", "a", "3 2 0xc4", "a")), 2U) << "GUIDs apart";
  EXPECT_EQ(adapters(two_adapters("2 1 0xc1", "a", "3 1 0xc2", "a")), 2U) << "the same port of two adapters";
  EXPECT_THAT(message_on_ports(two_adapters("2 1 0xc1", "a", "3 2 0xc1", "a")),
              HasSubstr("ports:4: port GUID = '0x00000000000000c1': must belong to one port of one adapter"));
}

TEST(PortList, TakesAdaptersFromTheirSwitchesWhereNoneHasALine) {
  const std::string filtered =
      lines_of(dump_in_ports, [](const std::string& line) { return line.starts_with("SW"); });
  const Fabric fabric = parse(filtered);
  EXPECT_EQ(facts(fabric), facts(parse(dump_in_records)));
  EXPECT_THAT(fabric.remarks, Contains(HasSubstr("is listed at this end only (5 more like this)")));
  EXPECT_THAT(fabric.remarks, Contains(HasSubstr("taken for one adapter (1 more like this)")));
}

TEST(PortList, RemarksOnACableThatIsListedOnce) {
  const std::string once =
      lines_of(dump_in_ports, [](const std::string& line) { return !line.starts_with("RT     0  1"); });
  const Fabric fabric = parse(once);
  EXPECT_EQ(facts(fabric), facts(parse(dump_in_records))) << "the other end tells all of it";
  EXPECT_THAT(fabric.remarks, Contains("line 10: \"S-00000000000000a1\"[4] - \"R-00000000000000e2\"[1] is "
                                       "listed at this end only"));
}

TEST(PortList, RemarksOnLinesThatDisagree) {
  const Fabric lids = parse(replaced(replaced(dump_in_ports, "SW     2  5", "SW     3  5"),
                                     "SW     1  4 0x00000000000000a1 (", "SW     7  4 0x00000000000000a1 ("));
  EXPECT_THAT(lids.remarks, Contains("line 6: LID 3 for \"S-00000000000000b1\", but in an earlier line 2"));
  EXPECT_THAT(lids.remarks, Contains("line 4: LID 7 for \"S-00000000000000a1\", whose own record says 1"));
  EXPECT_THAT(parse(replaced(dump_in_ports, "( 'host' - 'spine' )", "( 'host' - 'crown' )")).remarks,
              Contains("line 1: \"S-00000000000000b1\" is named \"crown\", but in another line \"spine\""));
  EXPECT_THAT(parse(replaced(dump_in_ports, "4x SDR - SW     1  3", "4x QDR - SW     1  3")).remarks,
              Contains(HasSubstr("disagree about its rate, 4xQDR and 4xSDR")));
}

TEST(PortList, ReadsPortsOfUnknownRateAndPortZero) {
  const Fabric fabric =
      parse("SW 1 0 0xa ?? ??? 's'\n" +
            replaced(replaced(two_adapters("2 1 0xc1", "a", "3 1 0xd1", "b"), "0xa 4x QDR", "0xa ?? ???"),
                     "0xc1 4x QDR", "0xc1 ?? ???"));
  EXPECT_THAT(fabric.cables, ElementsAre(Cable{{0, 1}, {1, 1}, "", ""}, Cable{{0, 2}, {2, 1}, "4x", "QDR"}));
  EXPECT_EQ(fabric.nodes[0].port_count, 2U);
}

TEST(PortList, LeavesAnAdapterWithoutCableOutOfTheNetwork) {
  const Fabric fabric =
      parse("CA 9 1 0xe1 4x SDR                                    'alone'\n" + std::string(dump_in_ports));
  EXPECT_TRUE(node(fabric, "H-00000000000000e1").end_ports.empty());
  EXPECT_THAT(fabric.remarks, Contains("\"H-00000000000000e1\" has no cable"));
}

TEST(PortList, NamesTheLineThatIsWrong) {
  EXPECT_EQ(
      message_on_ports(replaced(dump_in_ports, "SW     2  5 0x", "SW     2  5 x")),
      "ports:6: port = 'SW     2  5 x00000000000000b1 4x SDR                        ...': must be written "
      "PORT "
      "WIDTH SPEED - PORT ( 'NAME' - 'NAME' ) or PORT WIDTH SPEED 'NAME', where PORT is SW|CA|RT LID NUMBER "
      "0xGUID, with LIDs from 0 to 65535 and numbers from 1 to 255");
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"CA     7  2", "CA 65536  2"},
                                                        {"CA     7  2", "CA     7 256"},
                                                        {"CA     7  2", "CA     7  0"},
                                                        {"SW     2  4", "SW     2  0"},
                                                        {"4x SDR - SW", "4x SDR - RX"},
                                                        {"( 'host'", "('host'"},
                                                        {"4x SDR", "4x SD\""},
                                                        {"4x SDR", "4xSDR"},
                                                        {"'host' - 'spine'", "'host', 'spine'"}})
    EXPECT_THAT(message_on_ports(replaced(dump_in_ports, from, to)), HasSubstr("ports:1: port = 'CA"))
        << from << to;
  EXPECT_THAT(
      message_on_ports(replaced(dump_in_ports, "SW     2  5", "SW     2  6")),
      HasSubstr("ports:6: port = '\"S-00000000000000b1\"[6]': must be listed once; line 5 lists it too"));
  EXPECT_THAT(message_on_ports(replaced(dump_in_ports, "- SW     2  4", "- SW     2  3")),
              AllOf(HasSubstr("ports:7: cable = "), HasSubstr("both ends must agree, but line 1 cables")));
  EXPECT_THAT(message_on_ports("SW 1 1 0xa 4x SDR 's'\n"),
              HasSubstr("holds no cable; must be the output of ibnetdiscover"));
}

/// Tables have no value for such a port: 255 is that of an LID without an entry.
TEST(PortList, HasNoCableAtPort255OfASwitch) {
  const std::string once = replaced(dump_in_ports, "SW     2  6", "SW     2 255");
  EXPECT_THAT(message_on_ports(replaced(once, "SW     2  6", "SW     2 255")),
              HasSubstr("ports:5: port = '\"S-00000000000000b1\"[255]': must be from 1 to 254 at a switch"));
  EXPECT_EQ(message_on_ports(replaced(dump_in_ports, "SW     2  5", "SW     2 255")), "accepted")
      << "a port without a cable";
}

TEST(PortList, RefusesEveryCut) {
  const std::string filtered =
      lines_of(dump_in_ports, [](const std::string& line) { return line.starts_with("SW"); });
  for (const std::string& whole : {std::string(dump_in_ports), filtered}) {
    for (std::size_t size = 0; size + 1 < whole.size(); ++size)
      EXPECT_NE(message_on_ports(whole.substr(0, size)), "accepted") << whole.substr(0, size);
    EXPECT_EQ(message_on_ports(whole.substr(0, whole.size() - 1)), "accepted");
  }
  EXPECT_THAT(
      message_on_ports(
          lines_of(dump_in_ports, [](const std::string& line) { return !line.starts_with("SW"); })),
      HasSubstr("cable = '\"H-00000000000000d2\"[2] - \"S-00000000000000b1\"[4]': must end at a node with "
                "lines of its own"));
}

Fabric without_rates(Fabric fabric) {
  for (Cable& cable : fabric.cables) cable.width = cable.speed = {};
  return fabric;
}

/// The plain file was made from the list by others, who wrote 4xQDR for every cable: the list has one of
/// 4xDDR.
TEST(PortList, OfARealFabricTellsWhatThePlainFileTells) {
  FAULTLINE_SHARED_FILE(path, "fabrics/avakas.ibnetdiscover-p");
  const Fabric fabric = read_fabric(path, "file");
  EXPECT_EQ(fabric.count(NodeType::switch_), 25U);
  EXPECT_EQ(fabric.count(NodeType::adapter), 281U);
  const Fabric plain = read_fabric(path.parent_path() / "avakas.ibnetdiscover", "file");
  EXPECT_EQ(facts(without_rates(fabric)), facts(without_rates(plain)));
  EXPECT_THAT(fabric.remarks, ElementsAre(HasSubstr("1 of 4xDDR, 568 of 4xQDR"), HasSubstr("lists ports")));
  const ForwardingTables live = read_forwarding_tables(path.parent_path() / "avakas.lfts", "file");
  EXPECT_EQ(remarks_on_match(live, fabric), remarks_on_match(live, plain));
}

/// With -s, the list follows lines that name the node behind each port: "… -> new Switch {00066a00ec002dea}
/// …".
TEST(PortList, OfARealFabricHasTheNodesThatTheToolDiscovered) {
  FAULTLINE_SHARED_FILE(path, "fabrics/avakas.ibnetdiscover-p");
  const std::string text = read_file(path, "file");
  std::set<Guid> discovered, read;
  for (std::size_t at = 0; (at = text.find('{', at)) != std::string::npos; ++at)
    discovered.insert(std::stoull(text.substr(at + 1, 16), nullptr, 16));
  for (const Node& node : parse(text).nodes) read.insert(node.guid);
  EXPECT_EQ(read, discovered);
}

}  // namespace
}  // namespace faultline::infiniband
