// SPDX-License-Identifier: Apache-2.0
// Latency against load on a mesh, with progress reports; a signal handler would set `stop` to end a run. In a
// saturated network queues grow for as long as the run lasts, and so does the latency.
#include <faultline/faultline.h>

#include <atomic>
#include <iostream>

using namespace faultline;

int main() try {
  const TopologyPtr topology = build_topology(parse_compact("topology", "mesh:radix=8x8"));
  const RelationPtr relation =
      build_healthy_relation(topology, parse_compact("routing", "dimension-order"), Switching::wormhole);
  const PatternPtr pattern = build_pattern(*topology, 1, parse_compact("traffic", "uniform"));
  const std::atomic<bool> stop{false};
  for (const double load : {0.1, 0.2, 0.3}) {
    std::uint64_t reports = 0;
    const SimulationSpec spec{.injection = {.load = load, .packet_flits = 4},
                              .switches = WormholeSwitches{},
                              .measurement = {.cycles = 20'000},
                              .stop = &stop};
    const SimulationResult result = simulate(
        *relation, *pattern, spec, [&](std::string_view, std::uint64_t, std::uint64_t) { ++reports; });
    std::cout << "load " << load << ": ";
    if (result.saturated)
      std::cout << "saturated";
    else
      std::cout << "latency " << result.latency.mean << " cycles (" << result.latency.interval.low << " to "
                << result.latency.interval.high << ')';
    std::cout << ", accepted " << result.accepted << " flits/cycle/terminal, " << result.delivered
              << " packets (" << result.engine << ")\n";
    if (result.deadlock || result.generated != result.delivered + result.in_flight || reports == 0) return 1;
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
