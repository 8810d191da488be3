// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "faultline/routing/relation_text.h"

namespace faultline {
namespace {

using formats::OptionRange;
using formats::RelationChannel;
using formats::RelationDestination;
using formats::RelationFile;
using formats::RelationOption;
using formats::RelationState;

std::string described(ChannelRole role, std::size_t from, std::size_t to, std::uint32_t cycles) {
  constexpr std::string_view letters = "nie";
  const std::string text = fmt::format("{} {} {}", letters[static_cast<std::size_t>(role)], from, to);
  return cycles == 1 ? text : fmt::format("{} of {} cycles", text, cycles);
}

std::string described(const Topology& topology, ChannelId channel) {
  const auto end = [&](SwitchId at) { return at.valid() ? at.index() : topology.terminal(channel).index(); };
  return described(topology.role(channel), end(topology.source(channel)), end(topology.target(channel)),
                   topology.fly_cycles(channel));
}

void require_same_network(const RelationFile& file, const Topology& topology, const std::string& path) {
  const auto refuse = [&](const std::string& theirs, const std::string& ours) {
    throw Error("routing.file", theirs,
                fmt::format("must be that of the topology {}: {}", topology.name(), ours), {path, 0});
  };
  const auto compare = [&](std::size_t theirs, std::size_t ours, std::string_view what) {
    if (theirs != ours) refuse(fmt::format("{} {}", what, theirs), fmt::format("{} {}", what, ours));
  };
  compare(file.switches, topology.switch_count(), "switches");
  compare(file.terminals, topology.terminal_count(), "terminals");
  for (std::size_t number = 0; number < file.channels.size(); ++number) {
    const RelationChannel& channel = file.channels[number];
    const std::string theirs = described(channel.role, channel.from, channel.to, channel.cycles);
    const std::string ours =
        number < topology.channel_count() ? described(topology, ChannelId(number)) : "no channel";
    if (theirs != ours)
      refuse(fmt::format("channel {}: {}", number, theirs), fmt::format("channel {}: {}", number, ours));
  }
  compare(file.channels.size(), topology.channel_count(), "channels");
}

class TabulatedRelation final : public RoutingRelation {
 public:
  TabulatedRelation(TopologyPtr topology, std::shared_ptr<const RelationFile> file)
      : RoutingRelation(std::move(topology)), file_(std::move(file)), unreached_(unreached_states(*file_)) {}

  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    const RelationDestination& rows = file_->destinations[destination.index()];
    append(rows, rows.from[source.index()], options);
  }

  void route(const RouteState& state, RouteOptions& options) const override {
    const RelationDestination& rows = file_->destinations[state.destination.index()];
    if (const RelationState* row = find(rows, state)) append(rows, row->options, options);
  }

  [[nodiscard]] std::uint64_t tag_count() const override { return file_->tags; }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return file_->virtual_channels; }
  [[nodiscard]] bool reads_held_channel() const override { return file_->reads_held; }

  [[nodiscard]] std::vector<BubbleRing> bubble_rings() const override {
    std::vector<BubbleRing> rings;
    for (const auto& members : file_->rings) {
      BubbleRing& ring = rings.emplace_back();
      for (const auto& member : members) ring.push_back({ChannelId(member.channel), member.vc});
    }
    return rings;
  }

  [[nodiscard]] bool is_escape(const RouteState& state, const RouteOption& option,
                               std::uint8_t vc) const override {
    const RelationDestination& rows = file_->destinations[state.destination.index()];
    const RelationState* row = find(rows, state);
    if (row == nullptr) return true;
    return std::any_of(rows.begin(row->options), rows.end(row->options), [&](const RelationOption& listed) {
      return listed.channel == option.channel.value() && listed.tag == option.tag &&
             listed.tier == option.tier && (listed.escapes >> vc & 1) != 0;
    });
  }

  [[nodiscard]] bool relies_on_escape() const override {
    return std::ranges::any_of(file_->destinations, [](const RelationDestination& rows) {
      return std::ranges::any_of(rows.options,
                                 [](const RelationOption& option) { return option.escapes != option.vcs; });
    });
  }

  [[nodiscard]] std::vector<std::string> remarks() const override {
    if (unreached_ == 0) return {};
    return {fmt::format("{} of the states that the relation file lists are never reached", unreached_)};
  }

 private:
  [[nodiscard]] const RelationState* find(const RelationDestination& rows, const RouteState& state) const {
    return file_->reads_held ? rows.find(state.held.value(), state.vc, state.tag)
                             : rows.find(state.at.value(), 0, state.tag);
  }

  static void append(const RelationDestination& rows, OptionRange range, RouteOptions& options) {
    std::for_each(rows.begin(range), rows.end(range), [&](const RelationOption& option) {
      options.push_back(
          {.channel = ChannelId(option.channel), .vcs = option.vcs, .tag = option.tag, .tier = option.tier});
    });
  }

  std::shared_ptr<const RelationFile> file_;
  std::uint64_t unreached_;
};

}  // namespace

RelationPtr tabulated_relation(TopologyPtr topology, std::shared_ptr<const RelationFile> file,
                               const std::string& path) {
  require_same_network(*file, *topology, path);
  return std::make_shared<const TabulatedRelation>(std::move(topology), std::move(file));
}

}  // namespace faultline
