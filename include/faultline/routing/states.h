// SPDX-License-Identifier: Apache-2.0
// The states of a relation that a destination's packets can reach.
#pragma once

#include <bit>
#include <unordered_map>
#include <vector>

#include "faultline/base/random.h"
#include "faultline/routing/relation.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Identifies a state among those of one destination: (switch, tag), or (held channel, vc, tag) for a
/// relation that reads the held channel.
struct StateKey {
  std::uint32_t at = 0;  ///< switch or held channel
  std::uint8_t vc = 0;
  Tag tag = 0;
  friend bool operator==(const StateKey&, const StateKey&) = default;
};

struct StateKeyHash {
  std::size_t operator()(const StateKey& key) const noexcept { return mix(key.tag, key.at, key.vc); }
};

template <class Visit>
void for_each_vc(std::uint32_t vcs, Visit visit) {
  for (; vcs != 0; vcs &= vcs - 1) visit(static_cast<std::uint8_t>(std::countr_zero(vcs)));
}

/// The lowest virtual channel of an option.
[[nodiscard]] inline std::uint8_t first_vc(const RouteOption& option) {
  return static_cast<std::uint8_t>(std::countr_zero(option.vcs));
}

/// The key of `state` among those of its destination.
[[nodiscard]] inline StateKey key_of(const RoutingRelation& relation, const RouteState& state) {
  if (relation.reads_held_channel()) return {state.held.value(), state.vc, state.tag};
  return {state.at.value(), 0, state.tag};
}

/// The state reached by taking `option` (not an ejection channel) on virtual channel `vc`.
[[nodiscard]] inline StateKey key_after(const RoutingRelation& relation, const RouteOption& option,
                                        std::uint8_t vc) {
  if (relation.reads_held_channel()) return {option.channel.value(), vc, option.tag};
  return {relation.topology().target(option.channel).value(), 0, option.tag};
}

/// All states of one destination's packets and the moves between them, in the order of a breadth-first
/// search from every source. CSR: the moves of state s are moves[offsets[s]] … moves[offsets[s + 1] - 1].
struct DestinationStates {
  static constexpr std::uint32_t ejected = ~std::uint32_t{0};
  static constexpr std::uint32_t lost = ejected - 1;  ///< on a dead channel, taken without knowing it
  static constexpr std::uint8_t unnumbered = 255;
  /// Of one destination; a relation that leads to more is refused. They take about 1 GiB.
  static constexpr std::uint32_t max_states = 1U << 24;
  struct Move {
    ChannelId channel;
    std::uint32_t next = ejected;  ///< index of a state, or ejected, or lost
    std::uint8_t vc = 0;
    std::uint8_t tier = 0;
    bool escape = true;  ///< RoutingRelation::is_escape; always for ejection and injection
    /// Position among the options that the state offers, which are in a row; `unnumbered` for all behind the
    /// first 255.
    std::uint8_t option = 0;

    [[nodiscard]] bool enters() const { return next < lost; }  ///< leads to a state
  };
  std::vector<StateKey> keys;
  std::vector<SwitchId> switches;  ///< its switch
  std::vector<std::uint32_t> offsets;
  std::vector<Move> moves;
  /// Moves by which each terminal injects (empty for the destination itself), CSR likewise.
  std::vector<std::uint32_t> injection_offsets;
  std::vector<Move> injections;

  [[nodiscard]] std::size_t count() const { return keys.size(); }
  [[nodiscard]] std::span<const Move> moves_of(std::size_t state) const {
    return std::span(moves).subspan(offsets[state], offsets[state + 1] - offsets[state]);
  }
  [[nodiscard]] std::span<const Move> injections_of(TerminalId source) const {
    return std::span(injections)
        .subspan(injection_offsets[source.index()],
                 injection_offsets[source.index() + 1] - injection_offsets[source.index()]);
  }
};

/// O(states + moves) time and memory. These functions throw Error for a destination that the network does not
/// have, and for a `dead` of another network.
[[nodiscard]] DestinationStates enumerate_states(const RoutingRelation& relation, TerminalId destination);

/// The possible moves in a network whose channels `dead` have failed: in each state, the moves of the lowest
/// tier offered; those onto a dead channel are lost there. A play is a sequence of them from the source on:
/// what may happen to a packet, whatever switches choose. `relation` is the one that switches use
/// (admissible_relation, or recomputed without the dead channels).
[[nodiscard]] DestinationStates enumerate_plays(const RoutingRelation& relation, TerminalId destination,
                                                const FaultSet& dead);

/// The same without the moves that are lost: what packets hold and wait for.
[[nodiscard]] DestinationStates enumerate_states(const RoutingRelation& relation, TerminalId destination,
                                                 const FaultSet& dead);

/// Removes the moves that are lost.
void drop_lost(DestinationStates& states);

/// Whether every terminal has an option to inject towards every other, which with known faults means a
/// healthy path.
[[nodiscard]] bool all_pairs_connected(const RoutingRelation& relation);

/// The same for a relation that knows `faults`; `healthy` is the one of the whole network. Destinations whose
/// packets may use a failed channel are examined first, so that a fault set that disconnects a pair is found
/// early.
[[nodiscard]] bool all_pairs_connected(const RoutingRelation& relation, const RoutingRelation& healthy,
                                       const FaultSet& faults);

}  // namespace faultline
#pragma GCC visibility pop
