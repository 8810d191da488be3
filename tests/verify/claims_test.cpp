// SPDX-License-Identifier: Apache-2.0
// Every routing of the catalogue keeps what it claims on every sample topology that it fits.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "faultline/fault/components.h"
#include "faultline/routing/states.h"
#include "support/effort.h"
#include "support/print_switching.h"
#include "support/sample_networks.h"
#include "verify/examples.h"

namespace faultline {
namespace {

/// Fewest hops from each switch to one that ejects to `destination`, by breadth first search.
std::vector<std::uint32_t> fewest_hops(const Topology& topology, TerminalId destination) {
  constexpr std::uint32_t far = ~std::uint32_t{0};
  std::vector<std::uint32_t> hops(topology.switch_count(), far);
  std::vector<SwitchId> queue;
  const auto reach = [&](SwitchId at, std::uint32_t distance) {
    if (!at.valid() || hops[at.index()] != far) return;
    hops[at.index()] = distance;
    queue.push_back(at);
  };
  for (const ChannelId channel : topology.ejection(destination)) reach(topology.source(channel), 0);
  for (std::size_t next = 0; next < queue.size(); ++next)
    for (const ChannelId channel : topology.inputs(queue[next]))
      reach(topology.source(channel), hops[queue[next].index()] + 1);
  return hops;
}

/// With nothing dead, a switch takes the lowest tier that it is offered.
bool is_minimal(const RoutingRelation& relation) {
  const Topology& topology = relation.topology();
  const FaultSet none(topology);
  for (const TerminalId destination : topology.terminals()) {
    const auto hops = fewest_hops(topology, destination);
    const DestinationStates states = enumerate_states(relation, destination, none);
    for (std::size_t state = 0; state < states.count(); ++state)
      for (const DestinationStates::Move& move : states.moves_of(state)) {
        const std::uint32_t here = hops[states.switches[state].index()];
        if (move.next == DestinationStates::ejected ? here != 0
                                                    : hops[states.switches[move.next].index()] + 1 != here)
          return false;
      }
  }
  return true;
}

struct Network {
  TopologyPtr topology;
  const RoutingKind* kind;
  Description routing;
};

bool is_connected_without(const Network& network, const std::vector<std::uint32_t>& channels) {
  FaultSet faults(*network.topology);
  for (const std::uint32_t channel : channels) faults.fail(ChannelId(channel));
  const RelationPtr relation = build_relation(network.topology, faults, network.routing);
  return verify(*relation, faults, {.switching = Switching::cut_through, .listed_pairs = 0}).connected();
}

/// Goes through every set of `faults` network channels.
bool tolerates(const Network& network, std::uint32_t faults) {
  const auto channels = static_cast<std::uint32_t>(network.topology->network_channel_count());
  if (faults == 0 || channels < faults) return true;
  std::vector<std::uint32_t> set(faults);
  std::iota(set.begin(), set.end(), 0U);
  while (true) {
    if (!is_connected_without(network, set)) return false;
    std::size_t i = faults;
    while (i > 0 && set[i - 1] + (faults - (i - 1)) >= channels) --i;
    if (i == 0) return true;
    std::iota(set.begin() + static_cast<std::ptrdiff_t>(i - 1), set.end(), set[i - 1] + 1);
  }
}

/// Sets of one size that can be gone through in a test.
constexpr double max_sets = 4000;

double set_count(std::size_t components, std::uint32_t faults) {
  double count = 1;
  for (std::uint32_t i = 0; i < faults; ++i) count *= static_cast<double>(components - i) / (i + 1);
  return count;
}

std::vector<Network> all_networks() {
  std::vector<Network> networks;
  for (const TopologyKind* topology_kind : topology_kinds())
    for (const Description& description : samples_of(topology_kind->info, "topology")) {
      const TopologyPtr topology = build_topology(description);
      for (const RoutingKind* kind : routing_kinds())
        for (const Description& routing : samples_of(kind->info, "routing"))
          networks.push_back({topology, kind, routing});
    }
  return networks;
}

/// Pairs of terminals that a path of usable channels joins, by breadth first search over channels.
std::size_t joined_pairs(const Topology& topology, const std::vector<bool>& usable) {
  std::size_t joined = 0;
  for (const TerminalId source : topology.terminals()) {
    std::vector<bool> seen(topology.channel_count());
    std::vector<ChannelId> queue;
    const auto reach = [&](std::span<const ChannelId> channels) {
      for (const ChannelId channel : channels)
        if (usable[channel.index()] && !seen[channel.index()]) {
          seen[channel.index()] = true;
          queue.push_back(channel);
        }
    };
    reach(topology.injection(source));
    std::vector<bool> found(topology.terminal_count());
    for (std::size_t next = 0; next < queue.size(); ++next)
      if (topology.role(queue[next]) == ChannelRole::ejection)
        found[topology.terminal(queue[next]).index()] = true;
      else
        reach(topology.outputs(topology.target(queue[next])));
    found[source.index()] = false;
    joined += static_cast<std::size_t>(std::ranges::count(found, true));
  }
  return joined;
}

/// Channels that a routing with this survival uses, if `failed` is known to have failed.
std::vector<bool> usable_without(const Topology& topology, ChannelId failed, Survival survival) {
  std::vector<bool> usable(topology.channel_count(), true);
  usable[failed.index()] = false;
  if (survival == Survival::any_path_two_way)
    for (const ChannelId other : topology.channels(topology.link(failed))) usable[other.index()] = false;
  return usable;
}

/// Null where the routing does not fit the topology.
RelationPtr build_if_fitting(const Network& network, Switching switching) {
  return if_it_fits([&] {
    return build_relation(network.topology, FaultSet(*network.topology), network.routing, switching);
  });
}

class Claims : public testing::TestWithParam<Switching> {};

TEST_P(Claims, AreKeptByEveryRoutingOnEverySample) {
  std::size_t fitting = 0;
  for (const Network& network : thinned(all_networks(), 7)) {
    const RelationPtr relation = build_if_fitting(network, GetParam());
    if (!relation) continue;
    ++fitting;
    SCOPED_TRACE(network.topology->name() + " " + to_compact(network.routing));
    const Claim claim = relation->claim();
    const FaultSet none(*network.topology);
    const Verdict verdict = verify(*relation, none, {.switching = GetParam()});
    EXPECT_TRUE(verdict.connected());
    EXPECT_TRUE(verdict.livelock_free());
    const bool claims_freedom =
        GetParam() == Switching::wormhole ? claim.deadlock_free : claim.deadlock_free_cut_through;
    if (claims_freedom) {
      EXPECT_TRUE(verdict.deadlock_free) << to_string(verdict.method);
    }
    if (claim.minimal) {
      EXPECT_TRUE(is_minimal(*relation));
    }
    if (verdict.method != DeadlockMethod::unproved) {
      EXPECT_EQ(rejection(certificate_text(relation, {none, Knowledge::none()}, verdict,
                                           {.switching = GetParam()})),
                "");
    }
  }
  EXPECT_GT(fitting, effort(40U, 10U));
}

INSTANTIATE_TEST_SUITE_P(Switchings, Claims, testing::Values(Switching::wormhole, Switching::cut_through));

TEST(ToleranceClaims, TheToleratedFaultsLeaveEveryPairConnected) {
  std::size_t tested = 0;
  for (const Network& network : all_networks()) {
    const RelationPtr relation = build_if_fitting(network, Switching::cut_through);
    if (!relation || !relation->claim().tolerates) continue;
    const std::uint32_t faults = *relation->claim().tolerates;
    const std::size_t channels = network.topology->network_channel_count();
    if (faults == 0 || channels < faults || set_count(channels, faults) > max_sets) continue;
    ++tested;
    EXPECT_TRUE(tolerates(network, faults))
        << network.topology->name() << " " << to_compact(network.routing) << ": " << faults;
  }
  EXPECT_GE(tested, 4U);
}

TEST(SurvivalClaims, RoutingsThatAreComputedAnewServeEveryPairThatAPathJoins) {
  std::size_t tested = 0;
  for (const Network& network : thinned(all_networks(), 4)) {
    const Survival survival = network.kind->survival;
    if (survival != Survival::any_path && survival != Survival::any_path_two_way) continue;
    if (!build_if_fitting(network, Switching::cut_through)) continue;
    SCOPED_TRACE(network.topology->name() + " " + to_compact(network.routing));
    const std::size_t channels = network.topology->channel_count(), step = 1 + channels / 40;
    for (ChannelId failed(0); failed.index() < channels; failed = ChannelId(failed.index() + step)) {
      FaultSet faults(*network.topology);
      faults.fail(failed);
      const RelationPtr relation = build_relation(network.topology, faults, network.routing);
      const Verdict verdict =
          verify(*relation, faults, {.switching = Switching::cut_through, .listed_pairs = 0});
      EXPECT_EQ(verdict.pairs[PairClass::served],
                joined_pairs(*network.topology, usable_without(*network.topology, failed, survival)))
          << network.topology->name(failed);
    }
    ++tested;
  }
  EXPECT_GT(tested, effort(30U, 8U));
}

}  // namespace
}  // namespace faultline
