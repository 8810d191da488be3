// SPDX-License-Identifier: Apache-2.0
// Small random relations, from everything that the contract allows: several injection and ejection options,
// tags, tiers, several options on one channel, virtual channels, options that depend on the held channel,
// options that are also offered as sets.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "faultline/base/random.h"
#include "faultline/routing/relation.h"
#include "faultline/topology/builder.h"

namespace faultline::testing_support {

/// Two to five switches with up to two terminals each, one or two channels from a switch to most others, one
/// or two injection and ejection channels a terminal, which may join different switches.
inline TopologyPtr random_topology(RandomStream& random) {
  TopologyBuilder builder;
  const std::uint32_t switches = 2 + random.next_below(4);
  std::vector<std::uint32_t> outputs(switches), inputs(switches);
  for (std::uint32_t i = 0; i < switches; ++i) builder.add_switch({i, 0});
  const auto out = [&](std::uint32_t at) { return Port{SwitchId(at), outputs[at]++}; };
  const auto in = [&](std::uint32_t at) { return Port{SwitchId(at), inputs[at]++}; };
  for (std::uint32_t a = 0; a < switches; ++a)
    for (std::uint32_t b = 0; b < switches; ++b)
      for (std::uint32_t i = a == b ? 0 : random.next_below(3); i != 0; --i) builder.connect(out(a), in(b));
  const std::uint32_t terminals = 2 + random.next_below(2 * switches - 1);
  for (std::uint32_t i = 0; i < terminals; ++i) {
    const TerminalId terminal = builder.add_terminal();
    for (std::uint32_t copies = 1 + random.next_below(2); copies != 0; --copies)
      builder.connect_injection(terminal, in(random.next_below(switches)));
    for (std::uint32_t copies = 1 + random.next_below(2); copies != 0; --copies)
      builder.connect_ejection(out(random.next_below(switches)), terminal);
  }
  return std::make_shared<const Topology>(std::move(builder).build("random", "none"));
}

/// Every answer is a function of the seed and of what the relation declares that it reads. Packets may get
/// stuck, or circle.
class RandomRelation final : public RoutingRelation {
 public:
  explicit RandomRelation(std::uint64_t seed) : RandomRelation(seed, RandomStream(seed, 0)) {}

  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    RandomStream random(seed_, mix(1, source.value(), destination.value()));
    add(topology().injection(source), 0, random, options);
  }
  void route(const RouteState& state, RouteOptions& options) const override {
    if (offers_sets_) return list(state, options);
    const std::uint64_t at = reads_held_ ? mix(2, state.held.value(), state.vc) : mix(3, state.at.value(), 0);
    RandomStream random(seed_, mix(at, state.tag, state.destination.value()));
    std::vector<ChannelId> ways;
    for (const ChannelId channel : topology().outputs(state.at))
      if (leads_on(channel, state.destination)) ways.push_back(channel);
    if (random.next_below(12) != 0) add(ways, 1 + state.tag, random, options);
  }
  [[nodiscard]] bool offers_output_sets() const override { return offers_sets_; }
  [[nodiscard]] OutputSets output_sets(SwitchId at, TerminalId destination, Tag tag) const override {
    RandomStream random(seed_, mix(mix(4, at.value(), 0), tag, destination.value()));
    OutputSets sets;
    for (OutputSets::Part& part : sets.parts) {
      std::uint64_t bit = 1;
      for (const ChannelId channel : topology().outputs(at)) {
        if (leads_on(channel, destination) && random.next_below(2) == 0) part.outputs |= bit;
        bit <<= 1;
      }
      part.vcs = 1 + random.next_below((1U << vcs_) - 1);
    }
    sets.tag = std::min<Tag>(tag + random.next_below(2), tags_ - 1);
    return sets;
  }
  [[nodiscard]] std::uint64_t tag_count() const override { return tags_; }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return vcs_; }
  [[nodiscard]] bool reads_held_channel() const override { return reads_held_; }

 private:
  RandomRelation(std::uint64_t seed, RandomStream random)
      : RoutingRelation(random_topology(random)),
        seed_(seed),
        tags_(1 + random.next_below(4)),
        vcs_(1 + random.next_below(2)),
        reads_held_(random.next_below(3) == 0),
        offers_sets_(!reads_held_ && random.next_below(3) == 0) {}

  [[nodiscard]] bool leads_on(ChannelId channel, TerminalId destination) const {
    return topology().role(channel) == ChannelRole::network || topology().terminal(channel) == destination;
  }

  /// The sets as options.
  void list(const RouteState& state, RouteOptions& options) const {
    const OutputSets sets = output_sets(state.at, state.destination, state.tag);
    const auto outputs = topology().outputs(state.at);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      RouteOption option{.channel = outputs[i], .vcs = 0, .tag = sets.tag};
      for (const OutputSets::Part& part : sets.parts)
        if ((part.outputs >> i & 1) != 0) option.vcs |= part.vcs;
      if (option.vcs != 0) options.push_back(option);
    }
  }

  /// From none to four options; tags rise from `least_tag` on more often than not, so that most packets
  /// arrive.
  void add(std::span<const ChannelId> ways, Tag least_tag, RandomStream& random,
           RouteOptions& options) const {
    if (ways.empty()) return;
    for (std::uint32_t i = 1 + random.next_below(3); i != 0; --i) {
      RouteOption option{.channel = ways[random.next_below(static_cast<std::uint32_t>(ways.size()))]};
      option.vcs = 1 + random.next_below((1U << vcs_) - 1);
      option.tag = random.next_below(6) == 0 ? random.next_below(static_cast<std::uint32_t>(tags_))
                                             : std::min<Tag>(least_tag, tags_ - 1);
      option.tag = std::min<Tag>(option.tag + random.next_below(2), tags_ - 1);
      option.tier = static_cast<std::uint8_t>(random.next_below(4) / 3);
      option.cost = static_cast<std::uint16_t>(random.next_below(4));
      options.push_back(option);
    }
  }

  std::uint64_t seed_, tags_;
  std::uint32_t vcs_;
  bool reads_held_, offers_sets_;
};

}  // namespace faultline::testing_support
