// SPDX-License-Identifier: Apache-2.0
// How often the 95 % intervals of runs of the default length contain the true mean, over seeds (1,000, or
// FAULTLINE_COVERAGE_SEEDS), and how often a run reports that it was too short. The true latency is that of
// runs 400 times as long; accepted traffic below saturation equals the offered load.
#include <fmt/format.h>

#include <cstdlib>

#include "bench/figures.h"
#include "faultline/routing/kind.h"
#include "faultline/simulate/simulate.h"
#include "faultline/topology/kind.h"

namespace faultline::bench {
namespace {

struct Case {
  const char* topology;
  const char* routing;
  Switching switching;
  std::uint32_t packet_flits;
  double load;
};

/// The last of each design is near saturation: there runs of the default length are too short.
constexpr Case cases[] = {
    {"fat-tree:k=4,n=3", "fta", Switching::cut_through, 128, 0.02},
    {"fat-tree:k=4,n=3", "fta", Switching::cut_through, 128, 0.3},
    {"fat-tree:k=4,n=3", "fta", Switching::cut_through, 128, 0.5},
    {"ft-ruft-212:k=4,n=3", "", Switching::cut_through, 128, 0.3},
    {"ft-ruft-222:k=4,n=3", "", Switching::cut_through, 128, 0.6},
    {"ft-ruft-222:k=4,n=3", "", Switching::cut_through, 128, 1.0},
    {"torus:radix=4x4", "duato", Switching::cut_through, 16, 0.3},
    {"mesh:radix=4x4", "dimension-order", Switching::wormhole, 16, 0.1},
    {"mesh:radix=4x4", "dimension-order", Switching::wormhole, 16, 0.35},
    {"torus:radix=4x4", "dimension-order", Switching::wormhole, 16, 0.3},
};

std::uint32_t seeds() {
  constexpr std::uint32_t usual = 1000;
  const char* const asked = std::getenv("FAULTLINE_COVERAGE_SEEDS");
  const int count = asked != nullptr ? std::atoi(asked) : 0;
  return count > 0 ? static_cast<std::uint32_t>(count) : usual;
}

void measure(const Case& one, std::vector<Figure>& figures) {
  const TopologyPtr topology = build_topology(parse_compact("topology", one.topology));
  const Description routing =
      *one.routing == '\0' ? Description{"routing", "", {}, {}} : parse_compact("routing", one.routing);
  const RelationPtr relation = build_relation(topology, FaultSet(*topology), routing, one.switching);
  const PatternPtr pattern = build_pattern(*topology, 1, parse_compact("traffic", "uniform"));
  SimulationSpec spec;
  spec.switches = switches_of(one.switching);
  spec.injection.packet_flits = one.packet_flits;
  spec.injection.load = one.load;

  SimulationSpec longer = spec;
  longer.measurement.warmup = simulate(*relation, *pattern, spec).cycles;
  longer.measurement.cycles = 40 * *longer.measurement.warmup;
  constexpr std::uint32_t long_runs = 10;
  double truth = 0;
  for (std::uint32_t run = 0; run < long_runs; ++run) {
    longer.seed = 1'000'000 + run;
    truth += simulate(*relation, *pattern, longer).latency.mean / long_runs;
  }

  const auto holds = [](const Interval& interval, double value) {
    return interval.low <= value && value <= interval.high ? 1.0 : 0.0;
  };
  double latency = 0, accepted = 0, too_short = 0;
  const std::uint32_t count = seeds();
  for (spec.seed = 1; spec.seed <= count; ++spec.seed) {
    const SimulationResult result = simulate(*relation, *pattern, spec);
    latency += 100 * holds(result.latency.interval, truth) / count;
    accepted += 100 * holds(result.accepted_interval, spec.injection.load) / count;
    too_short += result.too_short ? 100.0 / count : 0;
  }
  const std::string name =
      fmt::format("{} {} load {}, {} seeds", one.topology,
                  one.switching == Switching::wormhole ? "wormhole" : "cut-through", one.load, count);
  figures.push_back({"coverage", name, "intervals of mean latency that hold it", latency, "%"});
  figures.push_back({"coverage", name, "intervals of what is accepted that hold it", accepted, "%"});
  figures.push_back({"coverage", name, "runs that say they were too short", too_short, "%"});
}

}  // namespace

std::vector<Figure> coverage_figures() {
  std::vector<Figure> figures;
  for (const Case& one : cases) measure(one, figures);
  return figures;
}

}  // namespace faultline::bench
