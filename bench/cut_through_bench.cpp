// SPDX-License-Identifier: Apache-2.0
// Uniform traffic, one core. Load 0.4: the cases and goals of the measurements of SST Merlin. The torus takes
// at most a load of 0.25.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "bench/figures.h"
#include "faultline/agent/agent.h"
#include "faultline/base/random.h"
#include "faultline/routing/kind.h"
#include "faultline/simulate/simulate.h"
#include "faultline/topology/kind.h"

namespace faultline::bench {
namespace {

struct Case {
  const char* topology;
  std::uint32_t packet_flits;
  std::uint64_t cycles;
  double load = 0.4;
  const char* routing = "";  ///< the topology's own
  bool measures_threads = false;
};

constexpr Case cases[] = {
    {"fat-tree:k=8,n=3", 128, 120'000},
    {"fat-tree:k=8,n=3", 16, 20'000},
    {"ft-ruft-222:k=8,n=3", 128, 120'000},
    {"ft-ruft-222:k=8,n=3", 16, 20'000},
    {"fat-tree:k=16,n=3", 128, 40'000, 0.4, "", true},
    {"fat-tree:k=16,n=3", 16, 5'000},
    {"ft-ruft-222:k=16,n=3", 128, 40'000},
    {"ft-ruft-222:k=16,n=3", 16, 5'000},
    {"fat-tree:k=16,n=4", 128, 24'000, 0.4, "", true},
    {"torus:radix=32x32", 16, 8'000, 0.15, "duato:adaptive_vcs=2"},
};

/// The best of three, because other programs can only slow it down.
double packet_hops_a_second(const RoutingRelation& relation, const TrafficPattern& pattern,
                            const SimulationSpec& spec) {
  double best = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const SimulationResult result = simulate(relation, pattern, spec);
    best = std::max(best, static_cast<double>(result.packet_hops) / result.seconds);
  }
  return best;
}

struct Network {
  TopologyPtr topology;
  RelationPtr relation;
  PatternPtr pattern;
};

Network build(const Case& run) {
  TopologyPtr topology = build_topology(parse_compact("topology", run.topology));
  RelationPtr relation = build_relation(
      topology, FaultSet(*topology),
      *run.routing == '\0' ? Description{"routing", "", {}, {}} : parse_compact("routing", run.routing));
  PatternPtr pattern = build_pattern(*topology, 1, parse_compact("traffic", "uniform"));
  return {std::move(topology), std::move(relation), std::move(pattern)};
}

SimulationSpec spec_of(const Case& run) {
  SimulationSpec spec;
  spec.injection.load = run.load;
  spec.injection.packet_flits = run.packet_flits;
  spec.measurement.cycles = run.cycles;
  return spec;
}

double seconds_of(const Network& network, SimulationSpec spec, std::uint32_t threads) {
  spec.threads = threads;
  const auto start = std::chrono::steady_clock::now();
  (void)simulate(*network.relation, *network.pattern, spec);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Two threads by wall-clock time: the best of three of each, in alternation.
double speed_up(const Network& network, const SimulationSpec& spec) {
  double one = seconds_of(network, spec, 1), two = seconds_of(network, spec, 2);
  for (int repeat = 1; repeat < 3; ++repeat) {
    one = std::min(one, seconds_of(network, spec, 1));
    two = std::min(two, seconds_of(network, spec, 2));
  }
  return one / two;
}

/// Links that are down for a while, one after the other.
FaultSchedule links_down(const Topology& topology, std::uint32_t count, std::uint64_t cycles) {
  std::vector<FaultEvent> events;
  const std::uint64_t apart = cycles / (count + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto links = static_cast<std::uint64_t>(topology.network_link_count());
    const auto channels = topology.channels(LinkId(static_cast<std::uint32_t>(mix(i) % links)));
    const std::vector<ChannelId> both(channels.begin(), channels.end());
    events.push_back({i * apart, false, both});
    events.push_back({std::min(cycles - 1, i * apart + cycles / 2), true, both});
  }
  std::ranges::stable_sort(events, {}, &FaultEvent::cycle);
  return fault_schedule(topology, events);
}

/// Packet-hops per second, control packets included, when sources learn and 60 links fail and recover,
/// relative to runs without either: the median of five runs of each, in alternation.
double part_left_by_learning(const char* traffic, std::uint64_t cycles) {
  const TopologyPtr torus = build_topology(parse_compact("topology", "torus:radix=32x32"));
  const RelationPtr relation = build_relation(torus, FaultSet(*torus), parse_compact("routing", "ft-drb"));
  const PatternPtr pattern = build_pattern(*torus, 1, parse_compact("traffic", traffic));
  SimulationSpec plain{.injection = {.load = 0.1, .packet_flits = 16}, .measurement = {.cycles = cycles}};
  SimulationSpec learning = plain;
  learning.cut_through().agents = SourceAgents{.maker = agent_maker(parse_compact("agent", "ft-drb"))};
  learning.faults.outages = links_down(*torus, 60, cycles);
  const auto speed = [&](const SimulationSpec& spec) {
    const SimulationResult result = simulate(*relation, *pattern, spec);
    const std::uint64_t of_control = result.control ? result.control->packet_hops : 0;
    return static_cast<double>(result.packet_hops + of_control) / result.seconds;
  };
  std::vector<double> parts;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const double alone = speed(plain);
    parts.push_back(speed(learning) / alone);
  }
  std::ranges::sort(parts);
  return parts[2];
}

std::string name_of(const Case& run) {
  return fmt::format("{} {} flits load {}", run.topology, run.packet_flits, run.load);
}

}  // namespace

std::vector<Figure> cut_through_figures() {
  std::vector<Figure> figures;
  for (const Case& run : cases) {
    const Network network = build(run);
    figures.push_back({"cut-through", name_of(run), "packet_hops_per_cpu_second",
                       packet_hops_a_second(*network.relation, *network.pattern, spec_of(run)), "1/s"});
    if (run.measures_threads)
      figures.push_back(
          {"cut-through", name_of(run), "speed_up_of_two_threads", speed_up(network, spec_of(run)), "times"});
  }
  for (const char* traffic : {"uniform", "bit-reversal"})
    figures.push_back({"cut-through", fmt::format("torus:radix=32x32 ft-drb, 60 links, {}", traffic),
                       "part_of_speed_without_agents_and_faults", part_left_by_learning(traffic, 20'000),
                       "of it"});
  return figures;
}

}  // namespace faultline::bench
