// SPDX-License-Identifier: Apache-2.0
// What a packet competes for and which of it it asks for, as the cycle-driven engine has it.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "faultline/routing/admissible.h"
#include "faultline/routing/contract.h"
#include "faultline/routing/states.h"
#include "simulate/cut_through/cycle_state.h"
#include "simulate/cut_through/model.h"
#include "simulate/cut_through/rings.h"
#include "simulate/outages.h"

namespace faultline::cut_through::plain {

class CycleChoice {
 public:
  CycleChoice(const RoutingRelation& relation, const SimulationSpec& spec, const Outages& outages)
      : contract_(relation),
        topology_(relation.topology()),
        rings_(relation),
        rule_(spec.selection),
        seed_(spec.seed),
        outages_(outages) {}

  /// Another relation is asked from now on.
  void ask(const RoutingRelation& relation) {
    contract_ = Contract(relation);
    rings_ = Rings(relation);
  }

  [[nodiscard]] const Rings& rings() const { return rings_; }

  [[nodiscard]] bool is_reachable(const Packet& packet) const { return !offered(packet).empty(); }

  [[nodiscard]] Candidates injection(const Packet& packet) const {
    return candidates(offered(packet), topology_.injection(packet.source), {},
                      draw_for(packet, Decision::injection_route, packet.source.value()),
                      [](const RouteOption&) { return 0U; });
  }

  /// Of a packet at the front of `input`; `queued(option)`: places taken where it leads to.
  template <class Queued>
  [[nodiscard]] Routed output(SwitchId at, VirtualChannel input, const Packet& packet, Queued queued) const {
    RouteOptions options;
    const RouteState state{.at = at,
                           .destination = packet.destination,
                           .held = input.channel,
                           .vc = input.vc,
                           .tag = packet.tag};
    contract_.route(state, options);
#ifdef FAULTLINE_CHECKS
    contract_.route_again(state, options);
#endif
    return {.stuck = options.empty(),
            .candidates = candidates(options, topology_.outputs(at), input,
                                     draw_for(packet, Decision::route, at.value()), queued)};
  }

  /// One of those that are best by the rule's score; `free(virtual channel)`: its free places.
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

  [[nodiscard]] std::uint32_t draw_for(const Packet& packet, Decision decision, std::uint32_t place) const {
    return draw(seed_, decision, packet.source.value(), packet.sequence, place, packet.hops);
  }

 private:
  [[nodiscard]] RouteOptions offered(const Packet& packet) const {
    RouteOptions options;
    contract_.inject(packet.source, packet.destination, options);
#ifdef FAULTLINE_CHECKS
    contract_.inject_again(packet.source, packet.destination, options);
#endif
    return options;
  }

  /// What a packet that holds `held` competes for among what is not down, in the order of `order` and of the
  /// virtual channels. Of an option that is picked, all virtual channels that it names compete.
  template <class Queued>
  [[nodiscard]] Candidates candidates(RouteOptions options, std::span<const ChannelId> order,
                                      std::optional<VirtualChannel> held, std::uint32_t random,
                                      Queued queued) const {
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
      for_each_vc(option.vcs, [&](std::uint8_t vc) {
        const VirtualChannel taken{option.channel, vc};
        found.push_back(
            {taken, option.tag, option.cost, held && rings_.enters(*held, taken) ? std::size_t{2} : 1});
      });
    std::ranges::stable_sort(found, {}, [&](const Candidate& candidate) {
      return std::pair(position(candidate.taken.channel), candidate.taken.vc);
    });
    return found;
  }

  template <class Queued>
  [[nodiscard]] RouteOption picked(const RouteOptions& options, std::uint32_t random, Queued queued) const {
    if (options.size() == 1) return options.front();
    std::vector<Way> ways;
    for (const RouteOption& option : options) ways.push_back({.cost = option.cost, .queued = queued(option)});
    return options[rule_.pick(ways, random)];
  }

  Contract contract_;
  const Topology& topology_;
  Rings rings_;
  SelectionRule rule_;
  std::uint64_t seed_;
  const Outages& outages_;
};

}  // namespace faultline::cut_through::plain
