// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "faultline/routing/kind.h"
#include "faultline/routing/states.h"
#include "faultline/topology/grid.h"
#include "faultline/topology/kind.h"
#include "routing/grid_directions.h"
#include "support/topology_named.h"

namespace faultline {
namespace {

using testing::ElementsAreArray;

RelationPtr routed(const TopologyPtr& topology, std::string_view routing,
                   Switching switching = Switching::wormhole) {
  return build_relation(topology, FaultSet(*topology), parse_compact("routing", routing), switching);
}

TEST(Grid, CountsAreTheirClosedForms) {
  // Dally & Towles, section 5.1: n links a switch in a k-ary n-cube; n * 2^(n-1) in a hypercube.
  EXPECT_EQ(topology_named("torus:radix=4x5x3")->network_link_count(), 60U * 3);
  EXPECT_EQ(topology_named("mesh:radix=4x5")->network_link_count(), 3U * 5 + 4 * 4);
  EXPECT_EQ(topology_named("hypercube:n=4")->network_link_count(), 4U * 8);
  EXPECT_EQ(topology_named("mesh:radix=4x5,terminals_per_switch=3")->terminal_count(), 60U);
}

TEST(Grid, PortsFollowDimensionsThenTerminals) {
  const TopologyPtr torus = topology_named("torus:radix=4x3");
  const SwitchId corner(0);
  std::vector<std::string> names;
  for (const ChannelId channel : torus->outputs(corner)) names.push_back(torus->name(channel));
  EXPECT_THAT(names, ElementsAreArray({"s0.0[0] -> s1.0[1]", "s0.0[1] -> s3.0[0]", "s0.0[2] -> s0.1[3]",
                                       "s0.0[3] -> s0.2[2]", "s0.0[4] -> terminal 0"}));
  const TopologyPtr cube = topology_named("hypercube:n=3");
  EXPECT_EQ(cube->name(cube->outputs(SwitchId(5))[1]), "s1.0.1[1] -> s1.1.1[1]");
}

TEST(Grid, RefusesTooManyTerminals) { EXPECT_THROW((void)topology_named("torus:radix=4096x4096"), Error); }

/// Hops along one dimension by walking both ways round.
std::uint32_t line_distance(std::uint32_t from, std::uint32_t to, std::uint32_t radix, bool wraps) {
  const auto apart = static_cast<std::uint32_t>(std::abs(static_cast<int>(from) - static_cast<int>(to)));
  return wraps ? std::min(apart, radix - apart) : apart;
}

/// A hop brings a packet nearer if the distance afterwards, walked, is smaller; of two such hops, `minimal()`
/// takes the one that `minus_ties` says.
TEST(Grid, HopsThatBringNearerShortenTheWalk) {
  for (const char* const text :
       {"mesh:radix=5x2x3", "torus:radix=5x4x3x2", "torus:radix=6x7", "hypercube:n=4"}) {
    const TopologyPtr topology = topology_named(text);
    const auto& grid = topology->labelling<CartesianLabelling>("test");
    const GridDirections directions(grid);
    for (const SwitchId at : topology->switches())
      for (const SwitchId to : topology->switches())
        for (std::uint32_t dimension = 0; dimension < grid.dimensions(); ++dimension) {
          const std::uint32_t here = grid.coordinate(at, dimension), there = grid.coordinate(to, dimension);
          const std::uint32_t size = grid.radix(dimension);
          const auto shortens = [&](Direction direction) {
            if (!grid.output(at, dimension, direction).valid()) return false;
            const std::uint32_t next = (here + (direction == Direction::plus ? 1 : size - 1)) % size;
            return line_distance(next, there, size, grid.wraps()) <
                   line_distance(here, there, size, grid.wraps());
          };
          const bool plus = shortens(Direction::plus), minus = shortens(Direction::minus);
          ASSERT_EQ(grid.nearer(at, to, dimension, Direction::plus), plus) << text;
          ASSERT_EQ(grid.nearer(at, to, dimension, Direction::minus), minus) << text;
          for (const bool tie_is_minus : {false, true}) {
            const std::uint32_t found = directions.minimal(at, to, tie_is_minus ? 1U << dimension : 0);
            const auto takes = [&](Direction direction) {
              return (found >> directions.number(dimension, direction) & 1) != 0;
            };
            ASSERT_EQ(takes(Direction::plus), plus && !(minus && tie_is_minus)) << text;
            ASSERT_EQ(takes(Direction::minus), minus && !(plus && !tie_is_minus)) << text;
          }
        }
  }
}

/// Every path that the relation offers, walked from every source: its length, and dimensions in order where
/// `ordered`.
void expect_shortest_paths(const RoutingRelation& relation, const std::vector<std::uint32_t>& radix,
                           bool wraps) {
  const Topology& topology = relation.topology();
  for (const TerminalId destination : topology.terminals()) {
    const DestinationStates states = enumerate_states(relation, destination);
    const auto distance = [&](SwitchId at) {
      std::uint32_t hops = 0, stride = 1;
      for (const std::uint32_t size : radix) {
        hops += line_distance(at.value() / stride % size, destination.value() / stride % size, size, wraps);
        stride *= size;
      }
      return hops;
    };
    for (std::size_t state = 0; state < states.count(); ++state) {
      ASSERT_FALSE(states.moves_of(state).empty());
      for (const DestinationStates::Move& move : states.moves_of(state)) {
        if (move.next == DestinationStates::ejected)
          EXPECT_EQ(states.switches[state].value(), destination.value());
        else
          EXPECT_EQ(distance(states.switches[move.next]) + 1, distance(states.switches[state]))
              << topology.name(move.channel);
      }
    }
  }
}

TEST(Grid, RoutingsOfferShortestPathsOnly) {
  for (const std::string_view routing :
       {"dimension-order", "direction-order", "minimal-adaptive:vcs=2", "duato"}) {
    SCOPED_TRACE(routing);
    expect_shortest_paths(*routed(topology_named("torus:radix=4x3x2"), routing), {4, 3, 2}, true);
    expect_shortest_paths(*routed(topology_named("torus:radix=5x6"), routing), {5, 6}, true);
    expect_shortest_paths(*routed(topology_named("mesh:radix=4x3x2"), routing), {4, 3, 2}, false);
    expect_shortest_paths(*routed(topology_named("hypercube:n=4"), routing), {2, 2, 2, 2}, false);
  }
}

TEST(Grid, DatelineClassIsChosenOnEnteringARingAndKept) {
  const TopologyPtr torus = topology_named("torus:radix=8");
  const RelationPtr relation = routed(torus, "dimension-order");
  RouteOptions options;
  RouteState state{
      .at = SwitchId(6), .destination = TerminalId(1), .held = torus->injection(TerminalId(6)).front()};
  for (const std::uint32_t next : {7U, 0U, 1U}) {
    options.clear();
    relation->route(state, options);
    ASSERT_EQ(options.size(), 1U);
    EXPECT_EQ(options[0].vcs, 0b10U) << "towards switch " << next;
    EXPECT_EQ(torus->target(options[0].channel).value(), next);
    state = {SwitchId(next), state.destination, options[0].channel, 1, options[0].tag};
  }
}

TEST(Grid, SwitchingDecidesTheRingRule) {
  const TopologyPtr torus = topology_named("torus:radix=4x4");
  EXPECT_EQ(routed(torus, "dimension-order", Switching::wormhole)->virtual_channels(), 2U);
  EXPECT_EQ(routed(torus, "duato:adaptive_vcs=2", Switching::wormhole)->virtual_channels(), 4U);
  const RelationPtr bubble = routed(torus, "dimension-order", Switching::cut_through);
  EXPECT_EQ(bubble->virtual_channels(), 1U);
  const std::vector<BubbleRing> rings = bubble->bubble_rings();
  ASSERT_EQ(rings.size(), 16U);
  for (const BubbleRing& ring : rings) {
    ASSERT_EQ(ring.size(), 4U);
    for (std::size_t i = 0; i < ring.size(); ++i)
      EXPECT_EQ(torus->target(ring[i].channel), torus->source(ring[(i + 1) % ring.size()].channel));
  }
  EXPECT_TRUE(
      routed(torus, "dimension-order:ring_rule=none", Switching::cut_through)->bubble_rings().empty());
}

}  // namespace
}  // namespace faultline
