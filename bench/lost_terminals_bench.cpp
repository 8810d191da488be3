// SPDX-License-Identifier: Apache-2.0
// All sets of faults of a ring of switches: one of each class of symmetric ones, every one, and every one by
// walking the network and trying sets of terminals. In CPU time of one core.
#include <ctime>

#include "bench/figures.h"
#include "faultline/fault/sampler.h"
#include "faultline/resilience/lost_terminals.h"
#include "faultline/topology/kind.h"
#include "tests/support/plain_losses.h"

namespace faultline::bench {
namespace {

struct Case {
  const char* name;
  const char* topology;
  FaultUnits units;
  std::uint32_t faults;
};

double seconds(const auto& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// 2000 drawn sets: seconds a set.
double naive_seconds_a_set(const FaultComponents& components, std::uint32_t faults) {
  const PlainLosses losses(components.topology());
  const FaultSampler sampler(components.count(), 1);
  constexpr int sets = 2000;
  std::uint64_t lost = 0;
  const double spent = seconds([&] {
    for (int i = 0; i < sets; ++i)
      lost += losses.of(components.fault_set(sampler.draw(faults, static_cast<std::uint64_t>(i)))).lost;
  });
  return lost == ~std::uint64_t{0} ? 0 : spent / sets;
}

}  // namespace

std::vector<Figure> lost_terminals_figures() {
  constexpr FaultUnits any = FaultUnit::switch_ | FaultUnit::link | FaultUnit::terminal;
  std::vector<Figure> figures;
  for (const Case& one :
       {Case{"switch-ring n=46, 3 switches", "switch-ring:n=46", FaultUnit::switch_, 3},
        Case{"switch-ring n=11, 3 of any kind", "switch-ring:n=11", any, 3},
        Case{"switch-ring n=30 degree=3, 5 switches", "switch-ring:n=30,degree=3", FaultUnit::switch_, 5}}) {
    const TopologyPtr topology = build_topology(parse_compact("topology", one.topology));
    const FaultComponents components(topology, one.units, FaultScope::all);
    EveryFaultSet all;
    const double by_class = seconds([&] { all = every_fault_set(components, {.faults = one.faults}); });
    const double every =
        seconds([&] { all = every_fault_set(components, {.faults = one.faults, .use_symmetry = false}); });
    const auto add = [&](const char* what, double value, const char* unit) {
      figures.push_back({"lost_terminals", one.name, what, value, unit});
    };
    add("seconds, one set a class", by_class, "s");
    add("seconds, every set", every, "s");
    if (topology->terminal_count() <= 32)
      add("naive / every set",
          naive_seconds_a_set(components, one.faults) * static_cast<double>(all.sets) / every, "ratio");
  }
  return figures;
}

}  // namespace faultline::bench
