// SPDX-License-Identifier: Apache-2.0
// The speed of simulate() for a user: for every cell of the matrix the flit-hops (cut-through: packet-hops)
// per second of CPU time, relative to the mesh cell in the same minute, the engine that ran, and the load
// that the network accepted: a saturated one is slow because most of its heads wait. Then the slowest cell of
// each kind of engine, measured again: the lowest of some hundred ratios is mostly that of a disturbed run.
// Those of cut-through switching are also compared with a fat tree.
// FAULTLINE_MATRIX=TEXT in the environment: cells with TEXT in their names.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string_view>

#include "bench/figures.h"
#include "bench/matrix_cells.h"
#include "faultline/fault/components.h"
#include "faultline/fault/sampler.h"
#include "faultline/routing/kind.h"
#include "faultline/simulate/simulate.h"
#include "faultline/topology/kind.h"

namespace faultline::bench {
namespace {

constexpr std::uint64_t longest_run = 1'000'000;  // cycles
constexpr double cell_seconds = 0.3, reference_seconds = 0.1;

struct Simulation {
  std::string name;
  RelationPtr relation;
  PatternPtr pattern;
  SimulationSpec spec;
  std::vector<ChannelId> failing;  ///< in time, ascending
};

/// Long enough for packets to fill the network: before that, a run is mostly its own set-up.
std::uint64_t shortest_run(const SimulationSpec& spec) { return 250 + 20 * spec.injection.packet_flits; }

FaultSet known_faults(const TopologyPtr& topology) {
  const FaultComponents links(topology, FaultUnit::link, FaultScope::network);
  const auto count = static_cast<std::uint32_t>(std::max<std::size_t>(links.count() / 100, 2));
  return links.fault_set(FaultSampler(links.count(), 1).draw(count, 0));
}

std::vector<ChannelId> failing_channels(const TopologyPtr& topology) {
  constexpr std::uint32_t count = 64;
  const FaultComponents channels(topology, FaultUnit::channel, FaultScope::network);
  std::vector<ChannelId> failing;
  for (const std::uint32_t channel : FaultSampler(channels.count(), 1).draw(count, 0))
    failing.push_back(channels.channels(channel).front());
  return failing;
}

/// One after the other over the whole run, each for at most 1000 cycles.
FaultSchedule outages(const std::vector<ChannelId>& failing, std::uint64_t cycles) {
  FaultSchedule schedule;
  for (std::size_t i = 0; i < failing.size(); ++i) {
    const std::uint64_t from = cycles * i / failing.size();
    schedule.push_back({failing[i], from, from + std::clamp<std::uint64_t>(cycles / 16, 1, 1000)});
  }
  return schedule;
}

Simulation build(const Cell& cell) {
  const TopologyPtr topology = build_topology(parse_compact("topology", cell.topology));
  const auto routing = routing_or_default(parse_compact("routing", cell.routing), *topology);
  const RoutingKind& kind = routing.kind();
  Damage damage{FaultSet(*topology), kind.knowledge, kind.source};
  Simulation simulation;
  simulation.name = name_of(cell);
  if (cell.faults == CellFaults::known) damage.dead = known_faults(topology);
  if (cell.faults == CellFaults::in_time || cell.faults == CellFaults::in_time_dropped)
    simulation.failing = failing_channels(topology);
  simulation.relation = build_relation(topology, damage, routing, cell.switching);
  simulation.pattern = build_pattern(*topology, 1, parse_compact("traffic", "uniform"));
  SimulationSpec& spec = simulation.spec;
  spec.switches = switches_of(
      cell.switching, {},
      {.pipeline = {.speculative = cell.speculative}, .credit_delay_cycles = cell.speculative ? 2U : 1U});
  spec.selection = selection_rule(parse_compact("selection", kind.selection));
  spec.injection.load = cell.load;
  spec.injection.packet_flits = cell.packet_flits;
  if (cell.switching == Switching::wormhole) spec.virtual_channels = cell.virtual_channels;
  spec.faults.on_failure = cell.faults == CellFaults::in_time_dropped ? OnFailure::drop : OnFailure::complete;
  return simulation;
}

struct Run {
  double seconds = 0;
  double hops_a_second = 0;
  double accepted = 0;  ///< flits/cycle/terminal
  std::string engine;
};

Run run(Simulation& simulation, std::uint64_t cycles) {
  SimulationSpec& spec = simulation.spec;
  spec.measurement.cycles = cycles;
  spec.faults.outages = outages(simulation.failing, cycles);
  const SimulationResult result = simulate(*simulation.relation, *simulation.pattern, spec);
  if (result.deadlock) throw std::runtime_error(simulation.name + ": deadlock");
  const std::uint64_t hops = spec.switching() == Switching::wormhole ? result.flit_hops : result.packet_hops;
  return {result.seconds, static_cast<double>(hops) / result.seconds, result.accepted, result.engine};
}

/// The length of a run that takes about this long, found by longer and longer ones; slow engines get the
/// shortest.
std::uint64_t cycles_for(Simulation& simulation, double seconds) {
  for (std::uint64_t cycles = shortest_run(simulation.spec);;) {
    const double missing = seconds / run(simulation, cycles).seconds;
    if (missing < 1.5 || cycles == longest_run) return cycles;
    const double longer = static_cast<double>(cycles) * std::min(missing, 8.0);
    cycles = std::min(static_cast<std::uint64_t>(longer), longest_run);
  }
}

/// A cell and another, in turn: other programs slow the machine down for seconds at a time.
class Pair {
 public:
  Pair(const Cell& cell, const Cell& reference) : cell_(build(cell)), reference_(build(reference)) {
    // a relation derives its knowledge of faults on first use
    if (cell.faults == CellFaults::known) (void)run(cell_, shortest_run(cell_.spec));
    cell_cycles_ = cycles_for(cell_, cell_seconds);
    reference_cycles_ = cycles_for(reference_, reference_seconds);
  }

  struct Runs {
    Run cell;
    double ratio = 0;
  };
  /// The best of some runs of each.
  [[nodiscard]] Runs best_of(std::uint32_t count) {
    Runs best;
    double reference = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      best.cell = std::ranges::max(best.cell, run(cell_, cell_cycles_), {}, &Run::hops_a_second);
      reference = std::max(reference, run(reference_, reference_cycles_).hops_a_second);
    }
    best.ratio = best.cell.hops_a_second / reference;
    return best;
  }

 private:
  Simulation cell_, reference_;
  std::uint64_t cell_cycles_ = 0, reference_cycles_ = 0;
};

struct Ratio {
  Cell cell;
  double value = 0;
};

/// Adds the figures of a cell; its ratio to the mesh cell.
Ratio measure(const Cell& cell, std::vector<Figure>& figures) {
  const auto [best, ratio] = Pair(cell, mesh_cell(cell.switching)).best_of(2);
  const std::string name = name_of(cell);
  const bool is_wormhole = cell.switching == Switching::wormhole;
  figures.push_back({best.engine, name,
                     is_wormhole ? "flit_hops_per_cpu_second" : "packet_hops_per_cpu_second",
                     best.hops_a_second, "1/s"});
  figures.push_back({best.engine, name, "accepted_load", best.accepted, "flits/cycle/terminal"});
  figures.push_back({best.engine, name, "ratio_to_mesh", ratio, "times"});
  return {cell, ratio};
}

/// Measures those of the lowest ratios again, in more runs; the lowest of them.
Figure slowest(std::span<const Ratio> candidates, const Cell& reference, std::string_view reference_name,
               std::vector<Figure>& figures) {
  std::vector<Figure> again;
  for (const Ratio& ratio : candidates) {
    const auto [best, value] = Pair(ratio.cell, reference).best_of(6);
    again.push_back(
        {best.engine, name_of(ratio.cell), fmt::format("ratio_to_{}_again", reference_name), value, "times"});
  }
  figures.insert(figures.end(), again.begin(), again.end());
  Figure slowest = *std::ranges::min_element(again, {}, &Figure::value);
  slowest.figure = fmt::format("slowest_ratio_to_{}", reference_name);
  return slowest;
}

/// Of one kind of engine.
std::vector<Figure> slowest_of(std::vector<Ratio> ratios, std::vector<Figure>& figures) {
  constexpr std::size_t max_candidates = 5;
  std::ranges::sort(ratios, {}, &Ratio::value);
  ratios.resize(std::min(ratios.size(), max_candidates));
  const Switching switching = ratios.front().cell.switching;
  std::vector<Figure> lowest{slowest(ratios, mesh_cell(switching), "mesh", figures)};
  if (switching == Switching::cut_through)
    lowest.push_back(slowest(ratios, tree_cell(), "fat_tree", figures));
  return lowest;
}

/// Cells with packets of one flit are apart: all their work is for heads.
bool are_alike(const Cell& a, const Cell& b) {
  return a.switching == b.switching &&
         (a.switching == Switching::cut_through || (a.packet_flits == 1) == (b.packet_flits == 1));
}

}  // namespace

std::vector<Figure> matrix_figures() {
  const char* const text = std::getenv("FAULTLINE_MATRIX");
  std::vector<Cell> cells = matrix_cells();
  if (text != nullptr)
    std::erase_if(cells, [&](const Cell& cell) { return name_of(cell).find(text) == std::string::npos; });
  std::vector<Figure> figures;
  std::vector<std::vector<Ratio>> kinds;
  for (const Cell& cell : cells) {
    const auto is_of = [&](const std::vector<Ratio>& kind) { return are_alike(kind.front().cell, cell); };
    auto kind = std::ranges::find_if(kinds, is_of);
    if (kind == kinds.end()) kind = kinds.emplace(kinds.end());
    kind->push_back(measure(cell, figures));
  }
  std::vector<Figure> lowest;
  for (std::vector<Ratio>& kind : kinds)
    std::ranges::move(slowest_of(std::move(kind), figures), std::back_inserter(lowest));
  figures.insert(figures.end(), lowest.begin(), lowest.end());
  return figures;
}

}  // namespace faultline::bench
