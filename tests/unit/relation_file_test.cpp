// SPDX-License-Identifier: Apache-2.0
#include "faultline/formats/relation_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "faultline/routing/kind.h"
#include "faultline/routing/relation_text.h"
#include "faultline/topology/builder.h"
#include "faultline/topology/kind.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

using formats::parse_relation;
using formats::RelationFile;
using testing::HasSubstr;

/// Two switches, a channel each way, of one link; two terminals; two virtual channels.
const std::string small =
    "faultline-relation 1\n"       // line 1
    "network -\n"                  // 2
    "switches 2\n"                 // 3
    "terminals 2\n"                // 4
    "virtual-channels 2\n"         // 5
    "tags 3\n"                     // 6
    "reads tag\n"                  // 7
    "channels 6\n"                 // 8
    "n 0 1 4\n"                    // 9
    "n 1 0 4 7\n"                  // 10
    "i 0 0\n"                      // 11
    "i 1 1\n"                      // 12
    "e 0 0\n"                      // 13
    "e 1 1\n"                      // 14
    "ring 0/1 1/1\n"               // 15
    "destination 0\n"              // 16
    "from 1 3/2/1\n"               // 17
    "s 0 2 4\n"                    // 18
    "s 1 1 1/3/2/5/2 1/1/2/200\n"  // 19
    "destination 1\n"              // 20
    "from 0\n"                     // 21
    "s 0 0\n"                      // 22
    "end\n";                       // 23

TEST(RelationFile, IsReadAsItIsWritten) {
  const RelationFile file = parse_relation(small, "F", "test");
  EXPECT_EQ(file.switches, 2U);
  EXPECT_EQ(file.virtual_channels, 2U);
  EXPECT_EQ(file.tags, 3U);
  EXPECT_FALSE(file.reads_held);
  ASSERT_EQ(file.channels.size(), 6U);
  EXPECT_EQ(file.channels[1].cycles, 7U);
  EXPECT_EQ(file.channels[1].link, 4U);
  EXPECT_EQ(file.channels[2].link, formats::RelationChannel::own_link);
  ASSERT_EQ(file.rings.size(), 1U);
  const auto& rows = file.destinations[0];
  const auto* state = rows.find(1, 0, 1);
  ASSERT_NE(state, nullptr);
  ASSERT_EQ(state->options.count, 2U);
  EXPECT_EQ(rows.begin(state->options)[0], (formats::RelationOption{1, 3, 2, 2, 5}));
  EXPECT_EQ(rows.begin(state->options)[1], (formats::RelationOption{1, 1, 2, 1, 200}));
  EXPECT_EQ(rows.from[0].count, 0U);
  EXPECT_EQ(file.destinations[1].from[0].count, 0U);
  EXPECT_EQ(formats::relation_text(file), small);
  EXPECT_EQ(unreached_states(file), 1U) << "state (0, 0) of destination 1";
}

/// A flight time is written behind the number of a link, which must not join two links.
TEST(RelationFile, KeepsLinksApartThatHaveAFlightTimeAndNoNumber) {
  RelationFile file = parse_relation(small, "F", "test");
  for (formats::RelationChannel& channel : file.channels) channel.cycles = 3;
  const RelationFile again = parse_relation(formats::relation_text(file), "F", "test");
  std::multiset<std::uint32_t> links;
  for (std::size_t i = 0; i < file.channels.size(); ++i) {
    EXPECT_EQ(again.channels[i].cycles, 3U) << i;
    links.insert(again.channels[i].link);
  }
  for (std::size_t i = 0; i < file.channels.size(); ++i)
    EXPECT_EQ(links.count(again.channels[i].link), file.channels[i].link == 4 ? 2U : 1U) << i;
}

/// Names come from paths and from programs; the formats have single spaces between words.
TEST(RelationFile, OfANetworkWithAnyNameIsReadAgain) {
  using formats::label_text;
  EXPECT_EQ(label_text("torus:radix=4x4"), "torus:radix=4x4");
  EXPECT_EQ(label_text("  my \n\t net\r"), "my net");
  EXPECT_EQ(label_text(""), "-");
  EXPECT_EQ(label_text(" \n"), "-");
  for (const char* name : {"a\nb", "", " x", "a  b", "x ", "graph:file=my  net.json"}) {
    TopologyBuilder builder;
    const SwitchId a = builder.add_switch({}), b = builder.add_switch({});
    builder.connect_both({a, 0}, {b, 0});
    builder.attach(builder.add_terminal(), {a, 1});
    builder.attach(builder.add_terminal(), {b, 1});
    const auto topology = std::make_shared<const Topology>(std::move(builder).build(name, "shortest-path"));
    const RelationPtr relation =
        build_relation(topology, FaultSet(*topology), parse_compact("routing", "shortest-path"));
    EXPECT_EQ(formats::parse_relation(relation_text(*relation), "test", "test").network, label_text(name));
  }
}

TEST(RelationFile, MakesATopologyWhoseLinksFailTogether) {
  const TemporaryFolder folder;
  const std::string path = folder.file("small.relation", small);
  const TopologyPtr topology = build_topology(parse_compact("topology", "relation:file=" + path));
  EXPECT_EQ(topology->switch_count(), 2U);
  EXPECT_EQ(topology->network_link_count(), 1U);
  EXPECT_EQ(topology->link_count(), 5U);
  EXPECT_EQ(topology->fly_cycles(ChannelId(1)), 7U);
  EXPECT_EQ(topology->name(LinkId(0)), "switch 0[0] - switch 1[0]");
  const RelationPtr relation = build_relation(topology, FaultSet(*topology), {});
  EXPECT_EQ(relation->tag_count(), 3U);
  ASSERT_EQ(relation->remarks().size(), 1U);
  EXPECT_THAT(relation->remarks()[0], HasSubstr("1 of the states"));
  RouteOptions options;
  relation->inject(TerminalId(1), TerminalId(0), options);
  EXPECT_EQ(options, (RouteOptions{{.channel = ChannelId(3), .vcs = 2, .tag = 1}}));
  EXPECT_FALSE(relation->is_escape({SwitchId(1), TerminalId(0), ChannelId(3), 1, 1},
                                   {.channel = ChannelId(1), .vcs = 3, .tag = 2, .tier = 5}, 0));
}

struct Breach {
  std::string from, to;  ///< the first `from` of the text becomes `to`
  int line;
  std::string value, allowed;

  friend void PrintTo(const Breach& breach, std::ostream* out) { *out << breach.from << " -> " << breach.to; }
};

class RelationBreach : public testing::TestWithParam<Breach> {};

TEST_P(RelationBreach, IsRefusedWithLineValueAndWhatIsAllowed) {
  const Breach& breach = GetParam();
  std::string text = small;
  const std::size_t at = text.find(breach.from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, breach.from.size(), breach.to);
  try {
    (void)parse_relation(text, "F", "test");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.parts().location.line, breach.line) << error.what();
    EXPECT_EQ(error.parts().location.file, "F");
    EXPECT_THAT(error.parts().value, HasSubstr(breach.value)) << error.what();
    EXPECT_THAT(error.parts().allowed, HasSubstr(breach.allowed)) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Format, RelationBreach,
    testing::Values(
        Breach{"relation 1", "relation 2", 1, "2", "must be 1: faultline-relation"},
        Breach{"faultline-relation", "faultline-relatoin", 1, "faultline-relatoin", "'faultline-relation"},
        Breach{"network -\n", "", 2, "switches", "'network TEXT'"},
        Breach{"network -", "network", 2, "", "'network TEXT'"},
        Breach{"network -", "network a  b", 2, "a  b", "single spaces"},
        Breach{"switches 2", "switches 0", 3, "0", "from 1 to"},
        Breach{"switches 2", "switches 2000000", 3, "2000000", "from 1 to 1048576"},
        Breach{"switches 2", "switches  2", 3, "", "single space"},
        Breach{"switches 2", "switches 2 ", 3, "", "ends with a space"},
        Breach{"switches 2", "switches 02", 3, "02", "number from"},
        Breach{"switches 2", "switches +2", 3, "+2", "number from"},
        Breach{"switches 2", "switches 2 3", 3, "3", "more than this line"},
        Breach{"terminals 2", "terminals 3", 16, "destination 0", "from 2"},
        Breach{"virtual-channels 2", "virtual-channels 33", 5, "33", "from 1 to 32"},
        Breach{"tags 3", "tags 0", 6, "0", "from 1"}, Breach{"tags 3", "tags 2", 18, "2", "from 0 to 1"},
        Breach{"reads tag", "reads tags", 7, "tags", "'tag' or 'held'"},
        Breach{"reads tag", "reads held", 18, "2", "from 0 to 1: virtual channel"},
        Breach{"channels 6", "channels 7", 15, "ring", "a channel"},
        Breach{"channels 6", "channels 5", 14, "e", "destination"},
        Breach{"n 0 1", "n 0 2", 9, "2", "from 0 to 1: switch"},
        Breach{"n 1 0 4 7", "n 1 1 4 7", 10, "1", "another switch"},
        Breach{"n 1 0 4 7", "n 1 0 4 0", 10, "0", "cycles"},
        Breach{"n 1 0 4 7", "n 1 0 4 7 1", 10, "1", "more than this line"},
        Breach{"n 1 0 4 7\ni 0 0", "i 0 0\nn 1 0 4 7", 11, "n", "order n, i, e"},
        Breach{"i 1 1", "i 2 1", 12, "2", "terminal"},
        Breach{"ring 0/1 1/1", "ring 0/1", 15, "ring", "two or more"},
        Breach{"ring 0/1 1/1", "ring 0/1 0/0", 15, "0/0", "leaves the ring open"},
        Breach{"ring 0/1 1/1", "ring 0/1 2/1", 15, "2/1", "network channel"},
        Breach{"ring 0/1 1/1", "ring 0/1 1/2", 15, "2", "virtual channel"},
        Breach{"ring 0/1 1/1", "ring 0/1 1/1\nring 0/0 1/1", 16, "1/1", "must not meet"},
        Breach{"destination 0\n", "destination 1\n", 16, "destination", "must be destination 0"},
        Breach{"destination 1\nfrom 0\ns 0 0\n", "", 20, "end", "'destination NUMBER'"},
        Breach{"from 1 3", "from 0 3", 17, "0", "is the destination"},
        Breach{"from 1 3/2/1\n", "", 16, "destination 0", "'from 1'"},
        Breach{"from 1 3/2/1\n", "from 1\nfrom 1\n", 18, "1", "twice"},
        Breach{"3/2/1", "2/2/1", 17, "2/2/1", "must start at terminal 1"},
        Breach{"3/2/1", "0/2/1", 17, "0/2/1", "must start at terminal 1"},
        Breach{"3/2/1", "3/0/1", 17, "0", "from 1 to 3"}, Breach{"3/2/1", "3/4/1", 17, "4", "from 1 to 3"},
        Breach{"3/2/1", "3/2/3", 17, "3", "from 0 to 2: tag"},
        Breach{"3/2/1", "3/2/1/256", 17, "256", "from 0 to 255: tier"},
        Breach{"3/2/1", "3/2/1/0/1", 17, "3/2/1/0/1", "escape outside"},
        Breach{"3/2/1", "3/2/1/0/2/1", 17, "3/2/1/0/2/1", "CHANNEL[/VCS"},
        Breach{"3/2/1", "3//1", 17, "", "virtual channels"}, Breach{"3/2/1", "3/2/0", 17, "3/2/0", "'s 1 0'"},
        Breach{"s 0 2 4", "s 0 2 5", 18, "5", "start at switch 0"},
        Breach{"s 0 2 4", "s 0 2 1", 18, "1", "start at switch 0"},
        Breach{"s 0 2 4", "s 0 2 2", 18, "2", "start at switch 0"},
        Breach{"destination 1\nfrom 0\ns 0 0", "destination 1\nfrom 0\ns 0 0 4", 22, "4",
               "lead to destination 1"},
        Breach{"s 0 2 4\n", "s 0 2 4\ns 0 2\n", 19, "s 0", "listed once"},
        Breach{"s 0 2 4\n", "", 18, "1/3/2", "'s 0 2'"}, Breach{"end\n", "", 22, "", "too early"},
        Breach{"end\n", "end", 23, "end", "line feed"}, Breach{"end\n", "end\nend\n", 23, "end", "last line"},
        Breach{"end\n", "ends\n", 23, "ends", "must be 'end'"},
        Breach{"s 0 0\n", "S 0 0\n", 22, "S", "'from' or 's'"}));

TEST(RelationFile, ThatIsOfAnotherNetworkNamesTheFirstChannelThatDiffers) {
  const TemporaryFolder folder;
  const TopologyPtr mesh = build_topology(parse_compact("topology", "mesh:radix=3"));
  const TopologyPtr ring = build_topology(parse_compact("topology", "torus:radix=3"));
  const RelationPtr relation =
      build_relation(ring, FaultSet(*ring), parse_compact("routing", "shortest-path"));
  const std::string path = folder.file("ring.relation", relation_text(*relation));
  try {
    (void)build_relation(mesh, FaultSet(*mesh), parse_compact("routing", "relation:file=" + path));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("routing.file = 'channel "));
    EXPECT_THAT(error.what(), HasSubstr("must be that of the topology mesh:radix=3: channel "));
  }
}

TEST(RelationFile, IsAskedForWhereTheTopologyHasNone) {
  const TopologyPtr mesh = build_topology(parse_compact("topology", "mesh:radix=3"));
  EXPECT_THROW((void)build_relation(mesh, FaultSet(*mesh), parse_compact("routing", "relation")), Error);
}

}  // namespace
}  // namespace faultline
