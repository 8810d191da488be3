// SPDX-License-Identifier: Apache-2.0
// The state of the event-driven engine: buffers, and what each switch knows of its ports as sets of them.
#pragma once

#include <type_traits>
#include <vector>

#include "simulate/cut_through/buffer_state.h"
#include "simulate/cut_through/deadlock.h"
#include "simulate/cut_through/port_sets.h"

namespace faultline::cut_through {

/// Half a cache line for up to 64 ports, like an input: every visit and every arrival of a head touches it.
/// What few switches need is stored separately.
template <class Set>
struct alignas(32) Switch {
  Time next =
      never;  ///< when there is something to do: a head becomes eligible, or a blocked one may find an output
  bool changes = false;       ///< the options of its heads change in the course of the run
  bool expects_next = false;  ///< `expected` was due before all else when it arrived
  std::uint8_t expected = 0;  ///< the input whose head will probably be granted next: it is prefetched
  Set wanted = 0;             ///< the outputs that blocked heads want
  Set entered = 0;            ///< those of them that a blocked head would come into a ring with
  Set special = 0;            ///< the inputs with a head of SpecialHeads::to_serve(), and perhaps others

  /// A head that arrives is due at `eligible`. Expected is one that is due before all else, or else the last
  /// that arrived: in a hypercube with 8 virtual channels that is right for 80 % of the visits.
  void expect(std::uint32_t input, Time eligible) {
    const bool is_next = eligible < next;
    if (is_next || !expects_next) expected = static_cast<std::uint8_t>(input);
    expects_next |= is_next;
  }
};
static_assert(sizeof(Switch<PortSet<64>>) == 32);

/// Of the heads of a switch, by input: those that do more than request an output.
template <class Set>
struct SpecialHeads {
  Set stuck = 0;  ///< they are offered nothing
  Set open = 0;   ///< an option is to be picked for them once they have been routed
  // if sources learn, or terminals re-inject packets
  Set control = 0;     ///< packets of control that have priority
  Set meets_dead = 0;  ///< about to take a dead channel, without a notification yet
  Set out = 0;         ///< they wait only for a terminal that is to re-inject them
  Set ejections = 0;   ///< by output: the first virtual channels of ejection channels

  [[nodiscard]] Set to_serve() const { return stuck | open | control | meets_dead; }
};

/// Of a switch, by output.
template <class Set>
struct FailingOutputs {
  Set down = 0;           ///< those whose channels are down
  Set down_for_good = 0;  ///< of these, those whose channels never come up again
  Set goes_down = 0;      ///< those whose channels are down at some time of the run
};

template <class Set>
struct NetworkState : BufferState {
  NetworkState(const RoutingRelation& relation, const SimulationSpec& spec, std::uint32_t ports_a_switch);

  [[nodiscard]] std::size_t bytes() const;
  /// From now on the heads of a switch may enter the rings of this relation.
  void find_ring_entries(const Topology& topology, std::uint32_t at, const Rings& in_force);
  /// Heads that could have been granted before `end` but for slots whose release time is not known.
  [[nodiscard]] BlockedHeads blocked_heads(const Topology& topology, Time end) const;

  /// All virtual channels of the channel that `port` belongs to.
  [[nodiscard]] Set siblings(std::uint32_t port) const { return siblings_[port]; }
  /// Those of an output channel of a switch.
  [[nodiscard]] Set ports_of_channel(std::uint32_t position) const {
    return ports_from<Set>(position * vcs, first_ports(vcs));
  }

  /// The outputs that an input's head wants.
  [[nodiscard]] Set candidates_of(std::uint32_t input) const {
    if constexpr (is_wide) {
      return wanted_by[slots_of_input(input)[inputs[input].head].packet];
    } else {
      const std::uint32_t* const low = &candidates[first_candidates(input)];
      return ports <= 32 ? *low : *low | std::uint64_t{low[ports]} << 32;
    }
  }
  void set_candidates(std::uint32_t input, const Set& wanted) {
    if constexpr (is_wide) {
      wanted_by[slots_of_input(input)[inputs[input].head].packet] = wanted;
    } else {
      std::uint32_t* const low = &candidates[first_candidates(input)];
      *low = static_cast<std::uint32_t>(wanted);
      if (ports > 32) low[ports] = static_cast<std::uint32_t>(wanted >> 32);
    }
  }
  /// Of an input that no longer has a head.
  void forget_candidates(std::uint32_t input) {
    if constexpr (!is_wide) set_candidates(input, 0);
  }
  [[nodiscard]] std::size_t first_candidates(std::uint32_t input) const {
    return ports <= 32 ? input : input + std::size_t{input & ~63U};  // `ports` are 64
  }

  static constexpr bool is_wide = words_of<Set> > 1;
  HugeVector<Switch<Set>> switches;
  HugeVector<SpecialHeads<Set>> special;    ///< by switch
  HugeVector<FailingOutputs<Set>> failing;  ///< by switch; empty unless some switch `changes`
  /// By switch: half a word an input, in two rows for 64 ports; for more, `wanted_by` in its place.
  HugeVector<std::uint32_t> candidates;
  /// By packet that is the head of an input. Few of so many inputs have a head at a time: sets by packet fit
  /// in a cache, sets by input do not.
  Untouched<Set> wanted_by;
  HugeVector<Set> into_rings;  ///< by input, if there are rings: the outputs that enter one

 private:
  Set siblings_[64 * words_of<Set>];  ///< by port

  void find_ejections(const Topology& topology);
  void find_failing_outputs();
  /// The head of `input` has been routed, and nothing that it wants is known to get free.
  [[nodiscard]] bool shut_out(std::uint32_t at, std::uint32_t input) const;
  /// `wanted` is scratch space.
  void add_blocked(const Topology& topology, std::uint32_t at, std::uint32_t input, BlockedHeads& blocked,
                   std::vector<VcIndex>& wanted) const;
};

}  // namespace faultline::cut_through
