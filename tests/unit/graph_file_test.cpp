// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faultline/routing/kind.h"
#include "faultline/topology/graph.h"
#include "faultline/topology/kind.h"
#include "support/error_message.h"

namespace faultline {
namespace {

using testing::HasSubstr;

/// Topology `graph` on a file with this content, and more parameters.
TopologyPtr graph_network(const std::string& content, const std::string& parameters = {}) {
  Description given = parse_compact("topology", "graph:file=net" + parameters);
  given.files = std::make_shared<InputFiles>();
  given.files->add("net", content);
  return build_topology(given);
}

std::string refusal(const std::string& content, const std::string& parameters = {}) {
  return testing_support::error_message([&] { (void)graph_network(content, parameters); });
}

std::vector<std::string> channel_names(const Topology& topology) {
  std::vector<std::string> names;
  for (const ChannelId channel : topology.channels()) names.push_back(topology.name(channel));
  return names;
}

TEST(GraphFile, NetworkxGraphsGetATerminalOnEverySwitch) {
  const std::vector<std::string> wanted{"switch 7[0] -> switch 5[0]", "switch 5[0] -> switch 7[0]",
                                        "switch 5[1] -> switch 6[0]", "switch 6[0] -> switch 5[1]",
                                        "terminal 0 -> switch 7[1]",  "terminal 1 -> switch 5[2]",
                                        "terminal 2 -> switch 6[1]",  "switch 7[1] -> terminal 0",
                                        "switch 5[2] -> terminal 1",  "switch 6[1] -> terminal 2"};
  EXPECT_EQ(channel_names(*graph_network("7 5 {'weight': 2, 'new': 'x'}\n5 6 {}\n")), wanted);
  for (const std::string list : {"links", "edges"})
    EXPECT_EQ(channel_names(*graph_network(R"({"directed": false, "multigraph": false, "graph": {},
      "nodes": [{"id": 7}, {"id": 5, "pos": [1, 2], "none": null}, {"id": 6}], ")" +
                                           list + R"(": [
      {"source": 7, "target": 5, "weight": 2.5}, {"source": 5, "target": 6}]})")),
              wanted);
  EXPECT_EQ(channel_names(*graph_network(R"(<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
      <graph edgedefault="undirected"><node id="7"/><node id="5"/><node id="6"/>
      <edge source="7" target="5"/><edge source="5" target="6"/></graph></graphml>)")),
            wanted);
  EXPECT_EQ(graph_network("a b\n", ",terminals_per_switch=3")->terminal_count(), 6U);
}

TEST(GraphFile, NodesOfOneNameAreToldApartByTheirIds) {
  const std::string two = "switch a name=\"same\"\nswitch b name=\"same\"\nswitch c\na b\nb c\n";
  const TopologyPtr topology = graph_network(two);
  std::vector<std::string> names;
  for (const SwitchId at : topology->switches()) names.push_back(topology->name(at));
  EXPECT_EQ(names, (std::vector<std::string>{"same (a)", "same (b)", "c"}));
  EXPECT_THAT(refusal(two + "switch d name=\"same (a)\"\n c d\n"), HasSubstr("is the name of two nodes"));
}

TEST(GraphFile, AnynetLatenciesAreOneWayAndCablesOfBothLinesAreOne) {
  const TopologyPtr topology = graph_network(
      "router 0 node 0 router 1 15 router 2\n\nrouter 1 node 1 4 router 0 router 2 2 router 2\n"
      "node 2 router 2\n");
  ASSERT_EQ(topology->terminal_count(), 3U);
  ASSERT_EQ(topology->network_link_count(), 4U);  // 0-1, 0-2 and twice 1-2
  const auto cycles = [&](std::string_view from, std::string_view to) {
    std::vector<std::uint32_t> all;
    for (const ChannelId channel : topology->channels())
      if (topology->name(channel).starts_with(from) &&
          topology->name(channel).find(" -> " + std::string(to)) != std::string::npos)
        all.push_back(topology->fly_cycles(channel));
    return all;
  };
  EXPECT_EQ(cycles("router 0", "router 1"), std::vector{15U});
  EXPECT_EQ(cycles("router 1", "router 0"), std::vector{1U});
  EXPECT_EQ(cycles("router 1", "router 2"), (std::vector{2U, 1U}));
  EXPECT_EQ(cycles("node 1", "router 1"), std::vector{4U});
  EXPECT_EQ(cycles("router 1", "node 1"), std::vector{4U});
}

TEST(GraphFile, AnynetNodesAreInTheOrderOfTheirNumbers) {
  const TopologyPtr topology = graph_network(
      "router 2 node 3 router 1\nrouter 1 node 2 node 10 router 2 7\nrouter 0 node 0 router 1 node 1\n");
  std::vector<std::string> names;
  for (const TerminalId terminal : topology->terminals()) names.push_back(topology->name(terminal));
  for (const SwitchId at : topology->switches()) names.push_back(topology->name(at));
  EXPECT_EQ(names, (std::vector<std::string>{"node 0", "node 1", "node 2", "node 3", "node 10", "router 0",
                                             "router 1", "router 2"}));
  for (const ChannelId channel : topology->channels()) {
    const bool slow = topology->name(channel).starts_with("router 1") &&
                      topology->name(channel).find("-> router 2") != std::string::npos;
    EXPECT_EQ(topology->fly_cycles(channel), slow ? 7U : 1U) << topology->name(channel);
  }
}

TEST(GraphFile, AByteOrderMarkIsNotPartOfAName) {
  const std::string mark = "\xef\xbb\xbf";
  for (const std::string& text :
       {std::string("0 1\n1 2\n2 0\n"), std::string("# a triangle\n0 1\n1 2\n2 0\n"),
        std::string("router 0 node 0 router 1\nrouter 1 node 1\n"), std::string("graph { a -- b -- c }"),
        std::string(R"({"nodes": [{"id": 0}, {"id": 1}], "links": [{"source": 0, "target": 1}]})"),
        std::string(
            "<graphml><graph><node id='a'/><node id='b'/><edge source='a' target='b'/></graph></graphml>")})
    EXPECT_EQ(channel_names(*graph_network(mark + text)), channel_names(*graph_network(text))) << text;
}

TEST(GraphFile, LinksAreNamedByTheirEndsWhateverTheseAreCalled) {
  const TopologyPtr topology = graph_network("\"x -> y\" b\n");
  EXPECT_EQ(topology->name(ChannelId(0)), "x -> y[0] -> b[0]");
  EXPECT_EQ(topology->name(LinkId(0)), "x -> y[0] - b[0]");
}

/// Only two opposite channels are a cable that "-" stands for.
TEST(GraphFile, OtherLinksOfTwoChannelsAreNamedByTheirDirections) {
  const std::string text =
      "switch a\nswitch b\nswitch c\nterminal t\nterminal u\na -> b link=1\nc -> a link=1\n"
      "b -> c link=2\nb -> c link=2\nc -> b link=3\nb -> c link=3\n"
      "t -> a link=4\nb -> u link=4\nt -> c link=5\nc -> u link=5\nu -> b link=6\nb -> u link=6\n";
  const TopologyPtr topology = graph_network(text);
  std::vector<std::string> names, from_other_end;
  for (const LinkId link : topology->links()) {
    names.push_back(topology->name(link));
    from_other_end.push_back(topology->name_from_other_end(link));
  }
  EXPECT_THAT(names, testing::ElementsAre("a[0] -> b[0] and 1 more", "b[0] -> c[0] and 1 more", "c[1] - b[1]",
                                          "t -> a[1] and 1 more", "t -> c[3] and 1 more", "u - b[2]"));
  EXPECT_EQ(from_other_end[0], names[0]);
  EXPECT_EQ(from_other_end[2], "b[2] - c[2]");
  EXPECT_EQ(from_other_end[3], names[3]);
  EXPECT_EQ(from_other_end[5], "b[4] - u");
}

/// What numbers links have says nothing: it counts whether each is a channel there and one back.
TEST(GraphFile, UpDownIsTheDefaultForTwoWayNetworksOnly) {
  const auto by_default = [](const std::string& text) {
    return std::string(graph_network(text)->default_routing());
  };
  const auto up_down = [](const std::string& text) {
    return testing_support::error_message(
        [&] { (void)build_healthy_relation(graph_network(text), parse_compact("routing", "up-down")); });
  };
  const std::string ring = "a -> b\nb -> c\nc -> a\n",
                    numbered = "a -> b link=1\nb -> c link=2\nc -> a link=3\n";
  const std::string bundle = "a -> b link=1\nb -> a link=1\na -> b link=1\nb -> a link=1\n";
  EXPECT_EQ(by_default("a b\nb c\nc a\n"), "up-down");
  EXPECT_EQ(by_default("a -> b link=7\nb -> c link=3\nb -> a link=7\nc -> b link=3\n"), "up-down");
  for (const std::string& one_way : {ring, numbered, bundle}) {
    EXPECT_EQ(by_default(one_way), "lash") << one_way;
    EXPECT_NO_THROW((void)build_healthy_relation(graph_network(one_way), parse_compact("routing", "lash")));
    EXPECT_THAT(up_down(one_way), HasSubstr("needs two-way links"));
  }
  EXPECT_THAT(up_down(numbered), testing::EndsWith("has neither"));
  EXPECT_THAT(up_down(bundle), HasSubstr("has neither (cables that share a link number"));
}

/// No attribute of a node or an edge that the other has is missed, and one without a meaning may be anything.
TEST(GraphFile, WhatHasNoMeaningMayBeAnything) {
  const std::vector<std::string> wanted = channel_names(*graph_network("a b\n"));
  for (const std::string text : {"a b x=1 y=2 # x=3\n", "a b c=\"x\"# d\n", "a b c=\"x\" d=\"y\"\n",
                                 "a b {'row': None, 'pos': [1, 2]}\n", "switch a {'cycles': None}\na b\n",
                                 "{\"nodes\": [{\"id\": \"a\", \"cycles\": null, \"pos\": {\"x\": 1}}, "
                                 "{\"id\": \"b\"}], \"edges\": [{\"source\": "
                                 "\"a\", \"target\": \"b\", \"name\": null, \"row\": [1], \"key\": 0}]}"})
    EXPECT_EQ(channel_names(*graph_network(text)), wanted) << text;
}

/// Nodes of networkx may be tuples, which it writes as lists.
TEST(GraphFile, IdsMayBeListsOfLists) {
  const TopologyPtr topology = graph_network(
      R"({"nodes": [{"id": [[0, 1], null]}, {"id": [[0, 2], null]}, {"id": [3]}], "edges": [
          {"source": [[0, 1], null], "target": [[0, 2], null]}, {"source": [3], "target": [[0, 1], null]}]})");
  std::vector<std::string> names;
  for (const SwitchId at : topology->switches()) names.push_back(topology->name(at));
  EXPECT_EQ(names, (std::vector<std::string>{"((0, 1), null)", "((0, 2), null)", "(3)"}));
  EXPECT_THAT(refusal(R"({"nodes": [{"id": [1, {"a": 2}]}], "edges": []})"),
              HasSubstr("in the id of a node"));
}

TEST(GraphFile, MembersOfAnObjectHaveDifferentNames) {
  for (const std::string twice : {R"("x": 1, "x": 2)", R"("x": 1, "x": null)", R"("x": [1], "x": 2)"})
    EXPECT_THAT(refusal(R"({"nodes": [{"id": 0, )" + twice + R"(}], "edges": []})"), HasSubstr("x")) << twice;
}

TEST(GraphFile, NumbersThatAreTooLargeAreNamed) {
  EXPECT_THAT(refusal(R"({"nodes": [{"id": 0, "x": 1e999}], "edges": []})"),
              HasSubstr("number overflow parsing '1e999'"));
}

TEST(GraphFile, PortsOfDotThatAreNumbersMustBePorts) {
  EXPECT_EQ(graph_network("graph { a:f1:n -- b:3 }")->switch_count(), 2U);
  for (const std::string port : {"4294967296", "-1", "1.5"})
    EXPECT_THAT(refusal("graph { a:" + port + " -- b }"), HasSubstr("must be a port")) << port;
}

TEST(GraphFile, ATextHoldsNoNull) {
  EXPECT_THAT(refusal(std::string("a b\nb c\0d\n", 10)), HasSubstr("must not be in a text file"));
}

TEST(GraphFile, ANodeOfAnEdgeListMayBeCalledGraph) {
  for (const std::string edge : {"graph b", "graph b {}", "graph b {'weight': 3}", "graph b {\"weight\": 3}"})
    EXPECT_EQ(graph_network(edge + "\n")->name(SwitchId(0)), "graph") << edge;
  for (const std::string dot :
       {"graph b { x -- y }", "graph b {\"x\" -- y}", "graph b {\n  x -- y\n}", "graph b { x; y }",
        "graph b {\"x\"; y}", "graph b { node [shape=box]\n x -- y\n}",
        "graph b { subgraph s { x }\n x -- y }"})
    EXPECT_EQ(graph_network(dot + "\n")->name(SwitchId(0)), "x") << dot;
}

TEST(GraphFile, ACommentMayStandBehindADictionary) {
  EXPECT_EQ(graph_network("0 1 {'cycles': 2, 'a': '}#'} # fast\n1 2\n")->fly_cycles(ChannelId(0)), 2U);
  EXPECT_THAT(refusal("0 1 {'cycles': 2} fast\n"), HasSubstr("must be the end of the line"));
}

/// U+FFFF is UTF-8, and no character of XML 1.0.
TEST(GraphFile, WhatIsWrittenAsGraphmlCanBeReadBack) {
  const TopologyPtr topology = graph_network("\"a\xef\xbf\xbf\\u0001<&>\" b\n");
  EXPECT_EQ(graph_network(formats::graphml_text(graph_of(*topology)))->name(SwitchId(0)),
            "a\xef\xbf\xbd\xef\xbf\xbd<&>");
}

/// What networkx 3 writes for attributes that say nothing about the network.
TEST(GraphFile, AttributesAreReadAsPythonWritesThem) {
  const auto names = [](const std::string& text) { return channel_names(*graph_network(text)); };
  const std::vector<std::string> wanted = names("0 1\n1 2\n");
  for (const std::string attributes :
       {R"({'optical': True, 'spare': False, 'owner': None, 'loss': nan})",
        R"({'owner': "it's", 'at': (1, 2)})",
        R"({'at': (1,), 'path': 'C:\\new', 'quote': 'say "hi"', 'bell': '\x07\u200b'})", "3.0", "-2", "1e-3"})
    EXPECT_EQ(names("0 1 " + attributes + "\n1 2 {}\n"), wanted) << attributes;
  EXPECT_EQ(graph_network("0 1 {'cycles': 5, 'owner': 'it\\'s'}\n1 2\n")->fly_cycles(ChannelId(0)), 5U);
  EXPECT_EQ(names(R"(<graphml><key id="d0" for="edge" attr.name="optical" attr.type="boolean"/>
<key id="d1" for="edge" attr.name="loss" attr.type="double"/><key id="d2" for="edge" attr.name="n" attr.type="int"/>
<graph edgedefault="undirected"><node id="0"/><node id="1"/><node id="2"/><edge source="0" target="1">
<data key="d0">True</data><data key="d1">nan</data><data key="d2"> 5
</data></edge><edge source="1" target="2"><data key="d0">False</data></edge></graph></graphml>)"),
            wanted);
}

TEST(GraphFile, NodesOfAGridHaveListsAsIds) {
  const TopologyPtr topology =
      graph_network(R"({"directed": false, "nodes": [{"id": [0, 0], "pos": [3, 4]}, {"id": [0, 1]}],
    "edges": [{"source": [0, 0], "target": [0, 1], "cycles": 3}]})");
  EXPECT_EQ(topology->name(SwitchId(1)), "(0, 1)");
  EXPECT_EQ(topology->network_link_count(), 1U);
  EXPECT_EQ(topology->fly_cycles(ChannelId(0)), 3U);
}

TEST(GraphFile, GraphmlKeysHaveTypesDefaultsAndPorts) {
  const TopologyPtr topology = graph_network(R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml><key id="k" for="node" attr.name="kind" attr.type="string"><default>terminal</default></key>
<key id="c" for="edge" attr.name="cycles" attr.type="int"><default>9</default></key>
<key id="n" attr.name="name" attr.type="string"/><graph edgedefault="directed">
<edge source="t" target="s" directed="false" targetport="5"/><edge source="s" target="u"><data key="c">2</data></edge>
<node id="s"><data key="k">switch</data><data key="n">A &amp; &lt;B&gt;</data><port name="5"/></node>
<node id="t"/><node id="u"/></graph></graphml>)");
  EXPECT_EQ(channel_names(*topology),
            (std::vector<std::string>{"t -> A & <B>[5]", "A & <B>[5] -> t", "A & <B>[0] -> u"}));
  EXPECT_EQ(topology->fly_cycles(ChannelId(0)), 9U);
  EXPECT_EQ(topology->fly_cycles(ChannelId(2)), 2U);
}

TEST(GraphFile, GraphmlDataOfPortsAndOfOtherKeysIsNotThatOfTheNode) {
  const TopologyPtr topology = graph_network(R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml><key id="k" for="node" attr.name="kind" attr.type="string"/><key id="n" for="port" attr.name="name" attr.type="string"/>
<key id="p" for="port" attr.name="kind" attr.type="string"/><graph edgedefault="undirected">
<node id="leaf"><data key="k">switch</data><port name="5"><data key="n">eth1</data><data key="p">rj45</data></port></node>
<node id="t"><data key="k">terminal</data><data key="n">other</data></node><node id="u"><data key="k">terminal</data></node>
<edge source="t" target="leaf"/><edge source="u" target="leaf"/></graph></graphml>)");
  EXPECT_EQ(topology->name(SwitchId(0)), "leaf");
  EXPECT_EQ(topology->name(TerminalId(0)), "t");
}

TEST(GraphFile, DotIsReadAsGraphvizReadsIt) {
  const TopologyPtr topology = graph_network(R"(# a preprocessor's line
/* Graphviz */ strict Digraph "a \
plant" { graph [rankdir=LR]; size="3,2"
  node [shape=box, kind=switch] edge [cycles=4]
  subgraph cluster_0 { edge [cycles=2, dir=both]; A; "B" + " 1" [name="second \"leaf\""] A -> "B 1" }
  subgraph s { node [kind=terminal] t; u; }  // terminals
  A:5 -> t:n [dir=none; cycles=1] [color=red]
  {A "B 1"} -> subgraph { u } [dir=both]
  A -> -2.5:7:se -> "B 1" ["cycles"="9" dir=back]
  A -> t [dir=both] })");
  EXPECT_EQ(channel_names(*topology),
            (std::vector<std::string>{"A[0] -> second \"leaf\"[0]", "second \"leaf\"[0] -> A[0]",
                                      "-2.5[7] -> A[2]", "second \"leaf\"[2] -> -2.5[7]", "t -> A[5]",
                                      "u -> A[1]", "u -> second \"leaf\"[1]", "A[5] -> t", "A[1] -> u",
                                      "second \"leaf\"[1] -> u"}));
  std::vector<std::uint32_t> cycles;
  for (const ChannelId channel : topology->channels()) cycles.push_back(topology->fly_cycles(channel));
  EXPECT_EQ(cycles, (std::vector<std::uint32_t>{2, 2, 9, 9, 1, 4, 4, 1, 4, 4}));
}

TEST(GraphFile, GroupsOfDotAreEveryPairOfTheirNodes) {
  const TopologyPtr topology = graph_network("graph{{a b} -- {c d c} -- e; {a b}}\n");
  EXPECT_EQ(topology->network_link_count(), 6U);
  EXPECT_EQ(topology->switch_count(), 5U);
  EXPECT_EQ(
      graph_network("graph g\n{ a -- b -- c; c -- b; }", ",terminals_per_switch=2")->network_link_count(),
      3U);
  EXPECT_EQ(graph_network("strict graph g\n{ a -- b -- c; c -- b; }")->network_link_count(), 2U);
  EXPECT_EQ(graph_network("graph b {'weight': 2}\ngraph c {}\n")->switch_count(), 3U) << "an edge list";
  std::string group = "{";
  for (int i = 0; i < 257; ++i) group += " n" + std::to_string(i);
  EXPECT_THAT(refusal("graph { " + group + "} -- " + group + " x} }"), HasSubstr("at most 65536 edges"));
}

TEST(GraphFile, LengthsGiveFlightTimes) {
  const std::string text = "a b length=2.5\na b length=0\na b length=30 cycles=4\n";
  const auto cycles = [](const Topology& topology) {
    std::vector<std::uint32_t> all;
    for (const LinkId link : id_range<LinkId>(0, topology.network_link_count()))
      all.push_back(topology.fly_cycles(topology.channels(link).front()));
    return all;
  };
  EXPECT_EQ(cycles(*graph_network(text)), (std::vector{1U, 1U, 4U}));
  EXPECT_EQ(cycles(*graph_network(text, ",metres_per_cycle=0.5")), (std::vector{5U, 1U, 4U}));
  EXPECT_THAT(refusal("a b length=9e9\n", ",metres_per_cycle=1"), HasSubstr("must take at most 65536"));
}

TEST(GraphFile, RefusalsNameFileLineAndWhatIsAllowed) {
  struct Case {
    std::string content;
    std::vector<std::string> said;
  };
  const std::vector<Case> cases{
      {"a b\nb b\n", {"net:2", "'b -- b'", "two different nodes"}},
      {"a\n", {"net:1", "the node at the other end"}},
      {"a b cycles=0\n", {"net:1", "'0'", "from 1 to 65536"}},
      {"a b\na b source_port=x\n", {"net:2", "'x'", "source_port"}},
      {"a b 3.5 red\n", {"net:1", "name=value"}},
      {"a b {oops}\n", {"net:1", "dictionary"}},
      {"terminal t\nterminal u\nt u\n", {"net:3", "connects two terminals"}},
      {"switch a kind=leaf\n", {"net:1", "'leaf'", "must be switch or terminal"}},
      {"switch a\nswitch a\n", {"net:2", "declared before"}},
      {"a b source_port=1\na c source_port=1\n", {"net:2", "port 1 of a"}},
      {"a \"b\n", {"net:1", "in quotes"}},
      {"a b\n\xff\n", {"net:2", "UTF-8"}},
      {"", {"from 2 to"}},
      {"switch a\n", {"'terminals: 1'", "from 2 to"}},
      {"graph {\n a -> b\n}\n", {"net:2", "'->'", "must be -- in a graph"}},
      {"digraph {\n a -- b\n}\n", {"net:2", "'--'", "must be -> in a digraph"}},
      {"graph {\n a -- b\n", {"net:3", "the end of the file", "or }"}},
      {"graph {\n a -- b\n}\ngraph {}\n", {"net:4", "'graph'", "only graph"}},
      {"graph {\n a -- b [cycles=0]\n}\n", {"net:2", "'0'", "from 1 to 65536"}},
      {"graph {\n a -- b [cycles]\n}\n", {"net:2", "']'", "must be ="}},
      {"graph {\n a -- 2b\n}\n", {"net:2", "'2b'", "in quotes"}},
      {"graph {\n a -- b!\n}\n", {"net:2", "'!'", "in quotes"}},
      {"graph {\n\"a -- b\n}\n", {"net:2", "no closing quote"}},
      {"graph {\n/* a -- b\n}\n", {"net:2", "must end with */"}},
      {"graph {\n a [label=<b\n}\n", {"net:2", "no closing >"}},
      {"graph {\n a --\n}\n", {"net:3", "'}'", "the node at the other end"}},
      {"digraph {\n a -> b\n [dir=up]\n}\n", {"net:3", "'up'", "both or none"}},
      {"graph {\n a -- a\n}\n", {"net:2", "'a -- a'", "two different nodes"}},
      {"graph {\n" + std::string(200, '{') + "\n", {"net:2", "at most 100 groups"}},
      {"{\n \"nodes\": [}\n", {"net:2", "JSON"}},
      {"{\"nodes\": []}", {"links or edges"}},
      {"{\"nodes\": [\n{\"id\": 1},\n{\"id\": 1}], \"links\": []}", {"net:3", "'1'", "every id"}},
      {"{\"nodes\": [{\"id\": 1}], \"edges\": [\n\n{\"source\": 1, \"target\": 2}]}",
       {"net:3", "'2'", "id of a node"}},
      {"{\"nodes\":\n [3], \"edges\": []}", {"net:2", "'3'", "must be an object"}},
      {"{\"nodes\": 3, \"edges\": []}", {"net:1", "'3'", "a list of objects: nodes"}},
      {"{\"directed\": 1, \"nodes\": [], \"edges\": []}", {"net:1", "true or false"}},
      {"{\"edges\": []}", {"a list of objects: nodes"}},
      {"{\"nodes\": [{\"id\": 1.5}], \"edges\": []}", {"net:1", "'1.5'", "a string or an integer: id"}},
      {"{\"nodes\": [{\"id\": {\"x\": 1}}], \"edges\": []}", {"net:1", "a string or an integer: id"}},
      {"<graphml><graph>\n<node/></graph></graphml>", {"net:2", "attribute id"}},
      {"<graphml><graph>\n<node id='a'>\n</graph></graphml>", {"net:3", "well-formed XML"}},
      {"<graphml><graph><node id='a'><graph/></node></graph></graphml>", {"second graph"}},
      {"<graphml/>", {"no <graph>"}},
      {"<graphml><key id='c' for='edge' attr.name='cycles' attr.type='int'/><graph><node id='a'/><node "
       "id='b'/>\n"
       "<edge source='a' target='b'><data key='c'>two</data></edge></graph></graphml>",
       {"net:2", "'two'", "integer"}},
      {"a b =5\n", {"net:1", "name of an attribute"}},
      {"a b {'': 5}\n", {"net:1", "name of an attribute"}},
      {"a b\na b cycles=7 cycles=3\n", {"net:2", "'cycles'", "given twice"}},
      {"a b 3 weight=3\n", {"net:1", "'weight'", "given twice"}},
      {"terminal t x=1 x=1\n", {"net:1", "'x'", "given twice"}},
      {"terminal t kind=switch\n", {"net:1", "'kind'", "given twice"}},
      {"a b {\"cycles\": 2, \"cycles\": 3}\n", {"net:1", "'cycles'", "given twice"}},
      {"a b {'x': 2, 'y': 1, 'x': 3}\n", {"net:1", "'x'", "given twice"}},
      {"a b c=\"x\"d=3\n", {"net:1", "a blank behind"}},
      {"\"a\"b\n", {"net:1", "a blank behind"}},
      {"a b {\"cycles\": [1]}\n", {"net:1", "a number, a text, true or false: cycles"}},
      {"a b {'length': nan}\n", {"net:1", "a number, a text, true or false: length"}},
      {"switch a {'row': None}\n", {"net:1", "a number, a text, true or false: row"}},
      {"{\"nodes\": [{\"id\": 1}, {\"id\": 2}], \"edges\": [\n{\"source\": 1, \"target\": 2, \"cycles\": "
       "null}]}",
       {"net:2", "'null'", "a number, a text, true or false: cycles"}},
      {"{\"nodes\": [{\"id\": 1}, {\"id\": 2}], \"edges\": [\n{\"source\": 1, \"target\": 2, \"link\": "
       "[3]}]}",
       {"net:2", "'a list'", "a number, a text, true or false: link"}},
      {"{\"nodes\": [{\"id\": 1,\n \"name\": {}}], \"edges\": []}",
       {"net:2", "'an object'", "a number, a text, true or false: name"}},
      {"{\"nodes\": [{\"id\": 1, \"x\": 1,\n \"x\": 1}], \"edges\": []}", {"net:2", "'x'", "given twice"}},
      {"{\"nodes\": [{\"id\": 1,\n \"\": 1}], \"edges\": []}", {"net:1", "name of an attribute"}},
      {"router 0 router x\n", {"net:1", "'x'", "number of a router"}},
      {"router 0 node 0\nnode 0 node 1\n", {"net:2", "connected to a node"}},
      {"router 0 router 1 0\n", {"net:1", "'0'", "latency"}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.content);
    const std::string said = refusal(one.content);
    EXPECT_THAT(said, HasSubstr("topology.file"));
    for (const std::string& part : one.said) EXPECT_THAT(said, HasSubstr(part));
  }
  EXPECT_THAT(refusal("terminal t\nt a\n", ",terminals_per_switch=2"), HasSubstr("has its own"));
}

TEST(GraphFile, TheFormatMayBeNamed) {
  EXPECT_EQ(graph_network("node x\n", ",format=edges")->switch_count(), 2U);
  EXPECT_THAT(refusal("node x\n"), HasSubstr("number of a node"));
}

}  // namespace
}  // namespace faultline
