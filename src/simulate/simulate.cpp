// SPDX-License-Identifier: Apache-2.0
#include "faultline/simulate/simulate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/cpu_time.h"
#include "faultline/simulate/packet_sizes.h"
#include "simulate/check_spec.h"
#include "simulate/cut_through/model.h"
#include "simulate/faults/cut_off.h"
#include "simulate/faults/lossy.h"
#include "simulate/faults/pauses.h"
#include "simulate/hops_to_go.h"
#include "simulate/wormhole/model.h"

namespace faultline {
namespace {

SimulationResult run_cut_through(const RoutingRelation& relation, const TrafficPattern& pattern,
                                 const SimulationSpec& spec, const Progress& progress) {
  const bool fits = cut_through::fits_event_driven(relation, spec);
  const auto run = fits ? cut_through::run_event_driven : cut_through::run_cycle_driven;
  SimulationResult result = run(relation, pattern, spec, progress, nullptr).result;
  result.engine = fits ? "cut-through, event-driven" : "cut-through, cycle-driven";
  return result;
}

void note_late_outages(const FaultSchedule& outages, SimulationResult& result) {
  const auto late =
      std::ranges::count_if(outages, [&](const Outage& outage) { return outage.from >= result.cycles; });
  if (late != 0)
    result.notes.push_back(fmt::format("{} of {} outages of channels begin after the last cycle, {}", late,
                                       outages.size(), result.cycles - 1));
}

void note_late_reroutings(const std::vector<Rerouting>& reroutings, SimulationResult& result) {
  const auto late = std::ranges::count_if(
      reroutings, [&](const Rerouting& rerouting) { return rerouting.at >= result.cycles; });
  if (late != 0)
    result.notes.push_back(fmt::format("{} of {} changes of the routing would come after the last cycle, {}",
                                       late, reroutings.size(), result.cycles - 1));
}

/// A network that has come to a standstill, though not by a deadlock: for a tenth of the run, and much longer
/// than packets take.
void note_silence(SimulationResult& result) {
  const auto silent = static_cast<double>(result.silent_cycles);
  if (result.deadlock || result.delivered == 0 || silent < 0.1 * static_cast<double>(result.cycles) ||
      silent < 4 * result.latency.p99)
    return;
  result.notes.push_back(fmt::format(
      "nothing was delivered in the last {} of {} cycles, although packets are in flight ({} at the end); no "
      "deadlock was found",
      result.silent_cycles, result.cycles, result.in_flight));
}

SimulationResult run(const RoutingRelation& relation, const TrafficPattern& pattern,
                     const SimulationSpec& asked, const Progress& progress) {
  check_sizes(asked.injection);
  SimulationSpec spec = resolved(asked, pattern);
  check_spec(relation, pattern, spec);
  if (auto* const switches = std::get_if<WormholeSwitches>(&spec.switches))
    switches->atomic_vcs |= relation.relies_on_escape();
  spec.faults.outages = with_pauses(relation.topology(), std::move(spec.faults.outages), spec.faults.pauses);
  const double start = thread_cpu_seconds();
  const RelationForSelection relation_for_selection(relation, spec);
  const RoutingRelation& simulated = relation_for_selection.relation();
  SimulationResult result = spec.switching() == Switching::cut_through
                                ? run_cut_through(simulated, pattern, spec, progress)
                                : wormhole::run(simulated, pattern, spec, progress).result;
  result.cut_off = cut_off_terminals(relation.topology(), asked.faults, result.cycles);
  note_silence(result);
  note_late_outages(asked.faults.outages, result);
  note_late_reroutings(asked.faults.reroutings, result);
  result.seconds += thread_cpu_seconds() - start;  // to that of helping threads
  return result;
}

}  // namespace

void ControlFigures::add(const ControlFigures& other) {
  const std::uint64_t all = arrived + other.arrived;
  if (all != 0)
    latency_mean = (latency_mean * static_cast<double>(arrived) +
                    other.latency_mean * static_cast<double>(other.arrived)) /
                   static_cast<double>(all);
  acknowledgements += other.acknowledgements;
  notifications += other.notifications;
  arrived = all;
  lost += other.lost;
  packet_hops += other.packet_hops;
  flit_hops += other.flit_hops;
  most_in_a_lane = std::max(most_in_a_lane, other.most_in_a_lane);
  met_dead_channel += other.met_dead_channel;
  sources.add(other.sources);
}

SimulationResult simulate(const RoutingRelation& relation, const TrafficPattern& pattern,
                          const SimulationSpec& asked, const Progress& progress) {
  if (!asked.faults.unseen) return run(relation, pattern, asked, progress);
  return run(Lossy(relation, *asked.faults.unseen), pattern, asked, progress);
}

}  // namespace faultline
