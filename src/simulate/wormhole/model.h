// SPDX-License-Identifier: Apache-2.0
// The input-queued virtual-channel switch (Dally & Towles, chapter 16), as every wormhole engine simulates
// it:
//
// - A flit that arrives at cycle t joins the buffer of its virtual channel (VC). The packet at the front
//   of an idle VC is routed, then requests in every cycle a VC of one output channel, chosen by the
//   selection function; from the cycle after it got one, its flits request the crossbar. Each input and
//   each output is granted one flit per cycle.
// - Within a cycle: flits and credits arrive, then both allocations read that state, then it changes. A VC
//   is free for the next packet in the cycle after its last one's tail was granted; several packets may
//   share its buffer. A VC without credit may be allocated. The next packet of an input VC is routed in
//   the cycle after the tail was granted.
// - Requests for VCs are matched over (port, VC) on both sides. For the crossbar an input makes one
//   request per output, for the VC that comes first from the input's pointer, which moves past a VC that
//   was granted.
// - A terminal sends one flit per cycle and injection channel. It takes the next VC with credit, round
//   robin.
//
// A stage of n cycles is pipelined. The pipeline amounts to one delay of heads and one of flits: `Timing`.
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/simulate/clock.h"
#include "faultline/simulate/packet_sizes.h"
#include "faultline/simulate/simulate.h"
#include "simulate/measurement/measurement.h"

namespace faultline::wormhole {

struct Timing {
  Time
      head;  ///< from the cycle in which a packet is at the front of an idle VC to its first request for a VC
  Time crossbar;    ///< from a flit's grant to the start of its flight
  Time allocation;  ///< from a flit's arrival to its first request for the crossbar
  Time credit;      ///< from a credit's arrival at a switch to its use
  bool speculative;

  explicit Timing(const WormholeSwitches& switches)
      : head(static_cast<Time>(switches.pipeline.routing + switches.pipeline.vc_allocation) - 1),
        crossbar(1 + static_cast<Time>(switches.pipeline.switch_traversal)),
        allocation(static_cast<Time>(switches.pipeline.switch_allocation) - 1),
        credit(static_cast<Time>(switches.credit_delay_cycles)),
        speculative(switches.pipeline.speculative) {}

  /// From the grant of a flit (at a terminal: from its sending) to its first request at the other end, or its
  /// ejection.
  [[nodiscard]] Time flit_delay(const Topology& topology, ChannelId channel) const {
    const auto fly = static_cast<Time>(topology.fly_cycles(channel));
    switch (topology.role(channel)) {
      case ChannelRole::network:
        return crossbar + fly + allocation;
      case ChannelRole::injection:
        return 1 + fly + allocation;
      case ChannelRole::ejection:
        return crossbar + fly;
    }
    return 0;
  }

  /// The part of it when the flit has left the channel already.
  [[nodiscard]] Time after_channel(bool ejects) const { return ejects ? 0 : allocation; }

  /// From the grant (or ejection) that frees a slot to its use by the sender.
  [[nodiscard]] Time credit_delay(const Topology& topology, ChannelId channel) const {
    const auto fly = static_cast<Time>(topology.fly_cycles(channel));
    return 1 + fly + (topology.role(channel) == ChannelRole::injection ? 0 : credit);
  }
};

/// The result of a run; `log`, if given, receives every delivery.
struct Outcome {
  SimulationResult result;
  std::uint64_t checksum = 0;
  std::size_t bytes =
      0;  ///< of the fast engine's state at the end; topology, relation and counts by time not included
};

// Specs are resolved() (simulate/packet_sizes.h).

/// The fast engine (simulate/planes/engine.h) if it supports the spec, else the plain one, as
/// SimulationResult::engine says; the results are the same.
[[nodiscard]] Outcome run(const RoutingRelation& relation, const TrafficPattern& pattern,
                          const SimulationSpec& spec, const Progress& progress = {},
                          std::vector<Delivery>* log = nullptr);

/// The plain engine: readable, general, the oracle of the fast one.
[[nodiscard]] Outcome run_scalar(const RoutingRelation& relation, const TrafficPattern& pattern,
                                 const SimulationSpec& spec, const Progress& progress = {},
                                 std::vector<Delivery>* log = nullptr);

[[nodiscard]] inline Arbitration arbitration_of(const SimulationSpec& spec) {
  return spec.arbitration.value_or(Arbitration::round_robin);
}

/// VCs per channel: as many as the spec requests, or the relation needs.
[[nodiscard]] inline std::uint32_t vc_count(const RoutingRelation& relation, const SimulationSpec& spec) {
  return spec.virtual_channels != 0 ? spec.virtual_channels : relation.virtual_channels();
}

/// Throws Error for a spec that these engines cannot run.
void check_spec(const RoutingRelation& relation, const SimulationSpec& spec);

}  // namespace faultline::wormhole
