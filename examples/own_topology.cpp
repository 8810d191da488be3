// SPDX-License-Identifier: Apache-2.0
// Build a network by hand, route it with a routing for any topology, verify it, and write it as a graph.
#include <faultline/faultline.h>

#include <iostream>

using namespace faultline;

namespace {

/// The Petersen graph: ten switches with three neighbours each, every two at most two hops apart.
TopologyPtr petersen(std::uint32_t terminals_per_switch) {
  TopologyBuilder builder;
  for (std::uint32_t i = 0; i < 5; ++i) builder.add_switch({0, i}, "outer " + std::to_string(i));
  for (std::uint32_t i = 0; i < 5; ++i) builder.add_switch({1, i}, "inner " + std::to_string(i));
  const auto port = [](std::uint32_t at, std::uint32_t number) { return Port{SwitchId(at), number}; };
  for (std::uint32_t i = 0; i < 5; ++i) {
    builder.connect_both(port(i, 0), port((i + 1) % 5, 1));          // the outer ring
    builder.connect_both(port(5 + i, 0), port(5 + (i + 2) % 5, 1));  // the inner star
    builder.connect_both(port(i, 2), port(5 + i, 2));                // the spokes
  }
  for (std::uint32_t at = 0; at < 10; ++at)
    for (std::uint32_t i = 0; i < terminals_per_switch; ++i)
      builder.attach(builder.add_terminal(), port(at, 3 + i));
  return std::make_shared<const Topology>(std::move(builder).build("petersen", "lash"));
}

}  // namespace

int main() try {
  const TopologyPtr topology = petersen(2);
  const RelationPtr relation = build_healthy_relation(topology, parse_compact("routing", "lash"));
  const Verdict verdict = verify(*relation, FaultSet(*topology), {.switching = Switching::wormhole});
  std::cout << topology->terminal_count() << " terminals, " << topology->link_count() << " links\n"
            << "free of deadlock: " << (verdict.deadlock_free ? "proved" : "no") << ", with "
            << relation->virtual_channels() << " virtual channels\n"
            << "at most " << verdict.max_hops.value() << " switches\n";
  write_file("petersen.graphml", formats::graphml_text(graph_of(*topology)), "output");
  return verdict.positive() ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
