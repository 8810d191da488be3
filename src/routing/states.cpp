// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/states.h"

#include <fmt/format.h>

#include <algorithm>

#include "faultline/routing/admissible.h"
#include "faultline/routing/contract.h"
#include "faultline/routing/state_numbers.h"

namespace faultline {
namespace {

class Enumeration {
 public:
  Enumeration(const RoutingRelation& relation, TerminalId destination, const FaultSet* dead = nullptr)
      : relation_(relation),
        contract_(relation),
        destination_(destination),
        dead_(dead),
        by_vc_(relation.reads_held_channel()),
        numbers_(relation) {
    relation.topology().require(destination, "destination");
    if (dead != nullptr) dead->require_of(relation.topology(), "dead");
  }

  DestinationStates run() && {
    const Topology& topology = relation_.topology();
    states_.injection_offsets.push_back(0);
    for (const TerminalId source : topology.terminals()) {
      options_.clear();
      if (source != destination_) contract_.inject_spot_checked(source, destination_, options_);
      append_moves(nullptr, states_.injections);
      states_.injection_offsets.push_back(static_cast<std::uint32_t>(states_.injections.size()));
    }
    // States are numbered as they are found, and expanded in that order, so that the moves are in CSR order
    // at once.
    states_.offsets.push_back(0);
    for (std::size_t state = 0; state < states_.keys.size(); ++state) {
      options_.clear();
      const RouteState here{states_.switches[state], destination_, held_[state], states_.keys[state].vc,
                            states_.keys[state].tag};
      contract_.route_spot_checked(state, here, options_);
      append_moves(&here, states_.moves);
      states_.offsets.push_back(static_cast<std::uint32_t>(states_.moves.size()));
    }
    return std::move(states_);
  }

 private:
  /// `here` is null for injection.
  void append_moves(const RouteState* here, std::vector<DestinationStates::Move>& moves) {
    if (dead_ != nullptr) keep_lowest_tier(options_);
    for (std::size_t i = 0; i < options_.size(); ++i) {
      const RouteOption& option = options_[i];
      const auto position =
          static_cast<std::uint8_t>(std::min<std::size_t>(i, DestinationStates::unnumbered));
      std::uint32_t next = state_after(option, first_vc(option));
      for_each_vc(option.vcs, [&](std::uint8_t vc) {
        if (by_vc_) next = state_after(option, vc);
        const bool escape =
            here == nullptr || next >= DestinationStates::lost || contract_.is_escape(*here, option, vc);
        moves.push_back({option.channel, next, vc, option.tier, escape, position});
      });
    }
  }

  std::uint32_t state_after(const RouteOption& option, std::uint8_t vc) {
    if (dead_ != nullptr && dead_->failed(option.channel)) return DestinationStates::lost;
    if (relation_.topology().role(option.channel) == ChannelRole::ejection) return DestinationStates::ejected;
    const StateKey key = key_after(relation_, option, vc);
    const auto next = static_cast<std::uint32_t>(states_.keys.size());
    if (const std::uint32_t known = numbers_.find_or_add(key, next); known != StateNumbers::none)
      return known;
    if (next == DestinationStates::max_states) refuse_more_states(option);
    states_.keys.push_back(key);
    states_.switches.push_back(relation_.topology().target(option.channel));
    held_.push_back(option.channel);
    return next;
  }

  [[noreturn]] void refuse_more_states(const RouteOption& option) const {
    const Topology& topology = relation_.topology();
    throw Error("routing",
                fmt::format("tag {} on {} for {}", option.tag, topology.name(option.channel),
                            topology.name(destination_)),
                fmt::format("must lead a destination's packets to at most {} states (switch, tag, and held "
                            "channel where it is read); do tags count hops of packets that never arrive?",
                            DestinationStates::max_states));
  }

  const RoutingRelation& relation_;
  Contract contract_;
  TerminalId destination_;
  const FaultSet* dead_;
  bool by_vc_;  ///< each virtual channel of an option leads to a state of its own
  DestinationStates states_;
  std::vector<ChannelId> held_;
  StateNumbers numbers_;
  RouteOptions options_;
};

}  // namespace

DestinationStates enumerate_states(const RoutingRelation& relation, TerminalId destination) {
  return Enumeration(relation, destination).run();
}

DestinationStates enumerate_plays(const RoutingRelation& relation, TerminalId destination,
                                  const FaultSet& dead) {
  return Enumeration(relation, destination, &dead).run();
}

DestinationStates enumerate_states(const RoutingRelation& relation, TerminalId destination,
                                   const FaultSet& dead) {
  DestinationStates states = enumerate_plays(relation, destination, dead);
  drop_lost(states);
  return states;
}

void drop_lost(DestinationStates& states) {
  const auto drop = [](std::vector<DestinationStates::Move>& moves, std::vector<std::uint32_t>& offsets) {
    const auto lost = [](const auto& move) { return move.next == DestinationStates::lost; };
    if (std::ranges::none_of(moves, lost)) return;
    std::uint32_t kept = 0, first = 0;
    for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
      const std::uint32_t end = offsets[row + 1];
      for (std::uint32_t i = first; i < end; ++i)
        if (!lost(moves[i])) moves[kept++] = moves[i];
      first = end;
      offsets[row + 1] = kept;
    }
    moves.resize(kept);
  };
  drop(states.moves, states.offsets);
  drop(states.injections, states.injection_offsets);
}

namespace {

bool is_reached_by_all(const RoutingRelation& relation, TerminalId destination, RouteOptions& options) {
  for (const TerminalId source : relation.topology().terminals()) {
    if (source == destination) continue;
    options.clear();
    relation.inject(source, destination, options);
    if (options.empty()) return false;
  }
  return true;
}

/// Whether packets to `destination` that have just come into the switch that sends on `failed` may continue
/// over it. Only a guess if the relation reads tags or held channels.
bool may_use(const RoutingRelation& healthy, ChannelId failed, TerminalId destination,
             RouteOptions& options) {
  const Topology& topology = healthy.topology();
  if (topology.role(failed) != ChannelRole::network)
    return topology.role(failed) == ChannelRole::ejection && topology.terminal(failed) == destination;
  const SwitchId at = topology.source(failed);
  if (topology.inputs(at).empty()) return false;
  options.clear();
  healthy.route({at, destination, topology.inputs(at).front()}, options);
  return std::ranges::find(options, failed, &RouteOption::channel) != options.end();
}

}  // namespace

bool all_pairs_connected(const RoutingRelation& relation) {
  RouteOptions options;
  for (const TerminalId destination : relation.topology().terminals())
    if (!is_reached_by_all(relation, destination, options)) return false;
  return true;
}

bool all_pairs_connected(const RoutingRelation& relation, const RoutingRelation& healthy,
                         const FaultSet& faults) {
  const Topology& topology = relation.topology();
  faults.require_of(topology, "faults");
  RouteOptions options;
  std::vector<bool> seen(topology.terminal_count());
  for (const ChannelId channel : topology.channels()) {
    if (!faults.failed(channel)) continue;
    for (const TerminalId destination : topology.terminals()) {
      if (seen[destination.index()] || !may_use(healthy, channel, destination, options)) continue;
      seen[destination.index()] = true;
      if (!is_reached_by_all(relation, destination, options)) return false;
    }
  }
  for (const TerminalId destination : topology.terminals())
    if (!seen[destination.index()] && !is_reached_by_all(relation, destination, options)) return false;
  return true;
}

}  // namespace faultline
