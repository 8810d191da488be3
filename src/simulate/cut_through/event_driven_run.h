// SPDX-License-Identifier: Apache-2.0
// The event-driven engine has one event per packet and switch: "the head at an input may be granted". The
// times when a channel starts, a tail leaves and a slot becomes free follow by arithmetic, as soon as the
// last grant that they depend on is known:
//   start of packet k = max(grant_k + crossbar, start_{k-1} + packet, slot of packet k at the receiver is
//   free).
// A head that makes a request in every cycle is one wake-up at the first cycle in which an output that it
// wants is free. A switch affects others no earlier than `lookahead` cycles later. So windows of that many
// cycles are run switch by switch, and the messages between switches are collected and delivered between
// the windows. Terminals run `ahead` cycles before the switches, because what they inject takes no
// crossbar and arrives sooner. Switches and terminals are divided into regions, which threads run in
// parallel: they synchronise once per window, and read the messages of the others. Nothing depends on the
// order in which they finish, so the answer does not either.
#pragma once

#include <memory>

#include "simulate/cut_through/region.h"
#include "simulate/threads/pace.h"
#include "simulate/threads/team.h"

namespace faultline::cut_through {

/// What a run is made of.
struct Run {
  const RoutingRelation& relation;
  const TrafficPattern& pattern;
  const SimulationSpec& spec;
  const Progress& progress;
  std::vector<Delivery>* log;
};

/// Of switches with up to that many ports. One file each (event_driven_8.cpp and so on), because they take
/// long to compile.
Outcome run_with_8_ports(const Run& run);
Outcome run_with_16_ports(const Run& run);
Outcome run_with_32_ports(const Run& run);
Outcome run_with_64_ports(const Run& run);
Outcome run_with_96_ports(const Run& run);
Outcome run_with_128_ports(const Run& run);
Outcome run_with_256_ports(const Run& run);

/// How many regions a window has enough work for. With 77 packets per window (4096 terminals, 128 flits, load
/// 0.4) two threads took 1.17 times as long as one on an idle machine, with 154 they took 0.8 times as long.
inline std::uint32_t worthwhile_regions(const Run& run, const Windows& windows) {
  constexpr double packets_a_region = 50;
  const double packets = run.spec.injection.load / mean_flits(run.spec.injection) * windows.length *
                         static_cast<double>(run.relation.topology().terminal_count());
  const std::size_t switches = run.relation.topology().switch_count();
  const double most = Partition::max_regions(switches, run.spec.threads);
  return static_cast<std::uint32_t>(std::clamp(packets / packets_a_region, 1.0, most));
}

template <std::uint32_t Ports, Shape shape>
class EventDriven {
 public:
  EventDriven(const Run& run, NetworkState<PortSet<Ports>>& network)
      : topology_(run.relation.topology()),
        progress_(run.progress),
        stop_(run.spec.stop),
        log_(run.log),
        injection_(run.relation.topology().terminal_count(), run.pattern, run.spec),
        timeline_(Timeline::of(run.spec)),
        network_(network),
        windows_(network.lookahead(topology_)),
        partition_(network, worthwhile_regions(run, windows_)),
        agents_(run.relation, run.spec),
        team_(partition_.count()),
        pace_(partition_.count() > 1) {
    for (std::uint32_t number = 0; number < partition_.count(); ++number)
      regions_.push_back(std::make_unique<Part>(run.relation, run.spec, injection_, timeline_, windows_,
                                                network, partition_, number, log_ != nullptr, agents_));
  }

  Outcome run() {
    for (const auto& region : regions_) region->start();
    for (const auto& region : regions_) region->read_mail(regions_);
    team_.run([this] { run_bins(); },
              [this](std::uint32_t number, Time end) { run_until(end, *regions_[number]); });
    return outcome();
  }

 private:
  using Part = Region<Ports, shape>;

  void run_bins() {
    for (std::size_t bin = 0; bin < timeline_.bin_count() && !stopped_; ++bin) {
      const Time edge = timeline_.end_of(bin);
      while (now_ < edge) {
        end_if_set(stop_);
        run_part(now_ + pace_.cycles(edge - now_, windows_.length));
      }
      look_at_all(edge);
      if (stopped_ || searches_after(bin, timeline_.bin_count())) search_for_deadlock(edge);
    }
  }

  void run_part(Time end) {
    pace_.starts();
    if (team_.has_helpers() && pace_.together()) {
      team_.run_until(end, [&] { run_until(end, *regions_.front()); });
    } else {
      run_all_until(end);
    }
    pace_.ran(end - now_);
    now_ = end;
  }

  /// One of several threads.
  void run_until(Time edge, Part& region) {
    for (Time now = now_; now < edge;) {
      now = region.run_window(edge);
      team_.barrier().wait();
      region.read_mail(regions_);
    }
  }
  /// The only thread.
  void run_all_until(Time edge) {
    for (Time now = now_; now < edge;) {
      for (const auto& region : regions_) now = region->run_window(edge);
      for (const auto& region : regions_) region->read_mail(regions_);
    }
  }

  /// While the other regions wait.
  void look_at_all(Time edge) {
#ifdef FAULTLINE_CHECKS
    check_conservation();
#endif
    for (const auto& region : regions_) region->forget_landed(edge);
    if (progress_)
      progress_("cycles", static_cast<std::uint64_t>(edge), static_cast<std::uint64_t>(timeline_.limit));
    std::size_t senders = 0;
    for (const auto& region : regions_) senders += region->senders();
    collect_measurements();
    stopped_ = measurement().may_stop(edge, senders);
    for (std::size_t i = 1; i < regions_.size(); ++i) regions_[i]->measurement.follow(measurement());
  }

  void search_for_deadlock(Time edge) {
    const bool changes = network_.outages.any_from(edge) || network_.relations.back().at >= edge;
    if (changes) return;  // nobody waits for ever before the last change
    deadlock_ = find_deadlock(topology_, network_.vcs, network_.blocked_heads(topology_, edge));
    stopped_ |= !deadlock_.channels.empty();
  }

  void check_conservation() const {
    Conservation conservation(network_, shape == Shape::input_buffered);
    std::size_t in_use = network_.packets.given();
    for (const auto& region : regions_) {
      region->add_to(conservation);
      in_use -= region->spare_packets();
    }
    conservation.check(in_use);
  }

  Measurement& measurement() { return regions_.front()->measurement; }
  void collect_measurements() {
    for (std::size_t i = 1; i < regions_.size(); ++i) measurement().absorb(regions_[i]->measurement);
  }

  Outcome outcome() {
    for (const auto& region : regions_) region->read_mail(regions_);
    std::uint64_t in_flight = network_.packets_generated_before(now_);
    for (const auto& region : regions_) in_flight += region->drain(now_);
    collect_measurements();
    Outcome outcome{measurement().result(now_, in_flight), measurement().checksum(now_)};
    SimulationResult& result = outcome.result;
    for (const auto& region : regions_) {
      result.packet_hops += region->packet_hops();
      result.flit_hops += region->flit_hops();
      if (log_ != nullptr) log_->insert(log_->end(), region->log.begin(), region->log.end());
    }
    if (!network_.output_flits.empty())
      result.channel_flits = network_.flits_by_channel(topology_, injection_, now_);
    if (agents_.present()) result.control = control_figures();
    result.seconds = team_.helper_seconds();
    deadlock_.report(result);
    return outcome;
  }

  ControlFigures control_figures() {
    ControlCounts sum;
    for (const auto& region : regions_) sum.absorb(region->control());
    ControlFigures figures = sum.figures();
    figures.sources = agents_.figures(now_);
    return figures;
  }

  const Topology& topology_;
  const Progress& progress_;
  StopFlag stop_;
  std::vector<Delivery>* log_;
  InjectionProcess injection_;
  Timeline timeline_;
  NetworkState<PortSet<Ports>>& network_;
  Windows windows_;
  Partition partition_;
  AgentsOfRun agents_;  ///< by terminal: each region has its own
  std::vector<std::unique_ptr<Part>> regions_;
  Team team_;
  Pace pace_;
  Time now_ = 0;
  bool stopped_ = false;
  Deadlock deadlock_;
};

/// Shapes are for as many ports as they have users: each takes seconds to compile.
template <std::uint32_t Ports>
Outcome run_with_ports(const Run& run) {
  NetworkState<PortSet<Ports>> network(run.relation, run.spec, Ports);
  if (run.spec.measurement.channel_load) network.output_flits.resize(network.outputs.size());
  const bool common = network.is_common() && run.spec.injection.packet_mix.empty() &&
                      !run.spec.measurement.channel_load && !run.spec.selection.reads_queues;
  const Buffering buffers = network.timing.buffers;
  if constexpr (Ports <= 128)
    if (common && buffers == Buffering::input)
      return EventDriven<Ports, Shape::input_buffered>(run, network).run();
  if constexpr (Ports <= 64)
    if (common && buffers == Buffering::both && network.vcs == 1 && !network.has_rings)
      return EventDriven<Ports, Shape::plain>(run, network).run();
  return EventDriven<Ports, Shape::any>(run, network).run();
}

}  // namespace faultline::cut_through
