// SPDX-License-Identifier: Apache-2.0
// Do all wormhole engines give the same deliveries in the same cycles, on any network, routing, load and
// switch?
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "faultline/base/random.h"
#include "faultline/fault/components.h"
#include "faultline/fault/sampler.h"
#include "simulate/lanes/engine.h"
#include "support/effort.h"
#include "support/equal_outcomes.h"
#include "support/wormhole_support.h"

namespace faultline::wormhole {
namespace {

using namespace testing_support;

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : stream_(seed, 99) {}
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + stream_.next_below(high - low + 1);
  }
  bool one_in(std::uint32_t n) { return stream_.next_below(n) == 0; }
  template <class T>
  const T& any_of(const std::vector<T>& values) {
    return values[stream_.next_below(static_cast<std::uint32_t>(values.size()))];
  }

 private:
  RandomStream stream_;
};

/// Switches on a random tree with further links, random port numbers and lengths of channels.
TopologyPtr random_topology(Chance& chance) {
  TopologyBuilder builder;
  const std::uint32_t switches = chance.between(2, 40), most_ports = 16;
  std::vector<std::vector<std::uint32_t>> free_ports(switches);
  for (std::uint32_t i = 0; i < switches; ++i) {
    builder.add_switch({i, 0});
    for (std::uint32_t port = 0; port < most_ports; ++port) free_ports[i].push_back(port);
    for (std::uint32_t port = most_ports; port > 1; --port)
      std::swap(free_ports[i][port - 1], free_ports[i][chance.between(0, port - 1)]);
  }
  const auto take = [&](std::uint32_t at) {
    const Port port{SwitchId(at), free_ports[at].back()};
    free_ports[at].pop_back();
    return port;
  };
  const std::uint32_t longest = chance.one_in(2) ? 1 : chance.between(1, 9);
  const auto connect = [&](std::uint32_t a, std::uint32_t b) {
    if (a != b && free_ports[a].size() > 1 && free_ports[b].size() > 1)
      builder.connect_both(take(a), take(b), chance.between(1, longest));
  };
  for (std::uint32_t i = 1; i < switches; ++i) connect(i, chance.between(i > 3 ? i - 3 : 0, i - 1));
  for (std::uint32_t i = 0; i < switches; ++i)
    connect(chance.between(0, switches - 1), chance.between(0, switches - 1));
  for (std::uint32_t i = 0; i < switches; ++i)
    if (i < 2 || !chance.one_in(5))
      builder.attach(builder.add_terminal(), take(i), chance.between(1, longest));
  return std::make_shared<const Topology>(std::move(builder).build("random", "up-down"));
}

struct Example {
  std::string text;  ///< names what is run
  Network network;
  SimulationSpec spec;
};

Example random_network(Chance& chance) {
  static const std::vector<std::pair<std::string, std::vector<std::string>>> kinds{
      {"mesh:radix=5x4", {"dimension-order"}},
      {"mesh:radix=8x8", {"dimension-order"}},
      {"torus:radix=6x3", {"dimension-order:ring_rule=none", "dimension-order"}},
      {"torus:radix=17", {"dimension-order:ring_rule=none", "dimension-order"}},
      {"torus:radix=4x4x3", {"dimension-order", "direction-order"}},
      {"hypercube:n=5", {"dimension-order"}},
      {"fat-tree:k=2,n=4", {"nca", "destro"}},
      {"fat-tree:k=4,n=2", {"nca", "destro", "fta"}},
      {"fat-tree:k=6,n=2", {"nca"}},
      {"ruft:k=3,n=3", {"ruft"}},
      {"ft-ruft-222:k=2,n=4", {"ruft"}},
  };
  Example example;
  if (chance.one_in(3)) {
    const TopologyPtr topology = random_topology(chance);
    example.text = "random topology, up-down";
    example.network = network(topology, FaultSet(*topology), "up-down");
    return example;
  }
  if (chance.one_in(8)) {
    const TopologyPtr topology = one_way_ring(chance.between(3, 9));
    const bool dateline = chance.one_in(3);
    example.text = dateline ? "ring with a dateline" : "ring";
    example.network = {topology, std::make_shared<RoundTheRing>(topology, dateline),
                       build_pattern(*topology, 1, parse_compact("traffic", "uniform"))};
    return example;
  }
  const auto& [name, routings] = chance.any_of(kinds);
  const std::string& routing = chance.any_of(routings);
  const TopologyPtr topology = build_topology(parse_compact("topology", name));
  const FaultComponents components(topology, FaultUnit::link, FaultScope::network);
  const std::uint32_t faults = chance.one_in(3) ? chance.between(1, 3) : 0;
  const FaultSet failed =
      components.fault_set(FaultSampler(components.count(), chance.between(0, 1000)).draw(faults, 0));
  example.text = name + " " + routing + ", " + std::to_string(faults) + " failed links";
  example.network = {topology,
                     build_relation(topology, failed, parse_compact("routing", routing), Switching::wormhole),
                     build_pattern(*topology, 1, parse_compact("traffic", "uniform"))};
  return example;
}

Example random_example(std::uint64_t seed) {
  Chance chance(seed);
  Example example = random_network(chance);
  SimulationSpec& spec = example.spec;
  spec.switching = Switching::wormhole;
  spec.seed = seed;
  spec.load = chance.any_of(std::vector<double>{0.01, 0.05, 0.2, 0.4, 0.9});
  spec.cycles = chance.between(300, 1500);
  spec.packet_flits = chance.one_in(4) ? chance.between(32, 100) : chance.between(1, 20);
  if (chance.one_in(3))
    spec.packet_mix = {{chance.between(1, 4), 1}, {spec.packet_flits, 1}, {chance.between(1, 60), 0.5}};
  spec.load = std::min(spec.load, mean_flits(spec));
  spec.channel_load = chance.one_in(2);
  spec.buffer_flits = chance.one_in(4) ? chance.between(32, 80) : chance.between(1, 20);
  spec.virtual_channels = chance.between(example.network.relation->virtual_channels(), 4);
  spec.credit_delay_cycles = chance.between(0, 3);
  spec.pipeline.switch_allocation = chance.between(1, 3);
  spec.pipeline.switch_traversal = chance.between(0, 3);
  spec.selection = testing_support::selection(chance.one_in(4) ? "first" : "random");
  if (chance.one_in(6)) spec.packets_per_source = chance.between(1, 8);
  example.text +=
      fmt::format(", load {}, packets of {} and {} sizes, {} VCs of {} flits", spec.load, spec.packet_flits,
                  spec.packet_mix.size(), spec.virtual_channels, spec.buffer_flits);
  spec = resolved(spec, *example.network.pattern);
  return example;
}

class WormholeEngines : public testing::TestWithParam<std::uint64_t> {};

TEST_P(WormholeEngines, Agree) {
  std::size_t compared = 0;
  for (std::uint64_t seed = 25 * GetParam(); seed < 25 * (GetParam() + 1); ++seed) {
    const Example example = random_example(seed);
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, example.text));
    const auto shape = lanes::shape_of(*example.network.relation, example.spec);
    if (!shape) continue;
    const Outcome plain = run_scalar(*example.network.relation, *example.network.pattern, example.spec);
    for (const lanes::Kernel* kernel : lanes::kernels()) {
      SCOPED_TRACE(kernel->name);
      const auto fast =
          lanes::run(*kernel, *shape, *example.network.relation, *example.network.pattern, example.spec);
      if (!fast) continue;
      EXPECT_EQ(plain.checksum, fast->checksum);
      testing_support::expect_equal_results(plain.result, fast->result);
      ++compared;
    }
    if (testing::Test::HasFailure()) return;
  }
  RecordProperty("compared", std::to_string(compared));
  EXPECT_GE(compared, 18 * lanes::kernels().size()) << "too few examples are within reach of the fast engine";
}

TEST(WormholeEnginesAgree, OnADeadlock) {
  const TopologyPtr ring = one_way_ring(9);
  const RoundTheRing relation(ring, false);
  const auto pattern = build_pattern(*ring, 1, parse_compact("traffic", "uniform"));
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SimulationSpec spec = reference_router(0.5);
    spec.virtual_channels = 2;
    spec.seed = seed;
    spec.cycles = 5000;
    const Outcome plain = run_scalar(relation, *pattern, spec);
    ASSERT_TRUE(plain.result.deadlock) << "seed " << seed;
    for (const lanes::Kernel* kernel : lanes::kernels()) {
      SCOPED_TRACE(fmt::format("seed {}, {}", seed, kernel->name));
      const auto fast =
          lanes::run(*kernel, lanes::shape_of(relation, spec).value(), relation, *pattern, spec);
      ASSERT_TRUE(fast);
      EXPECT_EQ(plain.checksum, fast->checksum);
      testing_support::expect_equal_results(plain.result, fast->result);
      const std::set<std::string> ours(plain.result.deadlock_cycle.begin(),
                                       plain.result.deadlock_cycle.end());
      const std::set<std::string> theirs(fast->result.deadlock_cycle.begin(),
                                         fast->result.deadlock_cycle.end());
      EXPECT_EQ(ours, theirs);
      EXPECT_EQ(ours.size(), 9U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Random, WormholeEngines, testing::Range<std::uint64_t>(0, effort(14, 4)));

}  // namespace
}  // namespace faultline::wormhole
