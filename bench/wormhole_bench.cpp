// SPDX-License-Identifier: Apache-2.0
// The reference router (shared/reference: 4 VCs of 16 flits, packets of 16), uniform traffic, one core:
// flit-hops a CPU second (one flit through one switch) of the fast engine with what vectors there are and
// without, and of the plain one.
#include <fmt/format.h>

#include <algorithm>

#include "base/cpu_time.h"
#include "bench/figures.h"
#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"
#include "simulate/lanes/engine.h"

namespace faultline::bench {
namespace {

struct Case {
  const char* topology;
  const char* routing;
  double load;
  std::uint64_t cycles;
};

constexpr Case cases[] = {{"mesh:radix=8x8", "dimension-order", 0.3, 100'000},
                          {"torus:radix=32x32", "dimension-order", 0.1275, 10'000},
                          {"torus:radix=8x8x8", "dimension-order", 0.3, 12'000},
                          {"fat-tree:k=8,n=3", "nca", 0.4, 12'000}};

/// The best of `repeats`, because other programs can only make it slower.
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
  spec.switching = Switching::wormhole;
  spec.load = run.load;
  spec.packet_flits = 16;
  spec.virtual_channels = 4;
  spec.cycles = run.cycles;
  spec.selection = find_selection(parse_compact("selection", "random"));
  const std::string name = fmt::format("{} {} load {}", run.topology, run.routing, run.load);
  const auto report = [&](std::string_view engine, double rate) {
    figures.push_back({fmt::format("wormhole {}", engine), name, "flit_hops_per_cpu_second", rate, "1/s"});
  };
  const wormhole::lanes::Shape shape = wormhole::lanes::shape_of(*relation, spec).value();
  for (const wormhole::lanes::Kernel* kernel : wormhole::lanes::kernels())
    report(kernel->name, flit_hops_a_second(5, [&] {
             return wormhole::lanes::run(*kernel, shape, *relation, *pattern, spec).value();
           }));
  spec.cycles = run.cycles / 10;
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
