// SPDX-License-Identifier: Apache-2.0
// Parameters of a simulation: times in cycles, sizes in flits, loads in flits/cycle/terminal. The defaults
// are Table 1 of paper 1.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "faultline/agent/agent.h"
#include "faultline/base/stop.h"
#include "faultline/fault/schedule.h"
#include "faultline/routing/relation.h"
#include "faultline/routing/switching.h"
#include "faultline/selection/selection.h"

#pragma GCC visibility push(default)
namespace faultline {

/// When a source generates packets; the mean load is the same for all.
enum class Injection : std::uint8_t {
  bernoulli,  ///< with the same probability in every cycle
  bursty,     ///< on and off (Dally & Towles, section 24.2.2): packets at the rate of a burst, then silence
  constant,   ///< at equal distances, from a random start: intervals within one run do not cover other starts
};

/// A packet size and its share of all packets, relative to the sum of all shares.
struct PacketShare {
  std::uint32_t flits = 0;
  double share = 1;
};

/// What sources generate.
struct InjectionSpec {
  double load = 0.1;
  std::uint32_t packet_flits = 128;
  /// Sizes drawn packet by packet; if there are any, packet_flits is ignored. A slot of a cut-through buffer
  /// takes a packet of any size.
  std::vector<PacketShare> packet_mix = {};
  Injection process = Injection::bernoulli;
  /// Bursty: mean length; within a burst a source generates 1 flit/cycle or, if that is more, twice the load,
  /// but at most a packet in a cycle. Packets are whole numbers of cycles apart, which differ by one where
  /// the mean is not whole.
  double burst_packets = 8;
};

/// Sources that learn: each switch that has only dead channels for a packet notifies its source, once per
/// packet, and each destination answers each other packet with an acknowledgement (FT-DRB, paper 2, section
/// 3.1). These control packets cross the same network. They have priority over other packets for an output,
/// until a terminal has to re-inject them (RoutingRelation::sends_again).
struct SourceAgents {
  AgentMaker maker;
  std::uint32_t reaction_cycles =
      0;  ///< from the arrival of a control packet's tail to the first choice based on it
  std::uint32_t control_flits = 1;  ///< per control packet
  /// Control packets have a lane of their own at each input, with space for all of them, besides the virtual
  /// channels. Otherwise they take slots in the buffers of these, as data packets do.
  bool own_lanes = true;
  /// A source and a destination whose open paths are recorded at the end.
  std::optional<std::pair<TerminalId, TerminalId>> watched = std::nullopt;
};

/// Which ports of a cut-through switch have buffers (each of `buffer_packets`).
enum class Buffering : std::uint8_t {
  automatic,  ///< both; if the relation has several virtual channels: input, one buffer for each of them
  input,
  output,
  both,
};

/// Switches of virtual cut-through.
struct CutThroughSwitches {
  std::uint32_t buffer_packets = 2;  ///< a buffer's size
  Buffering buffers = Buffering::automatic;
  std::uint32_t routing_cycles = 4;
  std::uint32_t crossbar_cycles = 1;
  /// With buffers at the inputs, which is also what `buffers` automatic then means.
  std::optional<SourceAgents> agents = {};

  /// For a switch to route a head and its crossbar to pass it.
  [[nodiscard]] std::uint32_t head_cycles() const { return routing_cycles + crossbar_cycles; }
};

/// How a wormhole switch matches requests with outputs. Both take one iteration by default.
enum class Allocation : std::uint8_t {
  islip,      ///< outputs grant, inputs accept (McKeown, 1999)
  separable,  ///< inputs choose, outputs grant (Dally & Towles, section 19.3)
};

/// Wormhole switches.
struct WormholeSwitches {
  std::uint32_t buffer_flits = 16;  ///< a virtual channel's buffer
  /// A stage of several cycles is pipelined: it adds delay, and takes a flit in every cycle. All but one of
  /// the cycles of switch allocation pass from the flit's arrival on, also while its head waits to be routed
  /// or for a virtual channel.
  struct Pipeline {
    std::uint32_t routing = 1, vc_allocation = 1, switch_allocation = 1, switch_traversal = 1;
    /// Heads request the crossbar and a VC at the same time (Peh & Dally, HPCA 2001): one cycle less at a
    /// switch, however many the two stages have.
    bool speculative = false;
  } pipeline = {};
  std::uint32_t credit_delay_cycles = 1;  ///< from a credit's arrival at a switch to its use
  Allocation allocation = Allocation::islip;
  std::uint32_t allocation_iterations = 1;
  /// A virtual channel takes a packet only when its buffer is empty; always so for a relation that relies on
  /// escape channels.
  bool atomic_vcs = false;
};

using Switches = std::variant<CutThroughSwitches, WormholeSwitches>;

/// Those of `model`: defaults common to two runs that differ in the model.
[[nodiscard]] inline Switches switches_of(Switching model, CutThroughSwitches cut_through = {},
                                          WormholeSwitches wormhole = {}) {
  if (model == Switching::wormhole) return wormhole;
  return cut_through;
}

/// Which of several requests is granted first. All but `oldest`, which is fair to sources, are fair to
/// requests: each of k persistent ones is granted one time in k, however many others come and go.
enum class Arbitration : std::uint8_t {
  round_robin,  ///< the one next to the one served last
  matrix,       ///< the one served least recently
  oldest,       ///< the packet generated first; round robin among equals
  random,       ///< each with the same probability
};

/// How much faster the inside of a switch is than its channels (Dally & Towles, section 17.2; the terms of
/// other simulators). All 1: an input sends one flit per cycle into the crossbar, an output takes one.
struct Speedup {
  /// Crossbar inputs of each input port. Cut-through: packets that leave its buffers at a time; wormhole:
  /// crossbar input i serves the virtual channels v with v mod input = i.
  std::uint32_t input = 1;
  /// Crossbar outputs of each output port, into a buffer before its channel. Wormhole: crossbar output j
  /// takes from crossbar inputs i with i mod output = j, and the buffer has a slot for each credit.
  std::uint32_t output = 1;
  /// Crossbar cycles per cycle. Cut-through: flits of a packet that pass in a cycle, as far as they have
  /// arrived; wormhole: rounds of allocation in a cycle.
  std::uint32_t internal = 1;

  [[nodiscard]] bool none() const { return input == 1 && output == 1 && internal == 1; }
};

/// How long a run is and what is counted.
struct MeasurementSpec {
  std::uint64_t cycles = 0;  ///< length of the run, warm-up included; 0: chosen from the packet length
  std::optional<std::uint64_t> warmup = {};  ///< cycles left out of the measurement; absent: detected
  std::uint64_t packets_per_source =
      0;  ///< stop when each source has had this many delivered, after a given warm-up; 0: no such rule
  /// Stop when this many packets have been delivered or dropped; 0: no such rule. A trace is run to its end.
  std::uint64_t packets = 0;
  /// Stop when the half-width of the 95 % interval of the mean latency is below this fraction of the mean
  /// twice in a row (the run is examined whenever it has become a sixteenth longer), or the network is
  /// saturated, so that this never happens; 0: no such rule. (The sequential procedure of Law, Simulation
  /// Modeling and Analysis, section 9.4.1, on batch means.)
  double interval_width = 0;
  bool channel_load = false;  ///< count flits by channel
};

/// What becomes of a packet on a channel that goes down. It is on the channel from the cycle in which it was
/// given the channel until its tail is at the other end.
enum class OnFailure : std::uint8_t {
  complete,  ///< it passes: a channel takes no further packet while it is down
  drop,      ///< it is lost; what is left of it continues, and is counted as dropped where it would have been
             ///< delivered (InfiniBand: the far end marks the packet bad, its receiver discards it)
};

/// From a cycle on, switches and sources use another relation: forwarding tables have been recomputed and
/// installed everywhere at once.
struct Rerouting {
  std::uint64_t at = 0;
  /// Of the same network, with as many virtual channels and tags. A packet in flight keeps its tag; if the
  /// relation offers it nothing it is dropped.
  RelationPtr relation;
};

/// The cycles from `from` on and before `until`, which is not Outage::forever.
struct Pause {
  std::uint64_t from = 0, until = 0;
};

/// What fails during a run, and the reaction to it.
struct FaultsInTime {
  /// Channels that go down and come up. Switches see that a channel next to them is down, and do not offer
  /// it: options of a higher tier count if all of the lower ones are down, and a packet whose options are all
  /// down waits, or is dropped as stuck if none of them comes up again and no rerouting follows. So is a
  /// packet in the output buffer of a cut-through switch whose channel is down for good. So, as
  /// unreachable, is a packet at its source, if no channel on which it could be injected comes up again. What
  /// the relation knows does not change.
  FaultSchedule outages = {};
  OnFailure on_failure = OnFailure::complete;
  std::vector<Rerouting> reroutings = {};  ///< in the order of time, one a cycle at most
  /// In which no source injects, as while a network is stopped for reconfiguration; packets in flight
  /// continue. With OnFailure::complete only.
  std::vector<Pause> pauses = {};
  /// Channels that are dead from the start without any switch knowing (Knowledge::none()): a packet that
  /// takes one is lost at its other end, and its slot there is freed as if it had continued.
  std::optional<FaultSet> unseen = {};
  /// All channels that are dead from the start, whoever knows: for SimulationResult::cut_off, and for
  /// terminals that re-inject packets (RoutingRelation::sends_again), which drop what cannot arrive.
  std::optional<FaultSet> dead = {};
};

struct SimulationSpec {
  InjectionSpec injection = {};
  Switches switches = {};
  std::uint32_t virtual_channels = 0;  ///< per channel; 0: as many as the relation needs
  SelectionRule selection{.score = free_slots};
  /// Absent: round robin in a wormhole switch, random in a cut-through switch, whose ties are all broken at
  /// random (paper 1; Table 4 is met within 6 % by any but the oldest first).
  std::optional<Arbitration> arbitration = {};
  Speedup speedup = {};
  MeasurementSpec measurement = {};
  FaultsInTime faults = {};
  std::uint64_t seed = 1;
  /// At most this many threads share the run of a large network (wormhole: 1024 switches and more); never
  /// changes the answer.
  std::uint32_t threads = 1;
  /// Once set, simulate() throws Stopped.
  StopFlag stop = nullptr;

  [[nodiscard]] Switching switching() const {
    return std::holds_alternative<WormholeSwitches>(switches) ? Switching::wormhole : Switching::cut_through;
  }
  /// Throw std::bad_variant_access where the switches are of the other model.
  [[nodiscard]] const CutThroughSwitches& cut_through() const {
    return std::get<CutThroughSwitches>(switches);
  }
  [[nodiscard]] CutThroughSwitches& cut_through() { return std::get<CutThroughSwitches>(switches); }
  [[nodiscard]] const WormholeSwitches& wormhole() const { return std::get<WormholeSwitches>(switches); }
  [[nodiscard]] WormholeSwitches& wormhole() { return std::get<WormholeSwitches>(switches); }
};

}  // namespace faultline
#pragma GCC visibility pop
