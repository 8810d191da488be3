// SPDX-License-Identifier: Apache-2.0
// The outputs that a packet competes for and the one that it requests, in the cycle-driven engine.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "faultline/routing/admissible.h"
#include "faultline/routing/contract.h"
#include "faultline/routing/states.h"
#include "simulate/cut_through/cycle_state.h"
#include "simulate/cut_through/model.h"
#include "simulate/cut_through/rings.h"
#include "simulate/faults/outages.h"

namespace faultline::cut_through::plain {

class CycleChoice {
 public:
  CycleChoice(const RoutingRelation& relation, const SimulationSpec& spec, const Outages& outages)
      : contract_(relation),
        topology_(relation.topology()),
        rings_(relation),
        rule_(spec.selection),
        seed_(spec.seed),
        outages_(outages),
        sends_again_(relation.sends_again()),
        unseen_(spec.faults.unseen ? &*spec.faults.unseen : nullptr),
        own_lanes_(spec.cut_through().agents && spec.cut_through().agents->own_lanes),
        lane_(static_cast<std::uint8_t>(relation.virtual_channels())) {}

  /// No other relation follows the one in use.
  void set_last_relation(bool is_last) { is_last_relation_ = is_last; }
  /// From now on, another relation is used.
  void ask(const RoutingRelation& relation) {
    contract_ = Contract(relation);
    rings_ = Rings(relation);
    sends_again_ = relation.sends_again();
  }

  [[nodiscard]] const Rings& rings() const { return rings_; }

  /// `from` has options for it, now or once a channel comes up again or the relation changes.
  [[nodiscard]] bool is_reachable(const Packet& packet, TerminalId from) const {
    return !is_stuck(offered(packet, from));
  }
  [[nodiscard]] bool is_offered_anything(const Packet& packet, TerminalId from) const {
    return !offered(packet, from).empty();
  }

  /// For a packet that `from` sends; an acknowledgement takes the option of the least cost.
  [[nodiscard]] Candidates injection(const Packet& packet, TerminalId from) const {
    RouteOptions options = offered(packet, from);
    if (packet.control && !options.empty())
      options = {*std::ranges::min_element(options, {}, &RouteOption::cost)};
    return candidates(packet, std::move(options), topology_.injection(from), {},
                      draw_for(packet, Decision::injection_route, from.value()),
                      [](const RouteOption&) { return 0U; });
  }

  /// The relay to which `at` sends a packet first when it re-injects it; invalid: none.
  [[nodiscard]] TerminalId relay(const Packet& packet, TerminalId at) const {
    return relay_for(draw_for(packet, Decision::relay, at.value()), at, packet.destination,
                     topology_.terminal_count());
  }

  /// The options by which `from` can inject a packet in this cycle, `can_be_had(virtual channel)`: those that
  /// an agent chooses from.
  template <class Available>
  [[nodiscard]] RouteOptions ways(const Packet& packet, TerminalId from, Available can_be_had) const {
    RouteOptions found = offered(packet, from);
    std::erase_if(found, [&](RouteOption& option) {
      if (outages_.is_down(option.channel)) return true;
      for_each_vc(option.vcs, [&](std::uint8_t vc) {
        if (!can_be_had({option.channel, vc})) option.vcs &= ~(1U << vc);
      });
      return option.vcs == 0;
    });
    keep_lowest_tier(found);
    return found;
  }

  /// For a packet at the front of `input`; `queued(option)`: occupied slots in the buffers that it leads to.
  template <class Queued>
  [[nodiscard]] Routed output(SwitchId at, VirtualChannel input, const Packet& packet, Queued queued) const {
    RouteOptions options;
    const RouteState state{.at = at,
                           .destination = packet.target(),
                           .held = input.channel,
                           .vc = input.vc == lane_ ? std::uint8_t{0} : input.vc,
                           .tag = packet.tag};
    contract_.route(state, options);
#ifdef FAULTLINE_CHECKS
    contract_.route_again(state, options);
#endif
    Routed routed{.stuck = is_stuck(options), .dead = dead_choice(options)};
    routed.candidates = candidates(packet, std::move(options), topology_.outputs(at), input,
                                   draw_for(packet, Decision::route, at.value()), queued);
    if (routed.candidates.empty() && sends_again_ && !came_over_dead(input.channel)) {
      routed.candidates = ways_out(at);
      routed.stuck = routed.stuck && !has_way_out(at);
    }
    return routed;
  }

  /// One of the best by the selection function's score; `free(virtual channel)`: its free slots.
  template <class Free>
  [[nodiscard]] Candidate pick(Candidates candidates, std::uint32_t random, Free free) const {
    if (rule_.score != nullptr) {
      const auto score = [&](const Candidate& candidate) {
        return rule_.score(
            {.cost = candidate.cost, .free = static_cast<std::uint32_t>(free(candidate.taken))});
      };
      std::uint32_t best = 0;
      for (const Candidate& candidate : candidates) best = std::max(best, score(candidate));
      std::erase_if(candidates, [&](const Candidate& candidate) { return score(candidate) != best; });
    }
    const Candidates different = distinct(candidates);
    return different[below(random, static_cast<std::uint32_t>(different.size()))];
  }

  [[nodiscard]] std::uint32_t draw_for(const Packet& packet, Decision decision, std::uint32_t vertex) const {
    const unsigned decided =
        static_cast<unsigned>(decision) | (packet.control ? static_cast<unsigned>(Decision::of_control) : 0U);
    return draw(seed_, static_cast<Decision>(decided), packet.source.value(), packet.sequence, vertex,
                packet.hops);
  }

 private:
  [[nodiscard]] RouteOptions offered(const Packet& packet, TerminalId from) const {
    RouteOptions options;
    contract_.inject(from, packet.target(), options);
#ifdef FAULTLINE_CHECKS
    contract_.inject_again(from, packet.target(), options);
#endif
    return options;
  }

  /// There is nothing to wait for.
  [[nodiscard]] bool is_stuck(const RouteOptions& options) const {
    return options.empty() || (is_last_relation_ && outages_.none_comes_up(options));
  }

  [[nodiscard]] std::optional<ChannelId> dead_choice(RouteOptions options) const {
    keep_lowest_tier(options);
    const auto is_down = [&](const RouteOption& option) { return outages_.is_down(option.channel); };
    if (options.empty() || !std::ranges::all_of(options, is_down)) return std::nullopt;
    return options.front().channel;
  }

  /// A notification starts in a lane, which is not part of a ring.
  [[nodiscard]] bool comes_into_ring(VirtualChannel held, VirtualChannel taken) const {
    return held.vc == lane_ ? rings_.holds(taken) : rings_.enters(held, taken);
  }

  /// To a terminal, now or once its channel comes up again.
  [[nodiscard]] bool has_way_out(SwitchId at) const {
    return std::ranges::any_of(topology_.outputs(at), [&](ChannelId channel) {
      return topology_.role(channel) == ChannelRole::ejection && !outages_.is_down_for_good(channel);
    });
  }
  /// To the terminals of a switch.
  [[nodiscard]] Candidates ways_out(SwitchId at) const {
    Candidates found;
    for (const ChannelId channel : topology_.outputs(at))
      if (topology_.role(channel) == ChannelRole::ejection && !outages_.is_down(channel))
        found.push_back({.taken = {channel, 0}, .out = true});
    return found;
  }

  /// What a packet that holds `held` competes for among what is not down, in the order of `order` and of the
  /// virtual channels. Of an option that is picked, all virtual channels that it names compete; a control
  /// packet competes for the lane, if there is one.
  template <class Queued>
  [[nodiscard]] Candidates candidates(const Packet& packet, RouteOptions options,
                                      std::span<const ChannelId> order, std::optional<VirtualChannel> held,
                                      std::uint32_t random, Queued queued) const {
    std::erase_if(options, [&](const RouteOption& option) { return outages_.is_down(option.channel); });
    if (options.empty()) return {};
    keep_lowest_tier(options);
    const auto position = [&](ChannelId c) { return std::ranges::find(order, c) - order.begin(); };
    if (!rule_.reads_order)
      std::ranges::stable_sort(options, {},
                               [&](const RouteOption& option) { return position(option.channel); });
    if (rule_.commits()) options = {picked(options, random, queued)};
    Candidates found;
    for (const RouteOption& option : options)
      if (packet.control && own_lanes_)
        found.push_back({{option.channel, lane_}, option.tag, option.cost});
      else
        for_each_vc(option.vcs, [&](std::uint8_t vc) {
          const VirtualChannel taken{option.channel, vc};
          found.push_back(
              {taken, option.tag, option.cost, held && comes_into_ring(*held, taken) ? std::size_t{2} : 1});
        });
    std::ranges::stable_sort(found, {}, [&](const Candidate& candidate) {
      return std::pair(position(candidate.taken.channel), candidate.taken.vc);
    });
    return found;
  }

  [[nodiscard]] bool came_over_dead(ChannelId channel) const {
    return unseen_ != nullptr && unseen_->failed(channel);
  }

  template <class Queued>
  [[nodiscard]] RouteOption picked(const RouteOptions& options, std::uint32_t random, Queued queued) const {
    if (options.size() == 1) return options.front();
    std::vector<Way> ways;
    for (const RouteOption& option : options)
      ways.push_back({.cost = option.cost, .queued = rule_.reads_queues ? queued(option) : 0U});
    return options[rule_.picked(ways, random)];
  }

  Contract contract_;
  const Topology& topology_;
  Rings rings_;
  SelectionRule rule_;
  std::uint64_t seed_;
  const Outages& outages_;
  bool sends_again_;
  const FaultSet* unseen_;  ///< channels that are dead without the switches knowing; null: none
  bool is_last_relation_ = true;
  bool own_lanes_;
  std::uint8_t lane_;  ///< its number among the virtual channels of an input
};

}  // namespace faultline::cut_through::plain
