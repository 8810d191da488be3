// SPDX-License-Identifier: Apache-2.0
#include "routing/methodology/leg_geometry.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"
#include "routing/grid_directions.h"
#include "support/error_message.h"

namespace faultline {
namespace {

/// Hops between switches, counted by walking the channels.
std::vector<std::uint32_t> walked_distances(const Topology& topology, SwitchId from) {
  std::vector<std::uint32_t> hops(topology.switch_count(), ~0U);
  std::vector<SwitchId> reached{from};
  hops[from.index()] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const ChannelId channel : topology.outputs(reached[i])) {
      if (topology.role(channel) != ChannelRole::network) continue;
      const SwitchId next = topology.target(channel);
      if (hops[next.index()] != ~0U) continue;
      hops[next.index()] = hops[reached[i].index()] + 1;
      reached.push_back(next);
    }
  return hops;
}

/// Every leg leads along existing channels to its end in the number of hops that walking takes; there is one,
/// or where ties are a choice one for each way of breaking them.
TEST(LegGeometry, LegsBetweenTwoSwitchesAreShortestPaths) {
  for (const char* const text : {"mesh:radix=5x2x3", "torus:radix=5x4x2", "torus:radix=6x7", "hypercube:n=4"})
    for (const bool tie_choice : {false, true}) {
      const TopologyPtr topology = build_topology(parse_compact("topology", text));
      const auto& grid = topology->labelling<CartesianLabelling>("test");
      const GridDirections directions(grid);
      const LegGeometry geometry(grid, tie_choice, "test");
      for (const SwitchId from : topology->switches()) {
        const auto distances = walked_distances(*topology, from);
        for (const SwitchId to : topology->switches()) {
          SCOPED_TRACE(fmt::format("{} ties {}: {} to {}", text, tie_choice, from.value(), to.value()));
          std::size_t ways = 1;
          for (std::uint32_t dimension = 0; dimension < grid.dimensions(); ++dimension)
            if (grid.nearer_ways(from, to, dimension) == 3 && tie_choice) ways *= 2;
          const auto offsets = geometry.offsets_between(from.value(), to.value());
          ASSERT_EQ(offsets.size(), ways);
          ASSERT_EQ(geometry.distance(from.value(), to.value()), distances[to.index()]);
          for (std::uint32_t offset : offsets) {
            SwitchId at = from;
            for (std::uint32_t hop = 0; hop < distances[to.index()]; ++hop) {
              const auto direction =
                  static_cast<std::uint32_t>(std::countr_zero(geometry.offsets()[offset].directions));
              const ChannelId channel = directions.channel(at, direction);
              ASSERT_TRUE(channel.valid());
              at = topology->target(channel);
              offset = geometry.after_hop(offset, direction);
            }
            ASSERT_EQ(at, to);
          }
        }
      }
    }
}

/// Headers of 65 x 65 switches do not fit a tag; 8192 switches are too many for sources.
TEST(LegGeometry, GridsThatAreTooLargeAreRefusedByTheRoutingAskedFor) {
  for (const std::string routing : {"methodology", "ft-fir"})
    for (const char* const text : {"torus:radix=65x65", "hypercube:n=13"})
      EXPECT_THAT(testing_support::error_message([&] {
                    (void)build_healthy_relation(build_topology(parse_compact("topology", text)),
                                                 parse_compact("routing", routing));
                  }),
                  testing::StartsWith("routing." + routing + " = "))
          << text;
}

}  // namespace
}  // namespace faultline
