// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "faultline/formats/relation_file.h"
#include "faultline/topology/builder.h"
#include "faultline/topology/kind.h"
#include "faultline/topology/labellings.h"
#include "topology/columns.h"

namespace faultline::topologies {
namespace {

using formats::RelationChannel;
using formats::RelationFile;

void add_switches(const RelationFile& file, TopologyBuilder& builder) {
  std::vector<std::uint32_t> holders;
  std::vector<std::vector<std::uint32_t>> neighbours(file.switches);
  for (const RelationChannel& channel : file.channels) {
    if (channel.role == ChannelRole::injection) holders.push_back(channel.to);
    if (channel.role == ChannelRole::ejection) holders.push_back(channel.from);
    if (channel.role != ChannelRole::network) continue;
    neighbours[channel.from].push_back(channel.to);
    neighbours[channel.to].push_back(channel.from);
  }
  std::map<std::uint32_t, std::uint32_t> rows;
  for (const std::uint32_t column : columns_from(holders, neighbours))
    builder.add_switch({column, rows[column]++});
}

/// Ports are numbered in the order of the channels, outputs and inputs apart.
void connect_channels(const RelationFile& file, TopologyBuilder& builder) {
  std::vector<std::uint32_t> outputs(file.switches), inputs(file.switches);
  for (const RelationChannel& channel : file.channels) {
    const auto out = [&] { return Port{SwitchId(channel.from), outputs[channel.from]++}; };
    const auto in = [&] { return Port{SwitchId(channel.to), inputs[channel.to]++}; };
    if (channel.role == ChannelRole::network)
      builder.connect(out(), in(), channel.cycles);
    else if (channel.role == ChannelRole::injection)
      builder.connect_injection(TerminalId(channel.from), in(), channel.cycles);
    else
      builder.connect_ejection(out(), TerminalId(channel.to), channel.cycles);
  }
}

/// Links in the order of their numbers, those with a network channel first; a channel without a number is a
/// separate link, after the numbered ones.
std::vector<LinkId> links_of(const RelationFile& file) {
  struct Key {
    bool terminal_only, unnumbered;
    std::uint32_t number;
    auto operator<=>(const Key&) const = default;
  };
  std::map<std::uint32_t, bool> holds_network;
  for (const RelationChannel& channel : file.channels)
    if (channel.link != RelationChannel::own_link)
      holds_network[channel.link] |= channel.role == ChannelRole::network;
  std::vector<Key> keys;
  for (std::uint32_t number = 0; number < file.channels.size(); ++number) {
    const RelationChannel& channel = file.channels[number];
    if (channel.link == RelationChannel::own_link)
      keys.push_back({channel.role != ChannelRole::network, true, number});
    else
      keys.push_back({!holds_network[channel.link], false, channel.link});
  }
  std::map<Key, std::uint32_t> numbers;
  for (const Key& key : keys) numbers[key] = 0;
  std::uint32_t next = 0;
  for (auto& [key, number] : numbers) number = next++;
  std::vector<LinkId> links;
  for (const Key& key : keys) links.emplace_back(numbers[key]);
  return links;
}

struct Relation {
  InputFile file;

  static void fields(auto& field) {
    field("file", &Relation::file, file_path().required(),
          "relation file (format faultline-relation 1); its own routing is the default");
  }
  /// None: a relation is a file, and the program has none.
  static std::vector<Relation> samples() { return {}; }

  [[nodiscard]] Topology build(const std::string& name) const {
    RelationFile relation = formats::parse_relation(*file.content, file.path, "topology.file");
    if (relation.terminals < 2)
      throw Error("topology.file", std::to_string(relation.terminals) + " terminals",
                  "must have at least two terminals", {file.path, 0});
    TopologyBuilder builder;
    add_switches(relation, builder);
    for (std::uint32_t i = 0; i < relation.terminals; ++i) builder.add_terminal();
    connect_channels(relation, builder);
    builder.set_links(links_of(relation));
    builder.set_labelling(
        std::make_unique<RelationLabelling>(std::make_shared<const RelationFile>(std::move(relation))));
    return std::move(builder).build(name, "relation");
  }
};

}  // namespace

extern constinit const TopologyKind relation = topology_kind<Relation>(
    "relation", "the network of a relation file (--relation-out writes one of any routing)",
    "format faultline-relation 1");

}  // namespace faultline::topologies
