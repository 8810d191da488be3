// SPDX-License-Identifier: Apache-2.0
// One event a packet and switch: "the head at an input may be granted". When a channel starts, a tail leaves
// and a place becomes free follows by arithmetic, as soon as the last grant that it depends on is known:
//   start of packet k = max(grant_k + crossbar, start_{k-1} + packet, place of packet k at the receiver is
//   free).
// "Asks in every cycle" is one wake-up at the first cycle in which an output that a blocked head wants can be
// had. A switch acts on others no earlier than `lookahead` cycles later. So windows of so many cycles are run
// switch by switch, and what they do to each other is collected and applied between the windows. Terminals
// run `ahead` cycles before the switches, because what they inject takes no crossbar and arrives sooner.
#include "simulate/cut_through/region.h"
#include "simulate/cut_through/scan_avx2.h"
#include "simulate/cut_through/scan_avx512.h"

namespace faultline::cut_through {
namespace {

/// What a run is made of.
struct Run {
  const RoutingRelation& relation;
  const TrafficPattern& pattern;
  const SimulationSpec& spec;
  const Progress& progress;
  std::vector<Delivery>* log;
};

template <class Scan, std::uint32_t Ports, bool Plain>
class EventDriven {
 public:
  EventDriven(const Run& run, Fabric& fabric)
      : topology_(run.relation.topology()),
        progress_(run.progress),
        arrivals_(run.pattern, run.spec),
        timeline_(Timeline::of(run.spec)),
        fabric_(fabric),
        region_(run.relation, run.spec, arrivals_, timeline_, Windows(fabric.lookahead(topology_)), fabric,
                run.log) {}

  Outcome run() {
    region_.start();
    for (std::size_t bin = 0; bin < timeline_.bin_count() && deadlock_.channels.empty(); ++bin) {
      const Time edge = timeline_.end_of(bin);
      while (now_ < edge) {
        now_ = region_.run_window(edge);
        region_.exchange();
      }
      region_.forget_landed(edge);
      if (progress_) progress_(static_cast<std::uint64_t>(edge), static_cast<std::uint64_t>(timeline_.limit));
      if (region_.measurement().may_stop(edge, region_.senders())) break;
      deadlock_ = find_deadlock(topology_, fabric_.vcs, fabric_.blocked_heads(topology_, edge));
    }
    return outcome();
  }

 private:
  Outcome outcome() {
    const std::uint64_t in_flight = fabric_.packets_generated_before(now_) + region_.drain(now_);
    const Measurement& measurement = region_.measurement();
    Outcome outcome{measurement.result(now_, in_flight), measurement.checksum(now_)};
    SimulationResult& result = outcome.result;
    result.packet_hops = region_.packet_hops();
    result.flit_hops = region_.flit_hops();
    if (!fabric_.output_flits.empty())
      result.channel_flits = fabric_.flits_by_channel(topology_, arrivals_, now_);
    deadlock_.report(result);
    return outcome;
  }

  const Topology& topology_;
  const Progress& progress_;
  Arrivals arrivals_;
  Timeline timeline_;
  Fabric& fabric_;
  Region<Scan, Ports, Plain> region_;
  Time now_ = 0;
  Deadlock deadlock_;
};

template <class Scan, std::uint32_t Ports>
Outcome run_with(const Run& run, Fabric& fabric) {
  const bool plain = fabric.is_plain() && run.spec.packet_mix.empty() && !run.spec.channel_load;
  return plain ? EventDriven<Scan, Ports, true>(run, fabric).run()
               : EventDriven<Scan, Ports, false>(run, fabric).run();
}

template <class Scan>
Outcome run_with(const Run& run, Fabric& fabric) {
  switch (fabric.ports) {
    case 8:
      return run_with<Scan, 8>(run, fabric);
    case 16:
      return run_with<Scan, 16>(run, fabric);
    case 32:
      return run_with<Scan, 32>(run, fabric);
    default:
      return run_with<Scan, 64>(run, fabric);
  }
}

}  // namespace

Outcome run_event_driven(const RoutingRelation& relation, const TrafficPattern& pattern,
                         const SimulationSpec& spec, const Progress& progress, std::vector<Delivery>* log) {
  Fabric fabric(relation, Timing(relation, spec));
  if (spec.channel_load) fabric.output_flits.resize(fabric.outputs.size());
  const Run run{relation, pattern, spec, progress, log};
#ifdef FAULTLINE_VECTOR_SCANS
  if (Avx512Scan::available()) return run_with<Avx512Scan>(run, fabric);
  if (Avx2Scan::available()) return run_with<Avx2Scan>(run, fabric);
#endif
  return run_with<BaseScan>(run, fabric);
}

}  // namespace faultline::cut_through
