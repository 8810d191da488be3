// SPDX-License-Identifier: Apache-2.0
// The wormhole engines, packets and buffers of 16 flits, uniform traffic, one core: flit-hops per CPU second
// (one flit through one switch) of the fast engine with the available vector instructions and without, and of
// the plain engine.
#include <fmt/format.h>

#include <algorithm>

#include "base/cpu_time.h"
#include "bench/figures.h"
#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"
#include "simulate/planes/engine.h"

namespace faultline::bench {
namespace {

struct Case {
  const char* topology;
  const char* routing;
  const char* selection;
  std::uint32_t virtual_channels;
  double load;
  std::uint64_t cycles;
  std::uint32_t outages = 0;
  std::uint32_t packet_flits = 16;
};

constexpr Case cases[] = {
    {"mesh:radix=8x8", "dimension-order", "random", 4, 0.3, 100'000},
    {"torus:radix=32x32", "dimension-order", "random", 4, 0.1275, 10'000},
    {"torus:radix=8x8x8", "dimension-order", "random", 4, 0.3, 12'000},
    {"fat-tree:k=8,n=3", "nca", "random", 4, 0.4, 12'000},
    {"torus:radix=32x32", "duato", "most-free", 4, 0.1275, 10'000},
    {"fat-tree:k=8,n=3", "nca-adaptive", "most-free", 4, 0.4, 12'000},
    {"fat-tree:k=16,n=3", "nca", "random", 4, 0.4, 1'200},
    {"mesh:radix=8x8", "dimension-order", "random", 8, 0.3, 100'000},
    {"torus:radix=32x32", "duato", "most-free", 4, 0.1275, 10'000, 64},
    {"fat-tree:k=16,n=3", "nca", "random", 8, 0.4, 1'000},
    {"fat-tree:k=32,n=2", "nca-adaptive", "most-free", 8, 0.4, 4'000},
    {"torus:radix=32x32", "duato", "most-free", 4, 0.3, 6'000},
    {"mesh:radix=8x8", "dimension-order", "random", 4, 0.3, 20'000, 0, 1},
    {"torus:radix=32x32", "duato", "most-free", 4, 0.02, 20'000},
};

/// Channels that go down for a while, spread over the network and the run.
FaultSchedule outages_of(const Topology& topology, const Case& run) {
  FaultSchedule outages;
  for (std::uint64_t i = 0; i < run.outages; ++i) {
    const std::uint64_t from = run.cycles / 10 + i * run.cycles / (2 * run.outages);
    outages.push_back(
        {ChannelId(i * topology.network_channel_count() / run.outages), from, from + run.cycles / 5});
  }
  return outages;
}

/// The best of `repeats`, because other programs can only slow it down.
template <class Run>
double flit_hops_a_second(int repeats, Run run) {
  double best = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const double start = thread_cpu_seconds();
    const wormhole::Outcome outcome = run();
    best = std::max(best, static_cast<double>(outcome.result.flit_hops) / (thread_cpu_seconds() - start));
  }
  return best;
}

void measure(const Case& run, std::vector<Figure>& figures) {
  const TopologyPtr topology = build_topology(parse_compact("topology", run.topology));
  const RelationPtr relation = build_relation(topology, FaultSet(*topology),
                                              parse_compact("routing", run.routing), Switching::wormhole);
  const PatternPtr pattern = build_pattern(*topology, 1, parse_compact("traffic", "uniform-self"));
  SimulationSpec spec;
  spec.switches = WormholeSwitches{.atomic_vcs = relation->relies_on_escape()};
  spec.injection.load = run.load;
  spec.injection.packet_flits = run.packet_flits;
  spec.virtual_channels = run.virtual_channels;
  spec.measurement.cycles = run.cycles;
  spec.selection = selection_rule(parse_compact("selection", run.selection));
  spec.faults.outages = outages_of(*topology, run);
  const std::string name =
      fmt::format("{} {} load {}, {} VCs, {} outages, packets of {}", run.topology, run.routing, run.load,
                  run.virtual_channels, run.outages, run.packet_flits);
  const auto report = [&](std::string_view engine, double rate) {
    figures.push_back({fmt::format("wormhole {}", engine), name, "flit_hops_per_cpu_second", rate, "1/s"});
  };
  for (const wormhole::planes::Kernel* kernel : wormhole::planes::kernels())
    report(kernel->name,
           flit_hops_a_second(5, [&] { return wormhole::planes::run(*kernel, *relation, *pattern, spec); }));
  spec.measurement.cycles = run.cycles / 10;
  report("plain", flit_hops_a_second(1, [&] { return wormhole::run_scalar(*relation, *pattern, spec); }));
  const wormhole::Outcome outcome = wormhole::run(*relation, *pattern, spec);
  figures.push_back({"wormhole", name, "bytes_per_switch",
                     static_cast<double>(outcome.bytes) / static_cast<double>(topology->switch_count()),
                     "B"});
}

}  // namespace

std::vector<Figure> wormhole_figures() {
  std::vector<Figure> figures;
  for (const Case& run : cases) measure(run, figures);
  return figures;
}

}  // namespace faultline::bench
