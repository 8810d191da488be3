// SPDX-License-Identifier: Apache-2.0
// The virtual cut-through switch of paper 1 (section 5.1 and Table 1), as both engines simulate it:
//
// - A head that arrives at an input is routed for `routing` cycles, then requests an output in every
//   cycle. An output is available if its buffer has a free slot and its last packet has been written; a
//   grant moves the packet, one flit per cycle, through the crossbar (`crossbar` cycles).
// - In a cycle each head with an available output requests one, chosen by its selection function. Each
//   output channel grants one of its requests, then each input accepts one of the grants of its virtual
//   channels, as their arbiters decide; this repeats with the remaining heads until none has an available
//   output. Arbiters are updated by what was accepted in the first round, so that a contender whose grant
//   was not accepted keeps its turn. A head without any option is dropped before.
//   So is a packet in the buffer of an output whose channel is down for good.
// - The next head of that input can be granted when the packet has been read; its slot becomes free at
//   the same time.
// - A channel takes the next packet when its last one has left and the input buffer at its other end has a
//   free slot; the slot that the packet leaves behind is free when its tail has left. A head flies `fly`
//   cycles; terminals always accept packets.
// - Without output buffers a grant also needs the free slot at the other end; without input buffers a
//   packet that cannot be granted stays on the channel, whose sender keeps its slot until it knows that
//   the tail has left.
// - Several virtual channels have separate buffers at the receiver, and none at the sender: a grant takes
//   the packet through the crossbar onto the channel. The virtual channels of an input share its crossbar
//   input, those of an output the channel.
// - A packet that enters a ring with a bubble condition (RoutingRelation::bubble_rings) needs two free
//   slots.
// - If the relation says so (RoutingRelation::sends_again), a packet without a living option competes for
//   the ejection channels of its switch instead; the terminal at the end of such a channel re-injects it
//   when all of it has arrived, before packets of its own. One time in four it sends the packet to another
//   terminal first, a relay drawn from all terminals, which re-injects it in turn. For the network such a
//   packet is one from one terminal to the other: what is proved of all pairs holds for it. A terminal drops
//   a packet when none of its paths to the destination can come up again, and takes no relay to or from which
//   none can.
//
//   The detours are bounded. A crossing from terminal to terminal has no more segments than the relation
//   has virtual channels for. The terminals that re-inject a packet are a random walk. While channels no
//   longer change, each of its steps leads with some probability to a terminal at the other end of a
//   living link, or to the destination itself where it is one. So if each switch has a terminal that
//   does not fail, a packet whose destination is not disconnected arrives with probability 1. For networks
//   in which some switches have none, this is tested (tests/property/relays_test.cpp); there a packet that
//   is out of segments also waits at a switch from which every path down to a terminal is dead, until one
//   is alive again. At a switch whose terminals are all dead for good, a packet that is out of segments
//   before a dead channel is dropped, although its destination may be connected.
// - With source agents, control packets have priority over all others at a source, an output and an input.
//   An acknowledgement starts from the terminal that the data packet has reached, a notification from the
//   input where that packet is. At outputs and inputs a control packet loses its priority when a terminal
//   re-injects it: where every way on is down for a time, control packets go round between a switch and its
//   terminals until one comes up, and would leave nothing of the channels to data.
//
// A channel's length in packets of flight does not matter: slots are reserved when a packet starts.
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/base/random.h"
#include "faultline/simulate/clock.h"
#include "faultline/simulate/packet_sizes.h"
#include "faultline/simulate/simulate.h"
#include "simulate/measurement/measurement.h"

namespace faultline::cut_through {

/// Where the buffers are: as requested, else at both ends of a channel, or with several virtual channels or
/// source agents at the receiving end.
[[nodiscard]] inline Buffering buffering_of(const RoutingRelation& relation,
                                            const CutThroughSwitches& switches) {
  if (switches.buffers != Buffering::automatic) return switches.buffers;
  return relation.virtual_channels() > 1 || switches.agents ? Buffering::input : Buffering::both;
}

[[nodiscard]] inline Arbitration arbitration_of(const SimulationSpec& spec) {
  return spec.arbitration.value_or(Arbitration::random);
}

struct Timing {
  Time shortest_packet;  ///< flits: cycles in which it passes a point
  Time routing, crossbar;
  std::uint32_t slots;  ///< of a buffer: packets that it holds
  Buffering buffers;

  Timing(const RoutingRelation& relation, const SimulationSpec& spec)
      : shortest_packet(static_cast<Time>(least_flits(spec.injection))),
        routing(static_cast<Time>(spec.cut_through().routing_cycles)),
        crossbar(static_cast<Time>(spec.cut_through().crossbar_cycles)),
        slots(spec.cut_through().buffer_packets),
        buffers(buffering_of(relation, spec.cut_through())) {}
};

/// What a random number decides. Each is a function of the seed, the packet, the vertex and the hops before
/// it: a packet that comes to a switch again draws again.
enum class Decision : std::uint8_t {
  injection_route,
  injection_tie,
  route,
  tie,
  agent,
  relay,
  of_control = 0x80,  ///< added to those of a control packet
};

/// For packet (source, sequence) at `vertex`, the number of a switch or a terminal, after `hops` switches.
[[nodiscard]] inline std::uint32_t draw(std::uint64_t seed, Decision decision, std::uint32_t source,
                                        std::uint32_t sequence, std::uint32_t vertex, std::uint32_t hops) {
  const std::uint64_t where =
      std::uint64_t{hops} << 40 | std::uint64_t{vertex} << 8 | static_cast<std::uint64_t>(decision);
  return static_cast<std::uint32_t>(mix(seed, std::uint64_t{source} << 32 | sequence, where) >> 32);
}

/// The relay to which `at` sends a packet to `destination` first, one time in four that it re-injects one;
/// invalid: none. `random` is drawn for this packet and vertex.
[[nodiscard]] inline TerminalId relay_for(std::uint32_t random, TerminalId at, TerminalId destination,
                                          std::size_t terminals) {
  constexpr std::uint32_t one_in = 4;
  if (random % one_in != 0) return {};
  const TerminalId relay(
      below(static_cast<std::uint32_t>(mix(random)), static_cast<std::uint32_t>(terminals)));
  return relay == at || relay == destination ? TerminalId() : relay;
}

/// An engine's result; `log` receives every delivery.
struct Outcome {
  SimulationResult result;
  std::uint64_t checksum = 0;
};

// Specs are resolved() (simulate/packet_sizes.h).

/// The plain engine: every buffer is examined in every cycle. The oracle of the fast engine.
[[nodiscard]] Outcome run_cycle_driven(const RoutingRelation& relation, const TrafficPattern& pattern,
                                       const SimulationSpec& spec, const Progress& progress = {},
                                       std::vector<Delivery>* log = nullptr);

/// The fast engine: one event per packet and switch. Only for runs that satisfy fits_event_driven().
[[nodiscard]] Outcome run_event_driven(const RoutingRelation& relation, const TrafficPattern& pattern,
                                       const SimulationSpec& spec, const Progress& progress = {},
                                       std::vector<Delivery>* log = nullptr);

/// False for switches with a speed-up, and if a switch has more than 256 virtual channels at its inputs or
/// outputs, or a terminal more than 64 at its injection channels. With source agents the lanes of control
/// packets count as virtual channels.
[[nodiscard]] bool fits_event_driven(const RoutingRelation& relation, const SimulationSpec& spec);

}  // namespace faultline::cut_through
