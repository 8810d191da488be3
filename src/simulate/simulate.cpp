// SPDX-License-Identifier: Apache-2.0
#include "faultline/simulate/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/cpu_time.h"
#include "faultline/routing/contract.h"
#include "faultline/simulate/clock.h"
#include "faultline/simulate/packet_sizes.h"
#include "simulate/cut_through/model.h"
#include "simulate/faults/cut_off.h"
#include "simulate/faults/lossy.h"
#include "simulate/faults/pauses.h"
#include "simulate/wormhole/model.h"

namespace faultline {
namespace {

/// Of the relation, looked at before a run: all of a small network in a few milliseconds. The engines look at
/// every option that they take as well.
constexpr std::size_t sampled_states = 20'000;

template <class Value>
void require(bool good, const char* field, const Value& value, const std::string& allowed) {
  if (!good) throw Error(fmt::format("simulate.{}", field), fmt::format("{}", value), allowed);
}

void check_sizes(const SimulationSpec& spec) {
  const std::string sizes = fmt::format("must be from 1 to {}", max_packet_flits);
  const auto is_size = [](std::uint32_t flits) { return flits >= 1 && flits <= max_packet_flits; };
  require(is_size(spec.packet_flits), "packet-flits", spec.packet_flits, sizes);
  for (const PacketShare& part : spec.packet_mix) {
    require(is_size(part.flits), "packet-flits", part.flits, sizes);
    require(std::isfinite(part.share) && part.share > 0 && part.share <= 1e100, "packet-flits", part.share,
            "a share must be above 0");
  }
}

/// `spec` is resolved.
void check_common(const RoutingRelation& relation, const TrafficPattern& pattern,
                  const SimulationSpec& spec) {
  const bool is_trace = pattern.trace() != nullptr;
  const double most_load = mean_flits(spec);
  require(is_trace || (std::isfinite(spec.load) && spec.load > 0 && spec.load <= most_load), "load",
          spec.load,
          fmt::format("must be above 0 and at most {}, one packet a cycle and terminal", most_load));
  const auto silent = [&](TerminalId terminal) { return pattern.silent(terminal); };
  require(!std::ranges::all_of(relation.topology().terminals(), silent), "traffic", "no terminal sends",
          "must have a terminal that sends (one that would send to itself is silent)");
  require(std::isfinite(spec.interval_width) && spec.interval_width >= 0 && spec.interval_width < 1,
          "interval-width", spec.interval_width, "must be a part of the mean, from 0 to below 1");
  for (const Outage& outage : spec.outages)
    if (outage.channel.index() >= relation.topology().channel_count() || outage.from >= outage.until)
      throw Error("simulate.outages", fmt::format("channel {}", outage.channel.value()),
                  "must be of this network, and go down before it comes up");
  const auto out_of_order = [](const Outage& a, const Outage& b) {
    return b.channel < a.channel || (a.channel == b.channel && b.from <= a.until);
  };
  require(std::ranges::adjacent_find(spec.outages, out_of_order) == spec.outages.end(), "outages",
          spec.outages.size(), "must be by channel, then by time; those of a channel must not touch");
  require(spec.pauses.empty() || spec.on_failure == OnFailure::complete, "on-failure", "drop",
          "must be complete where sources pause: a pause takes no packet off a channel");
  require(std::isfinite(spec.burst_packets) && spec.burst_packets >= 1, "burst-packets", spec.burst_packets,
          "must be at least 1");
  const auto most = static_cast<std::uint64_t>(max_cycles);
  require(spec.cycles <= most, "cycles", spec.cycles, fmt::format("must be at most {}", most));
  const std::uint64_t warmup = spec.warmup.value_or(0);
  require(warmup <= most / 2 && (spec.cycles == 0 || warmup < spec.cycles), "warmup", warmup,
          spec.cycles == 0 ? fmt::format("must be at most {}", most / 2)
                           : fmt::format("must be less than the {} cycles of the run", spec.cycles));
  for (const ChannelId channel : relation.topology().channels())
    if (const std::uint32_t fly = relation.topology().fly_cycles(channel); fly < 1 || fly > max_delay_cycles)
      throw Error("topology", fmt::format("{} with {} fly cycles", relation.topology().name(channel), fly),
                  fmt::format("a simulated channel takes from 1 to {} cycles", max_delay_cycles));
}

void check_reroutings(const RoutingRelation& relation, const SimulationSpec& spec) {
  for (std::size_t i = 0; i < spec.reroutings.size(); ++i) {
    const auto& [at, changed] = spec.reroutings[i];
    require(i == 0 || spec.reroutings[i - 1].at < at, "reroutings", at, "must be in the order of time");
    require(changed != nullptr && &changed->topology() == &relation.topology() &&
                changed->virtual_channels() == relation.virtual_channels() &&
                changed->tag_count() == relation.tag_count(),
            "reroutings", at,
            "must change to a relation of the same network, with as many virtual channels and tags");
    check_contract(*changed, sampled_states);
  }
  require(spec.reroutings.empty() || !spec.unseen_faults, "reroutings", spec.reroutings.size(),
          "must be none where nobody knows of the faults");
}

void check_speedup(const Speedup& speedup) {
  constexpr std::uint32_t most = 16;
  for (const auto& [name, value] :
       {std::pair{"input-speedup", speedup.input}, std::pair{"output-speedup", speedup.output},
        std::pair{"internal-speedup", speedup.internal}})
    require(value >= 1 && value <= most, name, value, fmt::format("must be from 1 to {}", most));
}

/// `spec` is resolved.
void check_agents(const RoutingRelation& relation, const SimulationSpec& spec) {
  if (!spec.agents) return;
  require(spec.switching == Switching::cut_through, "agent", "with wormhole switching",
          "must be left out: sources learn under virtual cut-through only");
  require(cut_through::buffer_place(relation, spec) == BufferPlace::input, "buffers", "out or both",
          "must be in with source agents");
  require(spec.agents->control_flits >= 1 && spec.agents->control_flits <= max_packet_flits, "control-flits",
          spec.agents->control_flits, fmt::format("must be from 1 to {}", max_packet_flits));
  require(spec.agents->reaction_cycles <= max_delay_cycles, "agent-reaction", spec.agents->reaction_cycles,
          fmt::format("must be at most {}", max_delay_cycles));
}

void check_cut_through(const RoutingRelation& relation, const SimulationSpec& spec) {
  const std::uint32_t vcs = relation.virtual_channels();
  require(spec.virtual_channels == 0 || spec.virtual_channels == vcs, "vcs", spec.virtual_channels,
          fmt::format("must be 0 or {}, as many as the routing uses", vcs));
  require(vcs == 1 || cut_through::buffer_place(relation, spec) == BufferPlace::input, "buffers",
          "out or both", "several virtual channels have their buffers at the inputs");
  constexpr std::uint32_t most_places = 64;
  require(spec.buffer_packets >= 1 && spec.buffer_packets <= most_places, "buffer-packets",
          spec.buffer_packets, fmt::format("must be from 1 to {}", most_places));
  require(spec.buffer_packets >= 2 || relation.bubble_rings().empty(), "buffer-packets", spec.buffer_packets,
          "must be at least 2: one packet and the bubble of a ring");
  const BufferPlace place = cut_through::buffer_place(relation, spec);
  require(spec.speedup.input == 1 || place != BufferPlace::output, "input-speedup", spec.speedup.input,
          "must be 1 without buffers at the inputs");
  require((spec.speedup.output == 1 && spec.speedup.internal == 1) || place == BufferPlace::both,
          spec.speedup.output == 1 ? "internal-speedup" : "output-speedup",
          std::max(spec.speedup.output, spec.speedup.internal),
          "must be 1 without buffers at the inputs and outputs: it fills the one from the other");
  const std::string delays = fmt::format("must be at most {}", max_delay_cycles);
  require(spec.routing_cycles <= max_delay_cycles, "routing-cycles", spec.routing_cycles, delays);
  require(spec.crossbar_cycles <= max_delay_cycles, "crossbar-cycles", spec.crossbar_cycles, delays);
}

SimulationResult run_cut_through(const RoutingRelation& relation, const TrafficPattern& pattern,
                                 const SimulationSpec& spec, const Progress& progress) {
  const bool fits = cut_through::fits_event_driven(relation, spec);
  const auto run = fits ? cut_through::run_event_driven : cut_through::run_cycle_driven;
  SimulationResult result = run(relation, pattern, spec, progress, nullptr).result;
  result.engine = fits ? "cut-through, event-driven" : "cut-through, cycle-driven";
  return result;
}

SimulationResult run(const RoutingRelation& relation, const TrafficPattern& pattern,
                     const SimulationSpec& asked, const Progress& progress) {
  check_sizes(asked);
  SimulationSpec spec = resolved(asked, pattern);
  spec.atomic_vcs |= relation.relies_on_escape();
  check_common(relation, pattern, spec);
  check_speedup(spec.speedup);
  check_reroutings(relation, spec);
  check_agents(relation, spec);
  if (spec.switching == Switching::cut_through)
    check_cut_through(relation, spec);
  else
    wormhole::check_spec(relation, spec);
  check_contract(relation, sampled_states);
  spec.outages = with_pauses(relation.topology(), std::move(spec.outages), spec.pauses);
  const double start = thread_cpu_seconds();
  SimulationResult result = spec.switching == Switching::cut_through
                                ? run_cut_through(relation, pattern, spec, progress)
                                : wormhole::run(relation, pattern, spec, progress).result;
  result.cut_off = cut_off_terminals(relation.topology(), spec.outages, result.cycles);
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
  rerouted += other.rerouted;
  sources.add(other.sources);
}

SimulationResult simulate(const RoutingRelation& relation, const TrafficPattern& pattern,
                          const SimulationSpec& asked, const Progress& progress) {
  if (!asked.unseen_faults) return run(relation, pattern, asked, progress);
  return run(Lossy(relation, *asked.unseen_faults), pattern, asked, progress);
}

}  // namespace faultline
