// SPDX-License-Identifier: Apache-2.0
#include "resilience/circuit/paths.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "faultline/routing/contract.h"
#include "faultline/topology/terminals_by_switches.h"

namespace faultline::survival {
namespace {

/// An option's content, with the destination's own channels numbered by their position among its channels at
/// the switch.
struct Step {
  std::uint32_t channel = 0;
  std::uint32_t vcs = 0;
  Tag tag = 0;
  std::uint8_t tier = 0;
  bool own = false;
  friend auto operator<=>(const Step&, const Step&) = default;
};

/// `channel`'s index among the channels of `own` that join the same switch.
std::uint32_t rank_at_switch(const Topology& topology, std::span<const ChannelId> own, ChannelId channel) {
  const auto end_of = [&](ChannelId c) {
    return topology.source(c).valid() ? topology.source(c) : topology.target(c);
  };
  std::uint32_t rank = 0;
  for (const ChannelId other : own) {
    if (other == channel) return rank;
    if (end_of(other) == end_of(channel)) ++rank;
  }
  return rank;
}

std::span<const ChannelId> own_channels(const Topology& topology, ChannelId like, TerminalId terminal) {
  return topology.role(like) == ChannelRole::ejection ? topology.ejection(terminal)
                                                      : topology.injection(terminal);
}

class Classes {
 public:
  Classes(const RoutingRelation& relation, const std::function<void(const DestinationClass&)>& visit)
      : relation_(relation), contract_(relation), topology_(relation.topology()), visit_(visit) {
    // Packets of terminals that are attached alike enter the same states.
    if (relation.injection_vcs() != 0 && !relation.reads_held_channel())
      for (auto& group : terminals_by_switches(topology_, ChannelRole::injection))
        attached_alike_.push_back(std::move(group.second));
    std::ranges::sort(attached_alike_);
  }

  /// Splits terminals that are ejected by the same switches into classes that are routed alike.
  void split(std::vector<TerminalId> alike) {
    while (!alike.empty()) {
      std::vector<TerminalId> others;
      begin(alike.front());
      for (const TerminalId destination : std::span(alike).subspan(1))
        if (!join(destination)) others.push_back(destination);
      finish();
      alike = std::move(others);
    }
  }

 private:
  /// States that packets enter, with the index of the injection channel among the source's channels at the
  /// switch, virtual channel and tier, sorted.
  using Entry = std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint8_t, std::uint8_t>>;

  void begin(TerminalId representative) {
    class_ = {
        .members = {representative}, .states = enumerate_states(relation_, representative), .groups = {}};
    index_.clear();
    steps_.clear();
    injections_.clear();
    rank_offsets_.assign(1, 0);
    for (std::uint32_t state = 0; state < class_.states.count(); ++state) {
      index_.emplace(class_.states.keys[state], state);
      append_route_steps(state, representative, steps_);
      rank_offsets_.push_back(static_cast<std::uint32_t>(steps_.size()));
    }
    if (!attached_alike_.empty()) return;
    for (const TerminalId source : topology_.terminals()) {
      injections_.emplace_back();
      if (source != representative) injections_.back() = inject_steps(source, representative);
    }
  }

  /// Adds `destination` to the class if packets to it move as packets to the representative do.
  bool join(TerminalId destination) {
    const TerminalId representative = class_.members.front();
    for (std::uint32_t state = 0; state < class_.states.count(); ++state) {
      given_.clear();
      append_route_steps(state, destination, given_);
      if (!std::ranges::equal(given_,
                              std::span(steps_).subspan(rank_offsets_[state],
                                                        rank_offsets_[state + 1] - rank_offsets_[state])))
        return false;
    }
    if (!attached_alike_.empty()) {
      if (class_.members.size() == 1 && !all_known(representative, destination)) return false;
      class_.members.push_back(destination);
      return true;
    }
    for (const TerminalId source : topology_.terminals()) {
      if (source == destination) continue;
      const std::vector<Step>& steps = inject_steps(source, destination);
      if (source == representative && class_.members.size() == 1) {
        if (!all_known(representative, destination)) return false;
        representative_steps_ = steps;
      } else if (steps != (source == representative ? representative_steps_ : injections_[source.index()])) {
        return false;
      }
    }
    class_.members.push_back(destination);
    return true;
  }

  /// Whether packets from `source` enter only states that were enumerated.
  bool all_known(TerminalId source, TerminalId destination) {
    return std::ranges::none_of(injection_moves(source, destination),
                                [](const Move& move) { return move.next == unknown; });
  }

  void finish() {
    std::map<Entry, std::size_t> numbers;
    const TerminalId representative = class_.members.front();
    const bool alone = class_.members.size() == 1;
    for (const auto& alike : attached_alike_) {
      const TerminalId model = alike.front() == representative && alike.size() > 1 ? alike[1] : alike.front();
      if (model == representative && alone) continue;
      std::vector<TerminalId>& sources = group_of(model, numbers).sources;
      for (const TerminalId source : alike)
        if (source != representative || !alone) sources.push_back(source);
    }
    if (attached_alike_.empty())
      for (const TerminalId source : topology_.terminals())
        if (source != representative || !alone) group_of(source, numbers).sources.push_back(source);
    for (SourceGroup& group : class_.groups) {
      std::ranges::sort(group.sources);
      group.drawn_for = destination_for(group.sources.front());
      group.injections = moves_of(group.sources.front());
    }
    visit_(class_);
  }

  /// The group of sources that enter as `source` does.
  SourceGroup& group_of(TerminalId source, std::map<Entry, std::size_t>& numbers) {
    Entry key;
    for (const Move& move : moves_of(source))
      key.emplace_back(move.next, rank_at_switch(topology_, topology_.injection(source), move.channel),
                       move.vc, move.tier);
    std::ranges::sort(key);
    const auto [entry, is_new] = numbers.emplace(std::move(key), class_.groups.size());
    if (is_new) class_.groups.emplace_back();
    return class_.groups[entry->second];
  }

  /// A member that is not the source itself.
  TerminalId destination_for(TerminalId source) const {
    return source == class_.members.front() ? class_.members[1] : class_.members.front();
  }
  std::vector<Move> moves_of(TerminalId source) {
    return source == class_.members.front() ? injection_moves(source, destination_for(source))
                                            : copied(class_.states.injections_of(source));
  }

  static std::vector<Move> copied(std::span<const Move> moves) { return {moves.begin(), moves.end()}; }

  std::vector<Move> injection_moves(TerminalId source, TerminalId destination) {
    options_.clear();
    contract_.inject(source, destination, options_);
    std::vector<Move> moves;
    for (const RouteOption& option : options_)
      for_each_vc(option.vcs, [&](std::uint8_t vc) {
        const auto found = index_.find(key_after(relation_, option, vc));
        moves.push_back({option.channel, found == index_.end() ? unknown : found->second, vc, option.tier});
      });
    return moves;
  }

  void append_route_steps(std::uint32_t state, TerminalId destination, std::vector<Step>& steps) {
    const StateKey& key = class_.states.keys[state];
    const SwitchId at = class_.states.switches[state];
    const ChannelId held = relation_.reads_held_channel() ? ChannelId(key.at) : topology_.inputs(at).front();
    options_.clear();
    contract_.route({at, destination, held, key.vc, key.tag}, options_);
    append_steps(topology_.ejection(destination), steps);
  }

  const std::vector<Step>& inject_steps(TerminalId source, TerminalId destination) {
    options_.clear();
    contract_.inject(source, destination, options_);
    inject_steps_.clear();
    append_steps({}, inject_steps_);
    return inject_steps_;
  }

  void append_steps(std::span<const ChannelId> own, std::vector<Step>& steps) {
    const auto first = static_cast<std::ptrdiff_t>(steps.size());
    for (const RouteOption& option : options_) {
      const bool is_own = topology_.role(option.channel) == ChannelRole::ejection;
      steps.push_back({is_own ? rank_at_switch(topology_, own, option.channel) : option.channel.value(),
                       option.vcs, is_own ? Tag{0} : option.tag, option.tier, is_own});
    }
    if (steps.size() - static_cast<std::size_t>(first) > 1) std::sort(steps.begin() + first, steps.end());
  }

  static constexpr std::uint32_t unknown = DestinationStates::ejected - 1;

  const RoutingRelation& relation_;
  Contract contract_;
  const Topology& topology_;
  const std::function<void(const DestinationClass&)>& visit_;
  std::vector<std::vector<TerminalId>> attached_alike_;  // empty where sources are asked one by one
  DestinationClass class_;
  std::unordered_map<StateKey, std::uint32_t, StateKeyHash> index_;
  std::vector<Step> steps_;  // of the representative, by state
  std::vector<std::uint32_t> rank_offsets_;
  std::vector<std::vector<Step>> injections_;  // of the representative, by source
  std::vector<Step> representative_steps_;     // of the representative as a source, for the other members
  std::vector<Step> given_, inject_steps_;
  RouteOptions options_;
};

/// Every path of the topology to `destination`: a state a switch, in the order of a breadth-first search
/// backwards.
DestinationStates all_paths(const Topology& topology, TerminalId destination) {
  DestinationStates states;
  std::vector<std::uint32_t> state_of(topology.switch_count(), DestinationStates::ejected);
  const auto reach = [&](SwitchId at) {
    if (!at.valid() || state_of[at.index()] != DestinationStates::ejected) return;
    state_of[at.index()] = static_cast<std::uint32_t>(states.count());
    states.keys.push_back({.at = at.value()});
    states.switches.push_back(at);
  };
  for (const ChannelId channel : topology.ejection(destination)) reach(topology.source(channel));
  for (std::size_t next = 0; next < states.count(); ++next)
    for (const ChannelId channel : topology.inputs(states.switches[next])) reach(topology.source(channel));
  states.offsets.push_back(0);
  for (const SwitchId at : states.switches) {
    for (const ChannelId channel : topology.ejection(destination))
      if (topology.source(channel) == at) states.moves.push_back({.channel = channel});
    for (const ChannelId channel : topology.outputs(at))
      if (topology.role(channel) == ChannelRole::network &&
          state_of[topology.target(channel).index()] != DestinationStates::ejected)
        states.moves.push_back({.channel = channel, .next = state_of[topology.target(channel).index()]});
    states.offsets.push_back(static_cast<std::uint32_t>(states.moves.size()));
  }
  return states;
}

void for_each_class_of_any_path(const Topology& topology,
                                const std::function<void(const DestinationClass&)>& visit) {
  const auto sources = terminals_by_switches(topology, ChannelRole::injection);
  for (const auto& [unused, members] : terminals_by_switches(topology, ChannelRole::ejection)) {
    DestinationClass one{.members = members, .states = all_paths(topology, members.front()), .groups = {}};
    std::map<std::uint32_t, std::uint32_t> state_of;
    for (std::uint32_t state = 0; state < one.states.count(); ++state)
      state_of.emplace(one.states.keys[state].at, state);
    for (const auto& [switches, terminals] : sources) {
      SourceGroup group{.sources = terminals, .drawn_for = members.front(), .injections = {}};
      for (const ChannelId channel : topology.injection(terminals.front()))
        if (const auto found = state_of.find(topology.target(channel).value()); found != state_of.end())
          group.injections.push_back({.channel = channel, .next = found->second});
      one.groups.push_back(std::move(group));
    }
    visit(one);
  }
}

}  // namespace

std::uint64_t DestinationClass::pairs(const SourceGroup& group) const {
  std::vector<TerminalId> both;
  std::ranges::set_intersection(members, group.sources, std::back_inserter(both));
  return members.size() * group.sources.size() - both.size();
}

ChannelId translate(const Topology& topology, ChannelId channel, TerminalId from, TerminalId to) {
  if (topology.terminal(channel) != from || from == to) return channel;
  const auto end_of = [&](ChannelId c) {
    return topology.source(c).valid() ? topology.source(c) : topology.target(c);
  };
  const std::uint32_t rank = rank_at_switch(topology, own_channels(topology, channel, from), channel);
  const auto candidates = own_channels(topology, channel, to);
  for (const ChannelId candidate : candidates)
    if (end_of(candidate) == end_of(channel) && rank_at_switch(topology, candidates, candidate) == rank)
      return candidate;
  throw std::logic_error("terminals of one class are attached differently");
}

void for_each_destination_class(const RoutingRelation& relation, Survival survival,
                                const std::function<void(const DestinationClass&)>& visit,
                                const DestinationsProgress& told) {
  std::uint64_t done = 0;
  const auto tell = [&] {
    if (told.progress) told.progress(told.what, done, relation.topology().terminal_count());
  };
  tell();
  const std::function<void(const DestinationClass&)> visit_and_tell = [&](const DestinationClass& one) {
    visit(one);
    done += one.members.size();
    tell();
  };
  if (survival != Survival::fixed_paths)
    return for_each_class_of_any_path(relation.topology(), visit_and_tell);
  Classes classes(relation, visit_and_tell);
  for (auto& [unused, terminals] : terminals_by_switches(relation.topology(), ChannelRole::ejection))
    classes.split(std::move(terminals));
}

}  // namespace faultline::survival
