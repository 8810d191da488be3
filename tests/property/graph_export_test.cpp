// SPDX-License-Identifier: Apache-2.0
// Every network that is written as a graph is the same network when it is read again.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <tuple>

#include "faultline/base/random.h"
#include "faultline/routing/relation_text.h"
#include "faultline/topology/builder.h"
#include "faultline/topology/graph.h"
#include "support/sample_networks.h"

namespace faultline {
namespace formats {

/// For the names of tests.
static void PrintTo(GraphFormat format, std::ostream* out) {
  *out << std::array{"graphml", "json", "edges", "anynet", "dot"}.at(static_cast<std::size_t>(format));
}

}  // namespace formats
namespace {

using formats::GraphFormat;

const std::map<GraphFormat, std::string (*)(const formats::GraphFile&)> writers{
    {GraphFormat::graphml, &formats::graphml_text},
    {GraphFormat::json, &formats::node_link_text},
    {GraphFormat::edges, &formats::edge_list_text},
    {GraphFormat::dot, &formats::dot_text}};

InputFile input(std::string text) { return {"file", std::make_shared<const std::string>(std::move(text))}; }

TopologyPtr read_again(const Topology& topology, GraphFormat format) {
  const InputFile file = input(writers.at(format)(graph_of(topology)));
  EXPECT_EQ(formats::format_of(file), format);
  return std::make_shared<const Topology>(network_of(formats::parse_graph(file, format, "file"),
                                                     topology.name(), {.path = "file", .field = "file"}));
}

/// One channel by names and numbers that do not depend on the order of channels.
using Cable = std::tuple<std::string, std::uint32_t, std::string, std::uint32_t, std::uint32_t>;

Cable cable(const Topology& topology, ChannelId channel) {
  const auto end = [&](SwitchId at) {
    return at.valid() ? "switch " + std::to_string(at.value()) + " " + topology.name(at)
                      : "terminal " + std::to_string(topology.terminal(channel).value()) + " " +
                            topology.name(topology.terminal(channel));
  };
  return {end(topology.source(channel)), topology.source(channel).valid() ? topology.output_port(channel) : 0,
          end(topology.target(channel)), topology.target(channel).valid() ? topology.input_port(channel) : 0,
          topology.fly_cycles(channel)};
}

/// Channel by channel, as the numbers in fault lists and relations mean them.
void expect_same_channels(const Topology& a, const Topology& b) {
  ASSERT_EQ(a.channel_count(), b.channel_count());
  for (const ChannelId channel : a.channels()) {
    ASSERT_EQ(a.role(channel), b.role(channel));
    ASSERT_EQ(cable(a, channel), cable(b, channel)) << channel.value();
  }
}

void expect_same_link_numbers(const Topology& a, const Topology& b) {
  for (const ChannelId channel : a.channels()) ASSERT_EQ(a.link(channel), b.link(channel)) << a.name(channel);
}

/// The network as sets of channels that fail together, each sorted: equal for equal multigraphs.
std::vector<std::vector<Cable>> cables(const Topology& topology) {
  std::vector<std::vector<Cable>> all;
  for (const LinkId link : topology.links()) {
    auto& members = all.emplace_back();
    for (const ChannelId channel : topology.channels(link)) members.push_back(cable(topology, channel));
    std::ranges::sort(members);
  }
  std::ranges::sort(all);
  return all;
}

void expect_same_switches(const Topology& a, const Topology& b) {
  ASSERT_EQ(a.switch_count(), b.switch_count());
  ASSERT_EQ(a.terminal_count(), b.terminal_count());
  for (const SwitchId at : a.switches()) {
    EXPECT_EQ(a.name(at), b.name(at));
    EXPECT_EQ(a.position(at).column, b.position(at).column) << a.name(at);
    EXPECT_EQ(a.position(at).row, b.position(at).row) << a.name(at);
  }
  for (const TerminalId terminal : a.terminals()) EXPECT_EQ(a.name(terminal), b.name(terminal));
}

class Exported : public testing::TestWithParam<GraphFormat> {};

TEST_P(Exported, EverySampleComesBackChannelByChannel) {
  std::size_t compared = 0;
  for (const std::string& sample : sample_topologies()) {
    SCOPED_TRACE(sample);
    const TopologyPtr topology = build_topology(parse_compact("topology", sample));
    const TopologyPtr again = read_again(*topology, GetParam());
    expect_same_switches(*topology, *again);
    ASSERT_EQ(cables(*topology), cables(*again));
    for (const ChannelId channel : topology->channels()) {
      EXPECT_EQ(cable(*topology, channel), cable(*again, channel));
      EXPECT_EQ(topology->link(channel), again->link(channel)) << topology->name(channel);
    }
    ++compared;
  }
  EXPECT_GE(compared, topology_kinds().size() - 2);
}

TEST_P(Exported, RoutingsForAnyTopologyAreTheSameOnIt) {
  for (const char* sample :
       {"torus:radix=4x3", "fat-tree:k=2,n=3", "switch-ring:n=6", "dragonfly:p=1,a=3,h=1"})
    for (const char* routing : {"shortest-path", "up-down"}) {
      SCOPED_TRACE(std::string(sample) + " " + routing);
      const TopologyPtr topology = build_topology(parse_compact("topology", sample));
      const TopologyPtr again = read_again(*topology, GetParam());
      const auto text = [&](const TopologyPtr& network) {
        return relation_text(*build_healthy_relation(network, parse_compact("routing", routing)));
      };
      EXPECT_EQ(text(topology), text(again));
    }
}

std::string odd_name(RandomStream& random) {
  static const std::vector<std::string> parts{"leaf", " ", "\"",  "\\", "<&>", "'",   "\n", "\t",
                                              "#",    "=", "[3]", "ä",  "→",   "-> ", "7",  "{}"};
  std::string name;
  for (std::uint32_t i = 0; i < 1 + random.next_below(6); ++i)
    name += parts[random.next_below(static_cast<std::uint32_t>(parts.size()))];
  return name;
}

/// Other numbers for the links, still with those of the first `network` channels first.
void shuffle_numbers(std::vector<LinkId>& links, std::size_t network, RandomStream& random) {
  const auto end = [&](auto last) {
    return last == links.begin() ? 0U : std::ranges::max(std::span(links.begin(), last)).value() + 1;
  };
  const std::uint32_t middle = end(links.begin() + static_cast<std::ptrdiff_t>(network));
  std::vector<std::uint32_t> numbers(end(links.end()));
  std::iota(numbers.begin(), numbers.end(), 0U);
  const auto shuffle = [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t i = from; i < to; ++i) std::swap(numbers[i], numbers[i + random.next_below(to - i)]);
  };
  shuffle(0, middle);
  shuffle(middle, static_cast<std::uint32_t>(numbers.size()));
  for (LinkId& link : links) link = LinkId(numbers[link.index()]);
}

/// Everything that the builder accepts: one-way and two-way links, gaps between port numbers, flight times,
/// terminals with any number of channels, and otherwise unrelated channels that fail together.
TopologyPtr random_network(std::uint64_t seed, bool shuffled = false) {
  RandomStream random(seed, 0);
  TopologyBuilder builder;
  const std::uint32_t switches = 1 + random.next_below(6), terminals = 2 + random.next_below(5);
  std::set<std::string> taken;
  const auto name = [&] {
    std::string odd;
    if (random.next_below(2) != 0) do
        odd = odd_name(random);
      while (!taken.insert(odd).second);
    return odd;
  };
  for (std::uint32_t i = 0; i < switches; ++i)
    builder.add_switch({random.next_below(4), random.next_below(4)}, name());
  for (std::uint32_t i = 0; i < terminals; ++i) builder.add_terminal(name());
  std::vector<std::uint32_t> ports(switches);
  const auto port = [&](std::uint32_t at) {
    return Port{SwitchId(at), ports[at] += 1 + random.next_below(3)};
  };
  const auto cycles = [&] { return random.next_below(2) == 0 ? 1U : 1 + random.next_below(100); };
  std::size_t channels = 0, network = 0;
  for (std::uint32_t i = 0; switches > 1 && i < random.next_below(14); ++i) {
    const std::uint32_t a = random.next_below(switches);
    const std::uint32_t b = (a + 1 + random.next_below(switches - 1)) % switches;
    const Port from = port(a), to = port(b);
    const bool both = random.next_below(2) == 0;
    both ? builder.connect_both(from, to, cycles()) : builder.connect(from, to, cycles());
    network += both ? 2 : 1;
  }
  for (std::uint32_t i = 0; i < random.next_below(10); ++i) {
    const TerminalId terminal(random.next_below(terminals));
    const Port at = port(random.next_below(switches));
    const std::uint32_t drawn = random.next_below(3);
    if (drawn == 0) builder.connect_injection(terminal, at, cycles());
    if (drawn == 1) builder.connect_ejection(at, terminal, cycles());
    if (drawn == 2) builder.attach(terminal, at, cycles());
    channels += drawn == 2 ? 2 : 1;
  }
  channels += network;
  if (channels > 0 && random.next_below(3) == 0) {
    // In the order of their numbers, so that links which hold a network channel come first.
    std::vector<LinkId> links;
    for (std::size_t i = 0; i < channels; ++i)
      links.emplace_back(i == 0 ? 0
                         : random.next_below(2) == 0
                             ? links.back().index() + 1
                             : links[random.next_below(static_cast<std::uint32_t>(i))].index());
    std::vector<std::size_t> used;
    for (const LinkId link : links) used.push_back(link.index());
    std::ranges::sort(used);
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (LinkId& link : links)
      link = LinkId(static_cast<std::size_t>(std::ranges::lower_bound(used, link.index()) - used.begin()));
    if (shuffled) shuffle_numbers(links, network, random);
    builder.set_links(links);
  }
  return std::make_shared<const Topology>(std::move(builder).build("random", "shortest-path"));
}

TEST_P(Exported, AnyNetworkComesBackAsTheSameMultigraph) {
  std::size_t shared_links = 0, one_way = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const TopologyPtr topology = random_network(seed);
    const TopologyPtr again = read_again(*topology, GetParam());
    expect_same_switches(*topology, *again);
    ASSERT_EQ(cables(*topology), cables(*again));
    ASSERT_EQ(topology->network_link_count(), again->network_link_count());
    expect_same_channels(*topology, *again);
    expect_same_link_numbers(*topology, *again);
    for (const LinkId link : topology->links()) {
      shared_links += topology->channels(link).size() > 2 ? 1U : 0U;
      one_way += topology->channels(link).size() == 1 ? 1U : 0U;
    }
  }
  EXPECT_GT(shared_links, 50U);
  EXPECT_GT(one_way, 500U);
}

/// As relation files may number them.
TEST_P(Exported, ChannelsKeepTheirNumbersWhateverThoseOfLinksAre) {
  std::size_t out_of_order = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const TopologyPtr topology = random_network(seed, true);
    const TopologyPtr again = read_again(*topology, GetParam());
    expect_same_channels(*topology, *again);
    ASSERT_EQ(cables(*topology), cables(*again));
    ASSERT_EQ(topology->network_link_count(), again->network_link_count());
    for (std::size_t i = 1; i < topology->channel_count(); ++i)
      out_of_order += topology->link(ChannelId(i)) < topology->link(ChannelId(i - 1)) ? 1U : 0U;
  }
  EXPECT_GT(out_of_order, 200U);
}

/// Cables and channels of any role in any order, some of which share links.
std::string random_edge_list(std::uint64_t seed) {
  RandomStream random(seed, 1);
  const std::uint32_t switches = 2 + random.next_below(5), terminals = 2 + random.next_below(4);
  std::string text;
  for (std::uint32_t i = 0; i < switches; ++i) text += "switch s" + std::to_string(i) + "\n";
  for (std::uint32_t i = 0; i < terminals; ++i) text += "terminal t" + std::to_string(i) + "\n";
  for (std::uint32_t i = 0; i < 4 + random.next_below(16); ++i) {
    const std::uint32_t a = random.next_below(switches);
    std::string from = "s" + std::to_string(a),
                to = "s" + std::to_string((a + 1 + random.next_below(switches - 1)) % switches);
    if (random.next_below(2) == 0) to = "t" + std::to_string(random.next_below(terminals));
    if (random.next_below(2) == 0) std::swap(from, to);
    text += from + (random.next_below(3) == 0 ? " " : " -> ") + to;
    if (random.next_below(2) == 0) text += " link=" + std::to_string(random.next_below(6));
    text += "\n";
  }
  return text;
}

TEST_P(Exported, GraphsWithLinkNumbersComeBackWithAllNumbers) {
  std::size_t scattered = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const std::string text = random_edge_list(seed);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ":\n" << text);
    const Topology topology = network_of(formats::parse_graph(input(text), GraphFormat::edges, "file"),
                                         "random", {.path = "file", .field = "file"});
    const TopologyPtr again = read_again(topology, GetParam());
    expect_same_switches(topology, *again);
    expect_same_channels(topology, *again);
    expect_same_link_numbers(topology, *again);
    for (const LinkId link : topology.links()) {
      const auto members = topology.channels(link);
      scattered += members.back().index() - members.front().index() >= members.size() ? 1U : 0U;
    }
  }
  EXPECT_GT(scattered, 400U);
}

TEST_P(Exported, AttributesLengthsAndTerminalPortsAreWrittenAgain) {
  const std::string text =
      "switch a rack=\"r 1\" slots=36 powered=true price=4.0\nterminal t pci=\"0a:00\"\nterminal u\n"
      "t a source_port=2 target_port=5 length=1.5 colour=\"light blue\" kind=copper "
      "loss=1e-30\nu a\n";
  const formats::GraphFile graph = formats::parse_graph(input(text), GraphFormat::edges, "file");
  const Topology topology = network_of(graph, "own", {.path = "file", .field = "file"});
  const formats::GraphFile first = graph_of(topology);
  ASSERT_EQ(first.nodes[0].attributes, graph.nodes[0].attributes);
  ASSERT_EQ(first.nodes[0].attributes.size(), 4U);
  ASSERT_EQ(first.edges[0].attributes.size(), 3U);
  ASSERT_EQ(first.edges[0].length, 1.5);
  ASSERT_EQ(first.edges[0].source_port, 2U);
  const TopologyPtr again = read_again(topology, GetParam());
  EXPECT_EQ(graph_of(*again).nodes[0].attributes, first.nodes[0].attributes);
  EXPECT_EQ(graph_of(*again).edges[0].attributes, first.edges[0].attributes);
  EXPECT_EQ(writers.at(GetParam())(graph_of(*again)), writers.at(GetParam())(first));
}

/// Labels that a network has of its own are kept, unless they say what a drawing says anyway.
TEST(ExportedDot, KeepsOwnLabelsAndIsWrittenTheSameAgain) {
  const formats::GraphFile graph = formats::parse_graph(
      input("switch a name=A label=B shape=box\nswitch b name=7 label=7\nswitch c label=\"\\\\N\"\n"
            "a b target_port=1 headlabel=1 taillabel=x\nb c dir=up\n"),
      GraphFormat::edges, "file");
  ASSERT_EQ(graph.nodes[2].attributes.size(), 1U);
  const std::string text = formats::dot_text(graph);
  const formats::GraphFile again = formats::parse_graph(input(text), GraphFormat::dot, "file");
  EXPECT_EQ(again.nodes[0].attributes, (formats::GraphAttributes{{"label", "B"}}));
  EXPECT_TRUE(again.nodes[1].attributes.empty());
  EXPECT_TRUE(again.nodes[2].attributes.empty());
  EXPECT_EQ(again.edges[0].attributes, (formats::GraphAttributes{{"taillabel", "x"}}));
  EXPECT_TRUE(again.edges[1].attributes.empty());
  EXPECT_EQ(formats::dot_text(again), text);
}

INSTANTIATE_TEST_SUITE_P(Formats, Exported,
                         testing::Values(GraphFormat::graphml, GraphFormat::json, GraphFormat::edges,
                                         GraphFormat::dot));

}  // namespace
}  // namespace faultline
