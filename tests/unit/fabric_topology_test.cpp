// SPDX-License-Identifier: Apache-2.0
// A dump becomes a topology that an operator recognises.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <set>

#include "faultline/routing/kind.h"
#include "faultline/routing/states.h"
#include "faultline/topology/kind.h"
#include "faultline/topology/labellings.h"
#include "support/replaced.h"
#include "support/shared_folder.h"
#include "support/small_fabric.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

class FabricTopology : public testing::Test {
 protected:
  [[nodiscard]] std::string file(const std::string& name, std::string_view content) const {
    return folder_.file(name, content);
  }
  static TopologyPtr make(const std::vector<std::string>& assignments) {
    return build_topology(parse_assignments("topology", "fabric", assignments));
  }
  static std::string message(const std::vector<std::string>& assignments) {
    try {
      (void)make(assignments);
      return "accepted";
    } catch (const Error& error) {
      return error.what();
    }
  }

 private:
  TemporaryFolder folder_;
};

template <class Ids>
std::vector<std::string> names(const Topology& topology, Ids ids) {
  std::vector<std::string> result;
  for (const auto id : ids) result.push_back(topology.name(id));
  return result;
}

TEST_F(FabricTopology, ADescriptionThatIsAnotherNodesNameIsRefused) {
  std::string text(small_dump);
  for (std::size_t at = 0; (at = text.find("\"spine\"", at)) != std::string::npos;)
    text.replace(at, 7, "\"host b (H-00000000000000d1)\"");
  EXPECT_THAT(message({"file=" + file("dump", text)}), HasSubstr("is the name of two nodes"));
}

TEST_F(FabricTopology, ADescriptionThatLooksLikeACableFollowsTheId) {
  for (const char* description : {"leaf # 1[3] - spine[1]", "host b -> leaf 2[1]"}) {
    const TopologyPtr topology =
        make({"file=" + file("dump", replaced_everywhere(small_dump, "\"leaf 2\"",
                                                         fmt::format("\"{}\"", description)))});
    EXPECT_EQ(topology->name(SwitchId(1)), fmt::format("S-00000000000000a2 ({})", description));
  }
}

TEST_F(FabricTopology, HasTheNamesPortsAndColumnsOfTheDump) {
  const TopologyPtr topology = make({"file=" + file("dump", small_dump)});
  EXPECT_THAT(names(*topology, topology->switches()), ElementsAreArray({"leaf # 1", "leaf 2", "spine"}));
  EXPECT_THAT(
      names(*topology, topology->terminals()),
      ElementsAreArray({"host \"a\" HCA-1", "host b (H-00000000000000d1)", "host b (H-00000000000000e1)",
                        "twin (H-00000000000000f1) port 1", "twin (H-00000000000000f1) port 2"}));
  EXPECT_THAT(names(*topology, id_range<LinkId>(0, topology->network_link_count())),
              ElementsAreArray({"leaf # 1[3] - spine[1]", "leaf # 1[4] - spine[2]", "leaf 2[4] - spine[3]"}));
  EXPECT_EQ(topology->position(SwitchId(1)).column, 0U);
  EXPECT_EQ(topology->position(SwitchId(1)).row, 1U);
  EXPECT_EQ(topology->position(SwitchId(2)).column, 1U);
  EXPECT_EQ(topology->default_routing(), "up-down");
  EXPECT_EQ(topology->channel_count(), 2U * (3 + 5));
}

TEST_F(FabricTopology, LabelsTerminalsAndSwitches) {
  const TopologyPtr topology =
      make({"file=" + file("dump", small_dump), "tables=" + file("tables", small_tables)});
  const auto& labelling = topology->labelling<FabricLabelling>("test");
  EXPECT_EQ(labelling.lid(TerminalId(4)), 9);
  EXPECT_EQ(labelling.node(SwitchId(2)).guid, 0xb1U);
  ASSERT_TRUE(labelling.tables);
  EXPECT_EQ(labelling.tables->find(0xb1)->port(4), 1);
}

TEST_F(FabricTopology, EachChannelIsOneDirectionOfACable) {
  const TopologyPtr topology = make({"file=" + file("dump", small_dump)});
  const auto& labelling = topology->labelling<FabricLabelling>("test");
  std::multiset<std::pair<infiniband::CableEnd, infiniband::CableEnd>> directions, of_channels;
  for (const infiniband::Cable& cable : labelling.fabric.cables)
    directions.insert({{cable.a, cable.b}, {cable.b, cable.a}});
  for (const ChannelId channel : topology->channels())
    of_channels.emplace(labelling.sending_end(*topology, channel),
                        labelling.receiving_end(*topology, channel));
  EXPECT_EQ(of_channels, directions);
}

TEST_F(FabricTopology, LeavesOutWhatIsNoPartOfTheNetwork) {
  const TopologyPtr topology = make(
      {"file=" + file("net",
                      "Switch 8 \"s\"\n[1] \"a\"[1]\n[2] \"b\"[1]\n[3] \"s\"[4]\n[4] \"s\"[3]\n\n"
                      "Ca 2 \"a\"\n[1] \"s\"[1]\n[2] \"b\"[2]\n\nCa 2 \"b\"\n[1] \"s\"[2]\n[2] \"a\"[2]\n")});
  EXPECT_EQ(topology->network_link_count(), 0U);
  EXPECT_THAT(names(*topology, topology->terminals()), ElementsAreArray({"a", "b"}));
}

TEST_F(FabricTopology, NamesNothingThatAFileOfFaultsWouldTakeForAComment) {
  std::string dump(small_dump);
  const std::string from = "# \"spine\" base";
  dump.replace(dump.find(from), from.size(), "# \"#spine\" base");
  const TopologyPtr topology = make({"file=" + file("dump", dump)});
  std::set<std::string> names;
  for (const SwitchId at : topology->switches()) names.insert(topology->name(at));
  EXPECT_TRUE(names.contains("S-00000000000000b1 (#spine)"));
}

TEST_F(FabricTopology, RefusesWhatDoesNotFit) {
  const std::string dump = file("dump", small_dump);
  EXPECT_THAT(message({"file=" + dump + "x"}), HasSubstr("topology.file = '" + dump + "x': no such file"));
  EXPECT_THAT(message({}), HasSubstr("topology.file: is required"));
  EXPECT_THAT(message({"file=" + file("cut", small_dump.substr(0, 900))}), HasSubstr(":22: port = "));
  EXPECT_THAT(message({"file=" + file("pair", "Ca 1 \"a\"\n[1] \"b\"[1]\n\nCa 1 \"b\"\n[1] \"a\"[1]\n")}),
              HasSubstr("must have at least two adapters cabled to switches"));
  EXPECT_THAT(message({"file=" + dump, "tables=" + dump}),
              HasSubstr("holds no table; must be a dump of ibroute"));
  EXPECT_THAT(message({"file=" + dump,
                       "tables=" + file("other", "Unicast lids of switch guid 0x99 ():\n0x0001 001\n")}),
              HasSubstr("must be tables of the same fabric"));
  EXPECT_THAT(message({"file=" + dump,
                       "tables=" + file("ports", "Unicast lids of switch guid 0xa1 ():\n0x0001 005\n")}),
              HasSubstr("sends LID 1 of switch S-00000000000000a1 to port 5; must be a port from 0 to 4"));
}

TEST_F(FabricTopology, RefusesASharedLidOnlyWhereThereAreTables) {
  std::string text(small_dump);
  text.replace(text.find("# lid 6 lmc 0"), 7, "# lid 7");
  const std::string dump = file("dump", text);
  EXPECT_EQ(message({"file=" + dump}), "accepted");
  EXPECT_THAT(message({"file=" + dump, "tables=" + file("tables", small_tables)}),
              HasSubstr("gives LID 7 to H-00000000000000d1[1] and to H-00000000000000e1[1]; where there are "
                        "forwarding tables, must give each LID to one port"));
}

struct RealFabric {
  const char* file;
  std::size_t switches, terminals, links;

  friend void PrintTo(const RealFabric& fabric, std::ostream* out) { *out << fabric.file; }
};

class RealFabricTopology : public testing::TestWithParam<RealFabric> {};

TEST_P(RealFabricTopology, IsBuiltWithUniqueNames) {
  FAULTLINE_SHARED_FILE(path, std::string("fabrics/") + GetParam().file);
  const std::vector<std::string> assignments{"file=" + path.string()};
  const TopologyPtr topology = build_topology(parse_assignments("topology", "fabric", assignments));
  EXPECT_EQ(topology->switch_count(), GetParam().switches);
  EXPECT_EQ(topology->terminal_count(), GetParam().terminals);
  EXPECT_EQ(topology->network_link_count(), GetParam().links);
  std::set<std::string> unique;
  for (const SwitchId at : topology->switches())
    EXPECT_TRUE(unique.insert(topology->name(at)).second) << topology->name(at);
  for (const TerminalId t : topology->terminals())
    EXPECT_TRUE(unique.insert(topology->name(t)).second) << topology->name(t);
}

TEST_P(RealFabricTopology, IsConnectedByItsDefaultRouting) {
  FAULTLINE_SHARED_FILE(path, std::string("fabrics/") + GetParam().file);
  const std::vector<std::string> assignments{"file=" + path.string()};
  const TopologyPtr topology = build_topology(parse_assignments("topology", "fabric", assignments));
  const RelationPtr relation = build_relation(topology, FaultSet(*topology), {});
  for (const TerminalId destination : topology->terminals()) {
    const DestinationStates states = enumerate_states(*relation, destination);
    for (std::size_t state = 0; state < states.count(); ++state)
      EXPECT_FALSE(states.moves_of(state).empty()) << topology->name(states.switches[state]);
    for (const TerminalId source : topology->terminals())
      EXPECT_EQ(states.injections_of(source).empty(), source == destination) << topology->name(source);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, RealFabricTopology,
                         testing::Values(RealFabric{"psmn-x5.ibnetdiscover", 11, 89, 70},
                                         RealFabric{"avakas.ibnetdiscover", 25, 281, 288},
                                         RealFabric{"avakas.ibnetdiscover-p", 25, 281, 288}),
                         [](const auto& param) {
                           std::string name = param.param.file;
                           std::erase_if(name, [](char c) { return std::isalnum(c) == 0; });
                           return name;
                         });

}  // namespace
}  // namespace faultline
