// SPDX-License-Identifier: Apache-2.0
// The oracle: one fault set at a time, one destination at a time, by search over the states.
#include <algorithm>

#include "faultline/routing/states.h"
#include "resilience/evaluate/evaluator.h"

namespace faultline::survival {
namespace {

class Reference final : public Evaluator {
  using Move = DestinationStates::Move;

 public:
  explicit Reference(const Subject& subject) : subject_(subject), topology_(subject.components.topology()) {
    if (subject.survival == Survival::fixed_paths)
      for (const TerminalId destination : topology_.terminals())
        states_.push_back(enumerate_states(*subject.relation, destination));
  }

  [[nodiscard]] std::unique_ptr<Evaluator> clone() const override {
    return std::make_unique<Reference>(subject_);
  }
  [[nodiscard]] std::uint32_t lanes() const override { return 1; }

  void evaluate(const FaultBlock& block, Verdicts& verdicts) override {
    verdicts.lost_pairs.assign(block.lanes, 0);
    verdicts.live_pairs.assign(block.lanes, 0);
    for (std::uint32_t lane = 0; lane < block.lanes; ++lane) {
      const FaultSet faults = subject_.components.fault_set(block.set(lane));
      find_usable(faults);
      for (const TerminalId destination : topology_.terminals()) {
        find_arriving(destination);
        for (const TerminalId source : topology_.terminals()) {
          if (source == destination) continue;
          if (!delivers(source, destination)) ++verdicts.lost_pairs[lane];
          if (has_living_switch(source, destination, faults)) ++verdicts.live_pairs[lane];
        }
      }
    }
  }

 private:
  void find_usable(const FaultSet& faults) {
    usable_.assign(topology_.channel_count(), true);
    for (const ChannelId channel : topology_.channels()) {
      if (!faults.failed(channel)) continue;
      usable_[channel.index()] = false;
      if (subject_.survival == Survival::any_path_two_way)
        for (const ChannelId other : topology_.channels(topology_.link(channel)))
          usable_[other.index()] = false;
    }
  }

  [[nodiscard]] bool usable(ChannelId channel) const { return usable_[channel.index()]; }

  /// The states (any path: switches) from which packets for `destination` arrive, found by repeating until
  /// nothing changes.
  void find_arriving(TerminalId destination) {
    if (subject_.survival != Survival::fixed_paths) return search_backwards(destination);
    const DestinationStates& states = states_[destination.index()];
    arrives_.assign(states.count(), false);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t state = states.count(); state-- > 0;) {
        if (arrives_[state] || !leads_on(states, states.moves_of(state))) continue;
        arrives_[state] = changed = true;
      }
    }
  }

  void search_backwards(TerminalId destination) {
    arrives_.assign(topology_.switch_count(), false);
    std::vector<SwitchId> found;
    const auto reach = [&](ChannelId channel) {
      const SwitchId before = topology_.source(channel);
      if (!before.valid() || !usable(channel) || arrives_[before.index()]) return;
      arrives_[before.index()] = true;
      found.push_back(before);
    };
    for (const ChannelId channel : topology_.ejection(destination)) reach(channel);
    while (!found.empty()) {
      const SwitchId at = found.back();
      found.pop_back();
      for (const ChannelId channel : topology_.inputs(at)) reach(channel);
    }
  }

  [[nodiscard]] bool arrives_by(const Move& move) const {
    return move.next == DestinationStates::ejected || arrives_[move.next];
  }

  [[nodiscard]] bool some_leads_on(std::span<const Move> moves) const {
    return std::ranges::any_of(moves,
                               [&](const Move& move) { return usable(move.channel) && arrives_by(move); });
  }

  /// A switch keeps a move when it knows nothing, or some walk over it meets nothing dead so far.
  [[nodiscard]] bool keeps(const DestinationStates& states, const Move& move, std::uint32_t radius) const {
    if (subject_.knowledge.is_none()) return true;
    if (!usable(move.channel)) return false;
    return radius == 1 || !move.enters() ||
           std::ranges::any_of(states.moves_of(move.next),
                               [&](const Move& next) { return keeps(states, next, radius - 1); });
  }

  /// Of the moves that the switch keeps, those of the lowest tier all arrive.
  [[nodiscard]] bool leads_on(const DestinationStates& states, std::span<const Move> moves) const {
    if (!some_leads_on(moves)) return false;
    if (subject_.knowledge.is_all()) return true;
    const auto kept = [&](const Move& move) { return keeps(states, move, subject_.knowledge.radius()); };
    int lowest = 256;
    for (const Move& move : moves)
      if (move.tier < lowest && kept(move)) lowest = move.tier;
    return lowest != 256 && std::ranges::all_of(moves, [&](const Move& move) {
             return move.tier != lowest || (usable(move.channel) && arrives_by(move)) || !kept(move);
           });
  }

  [[nodiscard]] bool delivers(TerminalId source, TerminalId destination) const {
    if (subject_.survival == Survival::fixed_paths) {
      const DestinationStates& states = states_[destination.index()];
      const auto injections = states.injections_of(source);
      return subject_.source == SourceRole::plan ? some_leads_on(injections) : leads_on(states, injections);
    }
    return std::ranges::any_of(topology_.injection(source), [&](ChannelId channel) {
      return usable(channel) && arrives_[topology_.target(channel).index()];
    });
  }

  [[nodiscard]] bool has_living_switch(TerminalId source, TerminalId destination,
                                       const FaultSet& faults) const {
    return std::ranges::any_of(topology_.injection(source),
                               [&](ChannelId c) { return !faults.failed(topology_.target(c)); }) &&
           std::ranges::any_of(topology_.ejection(destination),
                               [&](ChannelId c) { return !faults.failed(topology_.source(c)); });
  }

  Subject subject_;
  const Topology& topology_;
  std::vector<DestinationStates> states_;  // by destination, where paths are fixed
  std::vector<bool> usable_;               // by channel
  std::vector<bool> arrives_;              // by state or switch
};

}  // namespace

std::unique_ptr<Evaluator> make_reference_evaluator(const Subject& subject) {
  return std::make_unique<Reference>(subject);
}

}  // namespace faultline::survival
