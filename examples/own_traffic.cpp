// SPDX-License-Identifier: Apache-2.0
// Define a traffic pattern: where packets go, and which share of them goes where. The shares give the
// throughput that the channels allow at most, the destinations the load at which the simulated network
// saturates.
#include <faultline/faultline.h>

#include <iostream>

using namespace faultline;

namespace {

/// Every eighth terminal is a storage server. Clients write to any server, servers answer any client.
class StorageTraffic final : public TrafficPattern {
 public:
  explicit StorageTraffic(std::size_t terminals) {
    for (std::uint32_t i = 0; i < terminals; ++i)
      (is_server(TerminalId(i)) ? servers_ : clients_).emplace_back(i);
  }

  [[nodiscard]] TerminalId destination(TerminalId source, std::uint64_t random) const override {
    const std::vector<TerminalId>& partners = partners_of(source);
    return partners[random % partners.size()];
  }
  [[nodiscard]] double share(TerminalId source, TerminalId destination) const override {
    const bool are_partners = is_server(source) != is_server(destination);
    return are_partners ? 1.0 / static_cast<double>(partners_of(source).size()) : 0;
  }

 private:
  static bool is_server(TerminalId terminal) { return terminal.value() % 8 == 0; }
  [[nodiscard]] const std::vector<TerminalId>& partners_of(TerminalId source) const {
    return is_server(source) ? clients_ : servers_;
  }

  std::vector<TerminalId> servers_, clients_;
};

}  // namespace

int main() try {
  const TopologyPtr topology = build_topology(parse_compact("topology", "fat-tree:k=4,n=3"));
  const RelationPtr relation =
      build_healthy_relation(topology, parse_compact("routing", "nca-adaptive"), Switching::wormhole);
  const StorageTraffic pattern(topology->terminal_count());

  const std::optional<IdealThroughput> ideal = ideal_throughput(*relation, pattern);
  if (!ideal) return 1;
  std::cout << "the channels allow " << ideal->bound << " flits/cycle/terminal\n";

  const SimulationSpec spec{.injection = {.packet_flits = 4}, .switches = WormholeSwitches{}};
  const SaturationSearch search = find_saturation(*relation, pattern, spec, 0.02);
  std::cout << "simulated, it sustains " << search.sustained_load << " (" << search.runs.size() << " runs)\n";
  return search.sustained_load > 0 && search.sustained_load <= ideal->bound * 1.02 ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
