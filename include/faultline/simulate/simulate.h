// SPDX-License-Identifier: Apache-2.0
// One clock, two switching models: what a run reports.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "faultline/agent/agent.h"
#include "faultline/base/interval.h"
#include "faultline/base/progress.h"
#include "faultline/routing/relation.h"
#include "faultline/simulate/spec.h"
#include "faultline/traffic/pattern.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Latencies in cycles, from generation to the ejection of the tail; `network_mean` from the head's
/// injection.
struct LatencySummary {
  std::uint64_t packets = 0;  ///< delivered while measuring; without any, the figures below are 0
  double mean = 0;
  Interval interval;        ///< of the mean
  double p50 = 0, p99 = 0;  ///< exact below 4096, else to within a thousandth
  double network_mean = 0;
};

/// Throughput in a part of a run.
struct ThroughputBin {
  std::uint64_t from = 0, until = 0;  ///< cycles
  double accepted = 0;                ///< flits/cycle/terminal
};

/// Control packets and their effects, over the whole run. A run that ends once all packets of a trace are
/// gone goes on until it finds that they are, at the end of a bin of the throughput: control packets are
/// followed until then, beyond SimulationResult::cycles.
struct ControlFigures {
  std::uint64_t acknowledgements = 0, notifications = 0;  ///< sent, or lost unsent
  std::uint64_t arrived = 0, lost = 0;  ///< lost: with a channel that went down, or with no living option
  std::uint64_t packet_hops = 0, flit_hops = 0;
  double latency_mean = 0;  ///< of those that arrived, in cycles
  /// Control packets of an input's lane that could be granted, as one of them was.
  std::uint64_t most_in_a_lane = 0;
  std::uint64_t met_dead_channel = 0;  ///< data packets that were about to take one
  AgentFigures sources;

  void add(const ControlFigures& other);
};

/// Sources that are not served.
struct Starvation {
  /// The most cycles that a packet was first in its source's queue: until its injection while measuring, or
  /// until the end.
  std::uint64_t longest_source_wait = 0;
  /// Sources whose first packet waited from the beginning of the measurement, or before, to the end.
  std::vector<TerminalId> sources;
};

struct SimulationResult {
  double offered = 0;  ///< flits/cycle/terminal generated while measuring
  double accepted =
      0;  ///< flits/cycle/terminal delivered while measuring; the saturation throughput when saturated
  Interval accepted_interval;
  bool saturated = false;  ///< source queues kept growing while measuring
  /// The intervals may be too narrow: batches as long as the run allows are still correlated (statistics are
  /// those of N-Skart, see simulate/statistics.h). For several runs, whose intervals are over the runs: of
  /// ten or more, nine in ten are too short, or they accept less than is offered, taken together, but most of
  /// them are not saturated alone.
  bool too_short = false;
  std::string note_on_length;      ///< if the run was too short to measure: what to do about it
  std::vector<std::string> notes;  ///< what else a reader of the numbers should know
  bool deadlock = false;
  std::vector<std::string> deadlock_cycle;    ///< the channels that wait for each other, in order
  std::vector<std::string> deadlock_packets;  ///< the packets whose heads they hold, in the same order
  std::uint64_t generated = 0, delivered = 0, in_flight = 0;  ///< packets, over the whole run
  std::map<std::string, std::uint64_t> dropped;               ///< packets, by reason
  /// How often a terminal re-injected a packet that had been removed at its switch
  /// (RoutingRelation::sends_again) or relayed to it.
  std::uint64_t sent_again = 0;
  /// At the end: cycles in which nothing was delivered although packets were in flight all the time.
  std::uint64_t silent_cycles = 0;
  /// Terminals that channels which were still down at the end had separated from most others: packets in
  /// flight to them cannot arrive.
  std::vector<TerminalId> cut_off;
  std::optional<ControlFigures> control;  ///< with source agents; elsewhere packets are data packets
  LatencySummary latency;
  /// Of a run with outages, from the first cycle to the last; else empty. See recovery.h.
  std::vector<ThroughputBin> throughput;
  Starvation starvation;
  double hops_mean = 0;  ///< switches traversed by a delivered packet
  std::uint64_t cycles = 0, warmup_cycles = 0;
  std::uint64_t packet_hops = 0, flit_hops = 0;  ///< one packet (flit) through one switch, over the whole run
  /// On request: flits that each channel was granted over the whole run, of data and of control packets.
  /// Those of channels that leave a switch add up to flit_hops and ControlFigures::flit_hops.
  std::vector<std::uint64_t> channel_flits;
  double seconds = 0;  ///< CPU time of the simulation itself
  /// Which one ran, as README.md names it; "wormhole, plain" is followed by the reason, in parentheses.
  std::string engine;
};

/// Throws Error for a spec that cannot be run (field paths "simulate.…"). Runs what can deadlock as well, and
/// ends with `deadlock` where it does: verify() with the selection's `selection_commits` tells beforehand.
/// `pattern` must be of the relation's topology; FaultsInTime::unseen must name the dead channels of which
/// the relation does not know.
[[nodiscard]] SimulationResult simulate(const RoutingRelation& relation, const TrafficPattern& pattern,
                                        const SimulationSpec& spec, const Progress& progress = {});

/// Latency in cycles of one packet alone in the network, along its fewest-hop path: what simulations come to
/// at vanishing load. The packet has InjectionSpec::packet_flits, also where others have sizes of a mix.
/// Throws Error if the pair is not connected, for a terminal and itself, and for switches and sizes that
/// simulate() refuses.
[[nodiscard]] std::uint64_t zero_load_latency(const RoutingRelation& relation, TerminalId source,
                                              TerminalId destination, const SimulationSpec& spec);

}  // namespace faultline
#pragma GCC visibility pop
