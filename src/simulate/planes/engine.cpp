// SPDX-License-Identifier: Apache-2.0
#include "simulate/planes/engine.h"

#include <memory>
#include <span>
#include <stdexcept>

#include "simulate/planes/region.h"
#include "simulate/threads/pace.h"
#include "simulate/threads/team.h"

namespace faultline::wormhole::planes {
namespace {

#ifdef FAULTLINE_CHECKS
constexpr bool checked = true;
#else
constexpr bool checked = false;
#endif

template <class Word, std::uint32_t Vcs>
class Engine {
 public:
  Engine(const Kernel& kernel, const Run& run, std::vector<Delivery>* log)
      : topology_(run.relation.topology()),
        spec_(run.spec),
        timeline_(Timeline::of(run.spec)),
        vc_count_(vc_count(run.relation, run.spec)),
        log_(log),
        state_(kernel, run.relation, run.spec),
        logs_(state_.partition.regions()),
        team_(state_.partition.regions()),
        pace_(state_.partition.regions() > 1) {
    for (std::uint32_t number = 0; number < logs_.size(); ++number)
      regions_.push_back(
          std::make_unique<Part>(run, state_, number, log != nullptr ? &logs_[number] : nullptr));
  }

  Outcome run(const Progress& progress) {
    std::vector<VcIndex> deadlock;
    team_.run([&] { deadlock = run_bins(timeline_, progress, *this); },
              [this](std::uint32_t number, Time end) { run_until(end, *regions_[number]); });
    return outcome(deadlock);
  }

  // For run_bins().

  void run_until(Time edge) {
    while (now() < edge) {
      const Time from = now(), end = from + pace_.cycles(edge - from, 1);
      pace_.starts();
      if (team_.has_helpers() && pace_.together())
        team_.run_until(end, [&] { run_until(end, *regions_.front()); });
      else
        run_all_until(end);
      pace_.ran(static_cast<double>(end - from));
    }
  }
  [[nodiscard]] bool may_stop(Time edge) {
    std::size_t senders = 0;
    for (const auto& region : regions_) senders += region->senders();
    collect_measurements();
    const bool stops = measurement().may_stop(edge, senders);
    for (const auto& region : others()) region->measurement().follow(measurement());
    return stops;
  }
  [[nodiscard]] std::uint64_t gone() {
    std::uint64_t gone = 0;
    for (const auto& region : regions_) gone += region->gone();
    return gone;
  }
  /// None while the network still changes: nobody waits for ever then.
  [[nodiscard]] std::vector<VcIndex> deadlock() {
    Part& any = *regions_.front();
    if (any.network_will_change()) return {};
    for (const auto& region : regions_) region->route_unrouted();
    return find_deadlock(any.waits());
  }

 private:
  using Part = Region<Word, Vcs>;

  /// One of several threads.
  void run_until(Time end, Part& region) {
    while (region.now() < end) {
      region.open();
      region.send();
      region.run_switches();
      team_.barrier().wait([this] { finish_cycle(); });
      region.close();
    }
  }
  /// The only one.
  void run_all_until(Time end) {
    while (now() < end) {
      for (const auto& region : regions_) region->open();
      for (const auto& region : regions_) region->send();
      for (const auto& region : regions_) region->run_switches();
      finish_cycle();
      for (const auto& region : regions_) region->close();
    }
  }
  void finish_cycle() {
    end_if_set(spec_.stop);
    state_.packets.prepare();
    if constexpr (checked) check_conservation();
  }

  void check_conservation() {
    regions_.front()->check_credits();
    std::uint64_t started = 0, landing = 0;
    for (const auto& region : regions_) started += region->started();
    const std::uint64_t left = gone();
    for (const auto& region : regions_) landing += region->landing();
    if (started != left + landing + state_.packets.count())
      throw std::logic_error("wormhole: a packet was lost or made");
  }

  [[nodiscard]] Time now() const { return regions_.front()->now(); }
  [[nodiscard]] Measurement& measurement() { return regions_.front()->measurement(); }
  [[nodiscard]] auto others() { return std::span(regions_).subspan(1); }
  void collect_measurements() {
    for (const auto& region : others()) measurement().absorb(region->measurement());
  }

  Outcome outcome(const std::vector<VcIndex>& deadlock) {
    (void)gone();
    std::uint64_t in_flight = state_.packets.count();
    for (const auto& region : regions_) in_flight += region->drain() + region->landing();
    collect_measurements();
    Outcome outcome{measurement().result(now(), in_flight), measurement().checksum(now())};
    SimulationResult& result = outcome.result;
    count_hops(result);
    outcome.bytes = state_.bytes();
    for (const auto& region : regions_) outcome.bytes += region->bytes();
    for (const auto& log : logs_)
      if (log_ != nullptr) log_->insert(log_->end(), log.begin(), log.end());
    result.seconds = team_.helper_seconds();
    result.deadlock = !deadlock.empty();
    for (const VcIndex vc : deadlock) {
      const ChannelId channel(vc / vc_count_);
      Part& any = *regions_.front();
      result.deadlock_cycle.push_back(topology_.name(channel));
      result.deadlock_packets.push_back(any.name_of_head(any.number_of_input(channel, vc % vc_count_)));
    }
    return outcome;
  }

  /// All flits of packets that were given an output VC have passed, except those that remain.
  void count_hops(SimulationResult& result) {
    Part& any = *regions_.front();
    std::vector<std::uint64_t>& by_channel = state_.given_flits_by_output;
    for (const auto& region : regions_) {
      result.packet_hops += region->given();
      result.flit_hops += region->given_flits();
    }
    any.for_each_active([&](ChannelId channel, std::uint32_t flits) {
      --result.packet_hops;
      result.flit_hops -= flits;
      if (spec_.measurement.channel_load) by_channel[channel.index()] -= flits;
    });
    if (!spec_.measurement.channel_load) return;
    for (const ChannelId channel : topology_.channels())
      if (topology_.role(channel) == ChannelRole::injection)
        by_channel[channel.index()] = any.flits_sent(channel);
    result.channel_flits = by_channel;
  }

  const Topology& topology_;
  const SimulationSpec& spec_;
  Timeline timeline_;
  std::uint32_t vc_count_;
  std::vector<Delivery>* log_;
  NetworkState<Word, Vcs> state_;
  std::vector<std::vector<Delivery>> logs_;  // by region
  std::vector<std::unique_ptr<Part>> regions_;
  Team team_;
  Pace pace_;
};

}  // namespace

Outcome run(const Kernel& kernel, const RoutingRelation& relation, const TrafficPattern& pattern,
            const SimulationSpec& spec, const Progress& progress, std::vector<Delivery>* log) {
  const Run run{relation, pattern, spec};
  const auto with = [&]<class Word>(Word) {
    if (vc_count(relation, spec) <= few_vcs) return Engine<Word, few_vcs>(kernel, run, log).run(progress);
    return Engine<Word, max_vcs_by_planes>(kernel, run, log).run(progress);
  };
  const std::uint32_t ports = Wiring(relation.topology()).ports;
  if (ports <= 8) return with(Byte{});
#ifndef FAULTLINE_CHECKS  // see has_engine
  if (ports <= 16) return with(std::uint16_t{});
  if (ports <= 32) return with(std::uint32_t{});
#endif
  return with(std::uint64_t{});
}

}  // namespace faultline::wormhole::planes
