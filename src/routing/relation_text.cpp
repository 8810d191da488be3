// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/relation_text.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "faultline/routing/contract.h"
#include "faultline/routing/states.h"
#include "faultline/topology/labellings.h"

namespace faultline {
namespace {

using formats::OptionRange;
using formats::RelationChannel;
using formats::RelationDestination;
using formats::RelationFile;

RelationChannel channel_of(const Topology& topology, ChannelId id) {
  RelationChannel channel;
  channel.role = topology.role(id);
  channel.from = topology.source(id).valid() ? topology.source(id).value() : topology.terminal(id).value();
  channel.to = topology.target(id).valid() ? topology.target(id).value() : topology.terminal(id).value();
  channel.cycles = topology.fly_cycles(id);
  return channel;
}

/// Links are written if their numbers differ from those of the channels.
void add_channels(const Topology& topology, RelationFile& file) {
  bool plain = true;
  for (const ChannelId id : topology.channels()) {
    file.channels.push_back(channel_of(topology, id));
    plain = plain && topology.link(id).index() == id.index() && topology.fly_cycles(id) == 1;
  }
  if (!plain)
    for (const ChannelId id : topology.channels()) file.channels[id.index()].link = topology.link(id).value();
}

RelationFile head_of(const RoutingRelation& relation) {
  const Topology& topology = relation.topology();
  RelationFile file;
  if (topology.find_labelling<RelationLabelling>() == nullptr) file.network = topology.name();
  file.switches = static_cast<std::uint32_t>(topology.switch_count());
  file.terminals = static_cast<std::uint32_t>(topology.terminal_count());
  file.virtual_channels = relation.virtual_channels();
  file.tags = relation.tag_count();
  file.reads_held = relation.reads_held_channel();
  add_channels(topology, file);
  for (const BubbleRing& ring : Contract(relation).bubble_rings()) {
    auto& members = file.rings.emplace_back();
    for (const VirtualChannel at : ring) members.push_back({at.channel.value(), at.vc});
  }
  return file;
}

/// Collects one destination's states, in the order in which they are found, with their unmodified options.
class Gathering {
 public:
  Gathering(const RoutingRelation& relation, TerminalId destination)
      : relation_(relation), contract_(relation), topology_(relation.topology()), destination_(destination) {}

  RelationDestination run() && {
    for (const TerminalId source : topology_.terminals()) {
      options_.clear();
      if (source != destination_) contract_.inject_spot_checked(source, destination_, options_);
      rows_.from.push_back(add_options(nullptr));
    }
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const RouteState here = found_[i];
      options_.clear();
      contract_.route_spot_checked(i, here, options_);
      rows_.states[i].options = add_options(&here);
    }
    std::ranges::sort(rows_.states, {}, [](const formats::RelationState& state) {
      return std::tuple(state.at, state.vc, state.tag);
    });
    return std::move(rows_);
  }

 private:
  OptionRange add_options(const RouteState* here) {
    const auto first = static_cast<std::uint32_t>(rows_.options.size());
    for (const RouteOption& option : options_) {
      const bool ejects = topology_.role(option.channel) == ChannelRole::ejection;
      std::uint32_t escapes = 0;
      for_each_vc(option.vcs, [&](std::uint8_t vc) {
        if (here == nullptr || ejects || relation_.is_escape(*here, option, vc)) escapes |= 1U << vc;
        if (!ejects) reach(option, vc);
      });
      rows_.options.push_back(
          {option.channel.value(), option.vcs, ejects ? 0 : option.tag, escapes, option.tier});
    }
    return {first, static_cast<std::uint32_t>(rows_.options.size()) - first};
  }

  void reach(const RouteOption& option, std::uint8_t vc) {
    const StateKey key = key_after(relation_, option, vc);
    if (!seen_.insert(key).second) return;
    rows_.states.push_back({key.at, key.vc, key.tag, {}});
    found_.push_back({topology_.target(option.channel), destination_, option.channel, key.vc, key.tag});
  }

  const RoutingRelation& relation_;
  Contract contract_;
  const Topology& topology_;
  TerminalId destination_;
  RelationDestination rows_;
  std::vector<RouteState> found_;
  std::unordered_set<StateKey, StateKeyHash> seen_;
  RouteOptions options_;
};

}  // namespace

std::string relation_text(const RoutingRelation& relation) {
  const auto all = relation.topology().terminals();
  return relation_text(relation, std::vector<TerminalId>(all.begin(), all.end()));
}

std::string relation_text(const RoutingRelation& relation, const std::vector<TerminalId>& destinations) {
  for (const TerminalId destination : destinations) relation.topology().require(destination, "destination");
  const RelationFile head = head_of(relation);
  std::string text;
  append_relation_head(text, head);
  for (const TerminalId destination : destinations)
    append_relation_destination(text, head, destination.value(), Gathering(relation, destination).run());
  formats::append_relation_end(text);
  return text;
}

}  // namespace faultline
