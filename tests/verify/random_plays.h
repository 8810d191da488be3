// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "faultline/base/random.h"
#include "faultline/routing/admissible.h"

namespace faultline {

/// Packets that are injected and move at random until some wait for each other. They follow the relation's
/// answers only. A buffer holds one packet; a packet holds the last buffers that it entered, and leaves all
/// of them when it is ejected.
class RandomPlays {
 public:
  struct Rules {
    bool commits = false;       ///< a packet that enters a buffer draws the option that it waits for
    std::uint32_t longest = 1;  ///< buffers that a packet holds at most; more than one: wormhole switching
  };

  RandomPlays(const RoutingRelation& relation, const FaultSet& dead) : RandomPlays(relation, dead, Rules{}) {}
  RandomPlays(const RoutingRelation& relation, const FaultSet& dead, const Rules& rules)
      : relation_(relation), dead_(dead), rules_(rules) {}

  [[nodiscard]] bool deadlock(int plays = 2000) {
    for (int play = 0; play < plays; ++play) {
      packets_.clear();
      taken_.clear();
      for (int step = 0; step < 60 && move_one(); ++step) {
      }
      if (somebody_waits_for_ever()) return true;
    }
    return false;
  }

 private:
  using Buffer = std::pair<std::uint32_t, std::uint32_t>;  // channel, virtual channel
  struct Packet {
    TerminalId destination;
    std::uint32_t length = 1;
    Tag tag = 0;
    std::uint32_t drawn = 0;
    std::deque<Buffer> held{};  ///< the head's last
  };
  struct Step {
    std::optional<std::size_t> packet;  ///< a new one without
    std::optional<Buffer> to;           ///< ejected without
    TerminalId destination;
    Tag tag = 0;
  };

  [[nodiscard]] RouteOptions options_of(const Packet& packet) const {
    const auto [number, vc] = packet.held.back();
    const ChannelId channel(number);
    RouteOptions options;
    relation_.route({relation_.topology().target(channel), packet.destination, channel,
                     static_cast<std::uint8_t>(vc), packet.tag},
                    options);
    keep_lowest_tier(options);
    if (rules_.commits && !options.empty()) options = {options[packet.drawn % options.size()]};
    return options;
  }

  void add(const RouteOptions& options, std::optional<std::size_t> packet, TerminalId destination,
           std::vector<Step>& steps) const {
    for (const RouteOption& option : options) {
      if (dead_.failed(option.channel)) continue;
      if (relation_.topology().role(option.channel) == ChannelRole::ejection) {
        steps.push_back({packet, std::nullopt, destination});
        continue;
      }
      for_each_vc(option.vcs, [&](std::uint8_t vc) {
        const Buffer to{option.channel.value(), vc};
        if (!taken_.contains(to)) steps.push_back({packet, to, destination, option.tag});
      });
    }
  }

  bool move_one() {
    std::vector<Step> steps;
    for (std::size_t i = 0; i < packets_.size(); ++i)
      add(options_of(packets_[i]), i, packets_[i].destination, steps);
    for (const TerminalId source : relation_.topology().terminals())
      for (const TerminalId destination : relation_.topology().terminals()) {
        if (source == destination) continue;
        RouteOptions options;
        relation_.inject(source, destination, options);
        keep_lowest_tier(options);
        add(options, std::nullopt, destination, steps);
      }
    if (steps.empty()) return false;
    take(steps[random_.next_below(static_cast<std::uint32_t>(steps.size()))]);
    return true;
  }

  void take(const Step& step) {
    if (!step.to) {
      for (const Buffer& buffer : packets_[*step.packet].held) taken_.erase(buffer);
      packets_.erase(packets_.begin() + static_cast<std::ptrdiff_t>(*step.packet));
      return;
    }
    if (!step.packet) packets_.push_back({step.destination, 1 + random_.next_below(rules_.longest)});
    Packet& packet = step.packet ? packets_[*step.packet] : packets_.back();
    packet.held.push_back(*step.to);
    taken_.insert(*step.to);
    packet.tag = step.tag;
    packet.drawn = random_.next_below(60);
    if (packet.held.size() <= packet.length) return;
    taken_.erase(packet.held.front());
    packet.held.pop_front();
  }

  /// Some packets wait only for buffers that packets like them hold.
  [[nodiscard]] bool somebody_waits_for_ever() const {
    std::set<Buffer> kept = taken_;
    std::vector<const Packet*> waiting;
    for (const Packet& packet : packets_) waiting.push_back(&packet);
    const auto moves_on = [&](const Packet* packet) {
      const RouteOptions options = options_of(*packet);
      const bool moves = options.empty() || std::ranges::any_of(options, [&](const RouteOption& option) {
                           bool gone = dead_.failed(option.channel);
                           for_each_vc(option.vcs, [&](std::uint8_t vc) {
                             gone = gone || !kept.contains({option.channel.value(), vc});
                           });
                           return gone;
                         });
      if (moves)
        for (const Buffer& buffer : packet->held) kept.erase(buffer);
      return moves;
    };
    while (std::erase_if(waiting, moves_on) != 0) {
    }
    return !waiting.empty();
  }

  const RoutingRelation& relation_;
  const FaultSet& dead_;
  Rules rules_;
  RandomStream random_{1, 0};
  std::vector<Packet> packets_;
  std::set<Buffer> taken_;
};

}  // namespace faultline
