// SPDX-License-Identifier: Apache-2.0
#include "simulate/check_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "faultline/routing/contract.h"
#include "faultline/simulate/run_length.h"
#include "simulate/cut_through/model.h"
#include "simulate/wormhole/model.h"

namespace faultline {
namespace {

/// Options of the relation that are checked before a run: all of a small network in a few milliseconds. The
/// engines also check every option that they take.
constexpr std::size_t sampled_states = 20'000;

template <class Value>
void require(bool good, const char* field, const Value& value, const std::string& allowed) {
  if (!good) throw Error(fmt::format("simulate.{}", field), fmt::format("{}", value), allowed);
}

/// One of an enumeration whose last value is `last`.
template <class Enumeration>
void require_known(Enumeration value, Enumeration last, const char* field) {
  require(value <= last, field, static_cast<unsigned>(value),
          fmt::format("must be one of the values from 0 to {}", static_cast<unsigned>(last)));
}

/// `injection` is resolved.
void check_injection(const Topology& topology, const TrafficPattern& pattern,
                     const InjectionSpec& injection) {
  const bool is_trace = pattern.trace() != nullptr;
  const double load = injection.load, max_load = mean_flits(injection);
  require(
      !is_trace || pattern.trace()->sources() == topology.terminal_count(), "traffic",
      is_trace ? pattern.trace()->sources() : 0,
      fmt::format("must be a trace of {} terminals, as many as the network has", topology.terminal_count()));
  require(is_trace || (std::isfinite(load) && load > 0 && load <= max_load), "load", load,
          fmt::format("must be above 0 and at most {}, one packet a cycle and terminal", max_load));
  const auto silent = [&](TerminalId terminal) { return pattern.silent(terminal); };
  require(!std::ranges::all_of(topology.terminals(), silent), "traffic", "",
          "must be a pattern with which some terminal sends to another; with this one all are silent");
  require_known(injection.process, Injection::constant, "injection");
  require(std::isfinite(injection.burst_packets) && injection.burst_packets >= 1, "burst-packets",
          injection.burst_packets, "must be at least 1");
}

void check_measurement(const MeasurementSpec& measurement) {
  const double width = measurement.interval_width;
  require(std::isfinite(width) && width >= 0 && width < 1, "interval-width", width,
          "must be a fraction of the mean, from 0 to below 1");
  const auto most = static_cast<std::uint64_t>(max_cycles);
  const std::uint64_t cycles = measurement.cycles, warmup = measurement.warmup.value_or(0);
  require(cycles <= most, "cycles", cycles, fmt::format("must be at most {}", most));
  const std::uint64_t longest = longest_warmup(cycles);
  require(warmup <= longest, "warmup", warmup, fmt::format("must be at most {} cycles", longest));
}

void check_outages(const Topology& topology, const FaultsInTime& faults) {
  if (faults.unseen) faults.unseen->require_of(topology, "simulate.unseen");
  if (faults.dead) faults.dead->require_of(topology, "simulate.dead");
  for (const Outage& outage : faults.outages)
    if (outage.channel.index() >= topology.channel_count() || outage.from >= outage.until)
      throw Error("simulate.outages", fmt::format("channel {}", outage.channel.value()),
                  "must be of this network, and go down before it comes up");
  const auto out_of_order = [](const Outage& a, const Outage& b) {
    return b.channel < a.channel || (a.channel == b.channel && b.from <= a.until);
  };
  require(std::ranges::adjacent_find(faults.outages, out_of_order) == faults.outages.end(), "outages",
          faults.outages.size(),
          "must be sorted by channel, then by time; those of a channel must not touch");
  for (const auto& [from, until] : faults.pauses) {
    require(from <= until, "pauses", from, fmt::format("must begin before it ends, in cycle {}", until));
    require(until < Outage::forever, "pauses", from,
            "must end: packets of sources that never inject again are unreachable");
  }
  require(faults.pauses.empty() || faults.on_failure == OnFailure::complete, "on-failure", "drop",
          "must be complete where sources pause: a pause removes no packet from a channel");
}

void check_reroutings(const RoutingRelation& relation, const FaultsInTime& faults) {
  const std::vector<Rerouting>& reroutings = faults.reroutings;
  for (std::size_t i = 0; i < reroutings.size(); ++i) {
    const auto& [at, changed] = reroutings[i];
    require(i == 0 || reroutings[i - 1].at < at, "reroutings", at, "must be in the order of time");
    require(changed != nullptr && &changed->topology() == &relation.topology() &&
                changed->virtual_channels() == relation.virtual_channels() &&
                changed->tag_count() == relation.tag_count(),
            "reroutings", at,
            "must change to a relation of the same network, with as many virtual channels and tags");
    check_contract(*changed, sampled_states);
  }
  require(reroutings.empty() || !faults.unseen, "reroutings", reroutings.size(),
          "must be none where nobody knows of the faults");
}

void check_fly_cycles(const Topology& topology) {
  for (const ChannelId channel : topology.channels())
    if (const std::uint32_t fly = topology.fly_cycles(channel); fly < 1 || fly > max_delay_cycles)
      throw Error("topology", fmt::format("{} with a flight time of {} cycles", topology.name(channel), fly),
                  fmt::format("a simulated flight time is from 1 to {} cycles", max_delay_cycles));
}

void check_speedup(const Speedup& speedup) {
  for (const auto& [name, value] :
       {std::pair{"input-speedup", speedup.input}, std::pair{"output-speedup", speedup.output},
        std::pair{"internal-speedup", speedup.internal}})
    require(value >= 1 && value <= max_speedup, name, value,
            fmt::format("must be from 1 to {}", max_speedup));
}

void check_agents(const Topology& topology, const SourceAgents& agents, Buffering buffers) {
  require(agents.maker != nullptr, "agent", "without a maker", "must have one");
  if (agents.watched)
    for (const TerminalId terminal : {agents.watched->first, agents.watched->second})
      topology.require(terminal, "simulate.watched");
  require(buffers == Buffering::input, "buffers", "out or both", "must be in with source agents");
  require(agents.control_flits >= 1 && agents.control_flits <= max_packet_flits, "control-flits",
          agents.control_flits, fmt::format("must be from 1 to {}", max_packet_flits));
  require(agents.reaction_cycles <= max_delay_cycles, "agent-reaction", agents.reaction_cycles,
          fmt::format("must be at most {}", max_delay_cycles));
}

void check_cut_through(const RoutingRelation& relation, const SimulationSpec& spec) {
  const CutThroughSwitches& switches = spec.cut_through();
  require_known(switches.buffers, Buffering::both, "buffers");
  const Buffering buffers = cut_through::buffering_of(relation, switches);
  if (switches.agents) check_agents(relation.topology(), *switches.agents, buffers);
  const std::uint32_t vcs = relation.virtual_channels();
  require(spec.virtual_channels == 0 || spec.virtual_channels == vcs, "vcs", spec.virtual_channels,
          fmt::format("must be 0 or {}, as many as the routing uses{}", vcs,
                      spec.virtual_channels > vcs ? "; switching wormhole takes more" : ""));
  require(vcs == 1 || buffers == Buffering::input, "buffers", "out or both",
          "several virtual channels have their buffers at the inputs");
  const std::uint32_t packets = switches.buffer_packets;
  require(packets >= 1 && packets <= max_buffer_packets, "buffer-packets", packets,
          fmt::format("must be from 1 to {}", max_buffer_packets));
  require(packets >= 2 || relation.bubble_rings().empty(), "buffer-packets", packets,
          "must be at least 2: one packet and the bubble of a ring");
  require(spec.speedup.input == 1 || buffers != Buffering::output, "input-speedup", spec.speedup.input,
          "must be 1 without buffers at the inputs");
  require((spec.speedup.output == 1 && spec.speedup.internal == 1) || buffers == Buffering::both,
          spec.speedup.output == 1 ? "internal-speedup" : "output-speedup",
          std::max(spec.speedup.output, spec.speedup.internal),
          "must be 1 without buffers at inputs and outputs: it moves packets from one to the other");
  const std::string delays = fmt::format("must be at most {}", max_delay_cycles);
  require(switches.routing_cycles <= max_delay_cycles, "routing-cycles", switches.routing_cycles, delays);
  require(switches.crossbar_cycles <= max_delay_cycles, "crossbar-cycles", switches.crossbar_cycles, delays);
}

}  // namespace

void check_sizes(const InjectionSpec& injection) {
  const std::string sizes = fmt::format("must be from 1 to {}", max_packet_flits);
  const auto is_size = [](std::uint32_t flits) { return flits >= 1 && flits <= max_packet_flits; };
  require(is_size(injection.packet_flits), "packet-flits", injection.packet_flits, sizes);
  for (const PacketShare& part : injection.packet_mix) {
    require(is_size(part.flits), "packet-flits", part.flits, sizes);
    require(std::isfinite(part.share) && part.share > 0 && part.share <= 1e100, "packet-flits", part.share,
            "a share must be above 0 and at most 1e100");
  }
}

void check_spec(const RoutingRelation& relation, const TrafficPattern& pattern, const SimulationSpec& spec) {
  check_injection(relation.topology(), pattern, spec.injection);
  check_measurement(spec.measurement);
  check_fly_cycles(relation.topology());
  check_outages(relation.topology(), spec.faults);
  check_contract(relation, sampled_states);
  check_reroutings(relation, spec.faults);
  check_switches(relation, spec);
}

void check_switches(const RoutingRelation& relation, const SimulationSpec& spec) {
  check_speedup(spec.speedup);
  if (spec.arbitration) require_known(*spec.arbitration, Arbitration::random, "arbitration");
  if (spec.switching() == Switching::cut_through) return check_cut_through(relation, spec);
  require_known(spec.wormhole().allocation, Allocation::separable, "allocation");
  wormhole::check_spec(relation, spec);
}

}  // namespace faultline
