// SPDX-License-Identifier: Apache-2.0
// Every pair is connected if each has a path of living channels; that the destinations behind the faults are
// examined first does not change the verdict.
#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "faultline/fault/components.h"
#include "faultline/fault/sampler.h"
#include "faultline/routing/admissible.h"
#include "faultline/routing/states.h"
#include "support/sample_networks.h"

namespace faultline {
namespace {

/// A path along the options of the healthy relation, of any tier.
bool has_living_path(const RoutingRelation& healthy, const FaultSet& dead, TerminalId source,
                     TerminalId destination) {
  const Topology& topology = healthy.topology();
  std::set<std::tuple<std::uint32_t, std::uint8_t, Tag>> seen;
  std::vector<RouteState> todo;
  bool arrives = false;
  const auto follow = [&](const RouteOptions& options) {
    for (const RouteOption& option : options) {
      if (dead.failed(option.channel)) continue;
      if (topology.role(option.channel) == ChannelRole::ejection) {
        arrives = true;
        continue;
      }
      for (std::uint8_t vc = 0; vc < healthy.virtual_channels(); ++vc)
        if ((option.vcs >> vc & 1U) != 0 && seen.insert({option.channel.value(), vc, option.tag}).second)
          todo.push_back({topology.target(option.channel), destination, option.channel, vc, option.tag});
    }
  };
  RouteOptions options;
  healthy.inject(source, destination, options);
  follow(options);
  while (!arrives && !todo.empty()) {
    const RouteState state = todo.back();
    todo.pop_back();
    options.clear();
    healthy.route(state, options);
    follow(options);
  }
  return arrives;
}

bool every_pair_has_a_living_path(const RoutingRelation& healthy, const FaultSet& dead) {
  const Topology& topology = healthy.topology();
  for (const TerminalId source : topology.terminals())
    for (const TerminalId destination : topology.terminals())
      if (source != destination && !has_living_path(healthy, dead, source, destination)) return false;
  return true;
}

TEST(KnownFaults, ConnectAllPairsIfEachHasALivingPath) {
  int connected = 0, disconnected = 0;
  for (const char* name : {"fat-tree:k=2,n=3", "ruft:k=2,n=3", "ruft-pl:k=2,n=3", "ft-ruft-212:k=2,n=3",
                           "ft-ruft-222:k=2,n=2", "torus:radix=4x3", "mesh:radix=3x3"}) {
    const RelationPtr healthy = make_network(name).relation;
    const FaultComponents components(healthy->shared_topology(), FaultUnit::channel, FaultScope::all);
    const FaultSampler sampler(components.count(), 11);
    for (std::uint32_t faults = 1; faults <= 4; ++faults)
      for (std::uint64_t draw = 0; draw < 25; ++draw) {
        const FaultSet set = components.fault_set(sampler.draw(faults, draw));
        const RelationPtr relation = admissible_relation(healthy, {set});
        const bool expected = every_pair_has_a_living_path(*healthy, set);
        EXPECT_EQ(all_pairs_connected(*relation), expected)
            << name << ", " << faults << " faults, seed 11, set " << draw;
        EXPECT_EQ(all_pairs_connected(*relation, *healthy, set), expected)
            << name << ", " << faults << " faults, seed 11, set " << draw;
        ++(expected ? connected : disconnected);
      }
  }
  EXPECT_GT(connected, 20);
  EXPECT_GT(disconnected, 20);
}

}  // namespace
}  // namespace faultline
