// SPDX-License-Identifier: Apache-2.0
// The register machine against the algorithms that its registers are configured for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <tuple>

#include "faultline/routing/fir.h"
#include "faultline/routing/kind.h"
#include "faultline/topology/grid.h"
#include "faultline/topology/kind.h"
#include "routing/methodology/header.h"
#include "support/effort.h"

namespace faultline {
namespace {

RelationPtr relation_of(const TopologyPtr& topology, const std::string& routing, Switching switching) {
  return build_relation(topology, FaultSet(*topology), parse_compact("routing", routing), switching);
}

RouteOptions options_at(const RoutingRelation& relation, SwitchId at, TerminalId destination, Tag tag) {
  RouteOptions options;
  relation.route({.at = at,
                  .destination = destination,
                  .held = relation.topology().injection(destination).front(),
                  .tag = tag},
                 options);
  return options;
}

/// By channel number: the order of options has no meaning.
RouteOptions sorted(RouteOptions options) {
  std::ranges::sort(options, {}, [](const RouteOption& option) { return option.channel.value(); });
  return options;
}

struct FirCase {
  std::string topology, registers, algorithm;
  Switching switching;

  friend void PrintTo(const FirCase& one, std::ostream* out) { *out << one.topology << ' ' << one.algorithm; }
};
class FirAgainst : public testing::TestWithParam<FirCase> {};

TEST_P(FirAgainst, AlgorithmOfTheSameName) {
  const auto& [name, registers, algorithm, switching] = GetParam();
  const TopologyPtr topology = build_topology(parse_compact("topology", name));
  const RelationPtr machine = relation_of(topology, registers, switching);
  const RelationPtr wanted = relation_of(topology, algorithm, switching);
  for (const TerminalId destination : topology->terminals())
    for (const SwitchId at : topology->switches())
      ASSERT_EQ(sorted(options_at(*machine, at, destination, 0)),
                sorted(options_at(*wanted, at, destination, 0)))
          << "switch " << topology->name(at) << " to " << topology->name(destination);
}

std::vector<FirCase> fir_cases() {
  std::vector<FirCase> all;
  for (const char* topology :
       {"mesh:radix=4x4", "torus:radix=4x4", "torus:radix=8x8", "torus:radix=4x4x4", "mesh:radix=3x5",
        "torus:radix=5x3", "torus:radix=2x6", "hypercube:n=4", "mesh:radix=2x3,terminals_per_switch=2"}) {
    for (const std::string algorithm : {"dimension-order", "direction-order", "duato"})
      all.push_back({topology, "fir:algorithm=" + algorithm, algorithm, Switching::cut_through});
    all.push_back({topology, "fir:adaptive_vcs=2", "duato:adaptive_vcs=2", Switching::wormhole});
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Grids, FirAgainst, testing::ValuesIn(fir_cases()));

/// Every subheader: each of its three fields empty or a run, of ascending directions, with any hops.
std::vector<Subheader> all_subheaders(const CartesianLabelling& grid) {
  std::vector<Subheader> all{{}};
  for (std::size_t field = 0; field < Subheader::max_runs; ++field) {
    const std::vector<Subheader> before = all;
    for (const Subheader& given : before) {
      std::uint32_t first = 0;
      for (std::size_t i = 0; i < field; ++i)
        if (given.runs[i].hops != 0) first = given.runs[i].direction + 1U;
      for (std::uint32_t direction = first; direction < 2 * grid.dimensions(); ++direction)
        for (std::uint32_t hops = 1; hops < grid.radix(direction % grid.dimensions()); ++hops) {
          all.push_back(given);
          all.back().runs[field] = {static_cast<std::uint8_t>(direction), static_cast<std::uint16_t>(hops)};
        }
    }
  }
  const std::size_t count = all.size();
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(all[i]);
    all.back().adaptive = false;
  }
  return all;
}

/// A header state is a switch, a destination, and a header: with no intermediate switch every first subheader
/// counts; with one, every first subheader, and the second where the switch is that one.
class HeaderStates {
 public:
  HeaderStates(const std::string& topology, std::size_t stride)
      : topology_(build_topology(parse_compact("topology", topology))),
        grid_(topology_->labelling<CartesianLabelling>("test")),
        layout_(grid_, false, "test"),
        algorithm_(relation_of(topology_, "methodology", Switching::cut_through)),
        machine_(relation_of(topology_, "ft-fir", Switching::cut_through)),
        subheaders_(all_subheaders(grid_)),
        stride_(stride) {}

  void compare() {
    std::size_t number = 0;
    for (const TerminalId target : topology_->terminals())
      for (const SwitchId at : topology_->switches())
        for (const Subheader& subheader : subheaders_) {
          if (number++ % stride_ != 0) continue;
          const TerminalId other((target.index() * 7 + at.index()) % topology_->terminal_count());
          ASSERT_NO_FATAL_FAILURE(compare(at, target, {SwitchId(), subheader, {}}));
          const SwitchId by = grid_.home(target);
          ASSERT_NO_FATAL_FAILURE(compare(at, other, {by, subheader, {}}));
          ASSERT_NO_FATAL_FAILURE(compare(at, target, {at, {}, subheader}));
        }
    testing::Test::RecordProperty("states", static_cast<int>(compared_));
    EXPECT_GT(compared_, 1000U);
    EXPECT_GT(misrouted_, 0U);
    EXPECT_GT(several_, 0U);
  }

 private:
  void compare(SwitchId at, TerminalId destination, const Header& header) {
    const Tag tag = layout_.encode(header);
    const RouteOptions wanted = options_at(*algorithm_, at, destination, tag);
    ASSERT_EQ(options_at(*machine_, at, destination, tag), wanted)
        << "switch " << topology_->name(at) << " to " << topology_->name(destination) << ", header " << tag;
    ++compared_;
    misrouted_ += header.now.runs.front().hops != 0 && !wanted.empty() ? 1 : 0;
    several_ += wanted.size() > 1 ? 1 : 0;
  }

  TopologyPtr topology_;
  const CartesianLabelling& grid_;
  HeaderLayout layout_;
  RelationPtr algorithm_, machine_;
  std::vector<Subheader> subheaders_;
  std::size_t stride_, compared_ = 0, misrouted_ = 0, several_ = 0;
};

class FtFirAgainstMethodology
    : public testing::TestWithParam<std::tuple<std::string, std::size_t, std::size_t>> {};

TEST_P(FtFirAgainstMethodology, EveryHeaderState) {
  const auto& [topology, stride, sanitized_stride] = GetParam();
  HeaderStates(topology, long_tests() ? 1 : effort(stride, sanitized_stride)).compare();
}
INSTANTIATE_TEST_SUITE_P(
    Grids, FtFirAgainstMethodology,
    testing::Values(std::tuple("mesh:radix=4x4", 1, 5), std::tuple("torus:radix=4x4", 1, 7),
                    std::tuple("torus:radix=8x8", 23, 397), std::tuple("torus:radix=4x4x4", 19, 97),
                    std::tuple("torus:radix=5x3", 1, 5), std::tuple("mesh:radix=3x2x2", 3, 3),
                    std::tuple("hypercube:n=4", 1, 3)));

/// No register has a bit for a port that no switch of the network has.
TEST(Fir, RegistersTakeTheMemoryOfTheFormula) {
  for (const auto& [network, routing, ports] :
       {std::tuple{"hypercube:n=4", "ft-fir", 4U},
        std::tuple{effort("hypercube:n=11", "hypercube:n=7"), "ft-fir", effort(11U, 7U)},
        std::tuple{"hypercube:n=5", "fir", 5U}, std::tuple{"mesh:radix=2x3", "fir", 3U},
        std::tuple{"mesh:radix=4x4", "ft-fir", 4U}, std::tuple{"torus:radix=2x4", "ft-fir", 4U}}) {
    const TopologyPtr topology = build_topology(parse_compact("topology", network));
    const RelationPtr relation = relation_of(topology, routing, Switching::cut_through);
    const auto& machine = dynamic_cast<const FirConfigured&>(*relation);
    for (const SwitchId at : topology->switches()) {
      const FirSwitch& here = machine.fir_switch(at);
      const std::uint64_t channels = here.channels.size(),
                          own_bits = (here.fault_tolerant ? 2 : 0) + std::uint64_t{3} * here.address_bits;
      ASSERT_EQ(here.ports.size(), ports) << network;
      ASSERT_EQ(channels, ports * here.vcs) << network;
      for (const FirRegisters& one : here.channels)
        ASSERT_EQ((one.preferred | one.one_buffer) & ~fir_all_channels(channels), 0U) << network;
      const FirMemory formula =
          fir_memory(topology->switch_count(), here.address_bits, ports, relation->virtual_channels(), 1);
      ASSERT_EQ(channels * (own_bits + 2 * channels), here.fault_tolerant ? formula.ft_fir : formula.fir);
    }
  }
}

/// The bubble condition in hardware is the one that the simulators and the verifier keep.
TEST(Fir, BubbleRegistersAreTheDeclaredRings) {
  for (const char* routing : {"fir", "ft-fir"}) {
    const TopologyPtr topology = build_topology(parse_compact("topology", "torus:radix=4x5"));
    const RelationPtr relation = relation_of(topology, routing, Switching::cut_through);
    const auto& machine = dynamic_cast<const FirConfigured&>(*relation);
    const auto& grid = topology->labelling<CartesianLabelling>("test");
    const auto port_of = [&](SwitchId at, ChannelId channel, bool leaves) {
      for (std::uint32_t direction = 0; direction < 4; ++direction) {
        const std::uint32_t dimension = direction % 2;
        const bool plus = direction < 2;
        // A channel that arrives from a neighbour comes in by the port that leads there.
        const ChannelId out = grid.output(at, dimension, plus ? Direction::plus : Direction::minus);
        const SwitchId beyond = topology->target(out);
        const ChannelId in = grid.output(beyond, dimension, plus ? Direction::minus : Direction::plus);
        if (channel == (leaves ? out : in)) return direction;
      }
      ADD_FAILURE() << "no port";
      return 0U;
    };
    std::size_t ring_hops = 0, of_rings = 0;
    for (const BubbleRing& ring : relation->bubble_rings())
      for (std::size_t i = 0; i < ring.size(); ++i) {
        const VirtualChannel in = ring[i], out = ring[(i + 1) % ring.size()];
        const SwitchId at = topology->target(in.channel);
        const FirSwitch& here = machine.fir_switch(at);
        const std::size_t output = port_of(at, out.channel, true) * here.vcs + out.vc;
        const std::size_t input = port_of(at, in.channel, false) * here.vcs + in.vc;
        EXPECT_EQ(here.channels[output].one_buffer, std::uint64_t{1} << input);
        const std::uint64_t bit = std::uint64_t{1} << output;
        EXPECT_EQ(fir_with_room(here, bit, std::uint64_t{1} << input, bit, 0), bit);
        EXPECT_EQ(fir_with_room(here, bit, 0, bit, 0), 0U) << "entering the ring takes room for two";
        EXPECT_EQ(fir_with_room(here, bit, 0, bit, bit), bit);
        ++ring_hops;
      }
    // Adaptive channels are in no ring: every input, and the terminals, need room for one packet.
    for (const SwitchId at : topology->switches()) {
      const FirSwitch& here = machine.fir_switch(at);
      for (std::size_t output = 0; output < here.channels.size(); ++output) {
        const std::uint64_t bit = std::uint64_t{1} << output;
        const bool in_ring = (here.adaptive & bit) == 0;
        of_rings += in_ring ? 1 : 0;
        if (!in_ring) {
          EXPECT_EQ(here.channels[output].one_buffer, fir_all_channels(here.channels.size()));
        }
        EXPECT_EQ(fir_with_room(here, bit, 0, bit, 0), in_ring ? 0U : bit);
      }
    }
    EXPECT_EQ(of_rings, ring_hops);
    EXPECT_GT(of_rings, 0U);
  }
}

TEST(Fir, WithoutBubbleRingsEveryInputNeedsRoomForOne) {
  for (const auto& [network, routing] : {std::pair{"mesh:radix=3x4", "ft-fir"},
                                         {"hypercube:n=3", "fir"},
                                         {"torus:radix=4x5", "fir:ring_rule=dateline"}}) {
    const TopologyPtr topology = build_topology(parse_compact("topology", network));
    const RelationPtr relation = relation_of(topology, routing, Switching::wormhole);
    for (const SwitchId at : topology->switches()) {
      const FirSwitch& here = dynamic_cast<const FirConfigured&>(*relation).fir_switch(at);
      const std::uint64_t all = fir_all_channels(here.channels.size());
      for (std::uint64_t input : {std::uint64_t{0}, std::uint64_t{1}})
        EXPECT_EQ(fir_with_room(here, all, input, all, 0), all) << network;
    }
  }
}

}  // namespace
}  // namespace faultline
