// SPDX-License-Identifier: Apache-2.0
// A wormhole run with several threads delivers every packet in the same cycle as a run with one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>

#include "faultline/base/random.h"
#include "simulate/planes/engine.h"
#include "simulate/planes/sender_layout.h"
#include "support/effort.h"
#include "support/equal_outcomes.h"
#include "support/no_more_threads.h"
#include "support/random_outages.h"
#include "support/simulate_support.h"

namespace faultline::wormhole {
namespace {

struct Case {
  const char* topology;
  const char* routing;
};

/// Direct networks and multistage ones, among them some whose terminals inject at several switches.
constexpr std::array cases{Case{"torus:radix=16x16", "duato:adaptive_vcs=2"},
                           Case{"torus:radix=16x16", "dimension-order"},
                           Case{"mesh:radix=8x8x4", "minimal-adaptive:vcs=2"},
                           Case{"hypercube:n=8", "duato"},
                           Case{"dragonfly:p=2,a=4,h=2", "ugal"},
                           Case{"fat-tree:k=4,n=4", "nca-adaptive"},
                           Case{"ft-ruft-222:k=4,n=3", "ruft"},
                           Case{"ft-ruft-212:k=4,n=4", "ruft"},
                           Case{"fat-tree:k=12,n=2", "nca"}};

testing_support::Network network_of(const Case& one) {
  const TopologyPtr topology = build_topology(parse_compact("topology", one.topology));
  const RelationPtr relation = build_relation(topology, FaultSet(*topology),
                                              parse_compact("routing", one.routing), Switching::wormhole);
  return {topology, relation, build_pattern(*topology, 1, parse_compact("traffic", "uniform"))};
}

SimulationSpec random_spec(RandomStream& random, const testing_support::Network& network) {
  SimulationSpec spec;
  spec.switches = WormholeSwitches{};
  spec.injection.packet_flits = std::array{1U, 4U, 16U}[random.next_below(3)];
  spec.injection.load = std::array{0.1, 0.4, 0.9}[random.next_below(3)];
  spec.measurement.cycles = 300 + random.next_below(200);
  spec.measurement.channel_load = random.next_below(3) == 0;
  if (random.next_below(3) == 0) spec.injection.packet_mix = {{1, 1}, {spec.injection.packet_flits, 1}};
  spec.injection.load = std::min(spec.injection.load, mean_flits(spec.injection));
  if (random.next_below(3) == 0) spec.measurement.packets_per_source = 2;
  if (random.next_below(3) == 0) spec.measurement.warmup = 100;
  spec.wormhole().buffer_flits = std::array{2U, 8U, 40U}[random.next_below(3)];
  spec.virtual_channels = std::max(network.relation->virtual_channels(), 2 + random.next_below(4));
  spec.wormhole().atomic_vcs = network.relation->relies_on_escape();
  spec.wormhole().pipeline.speculative = random.next_below(3) == 0;
  spec.wormhole().credit_delay_cycles = random.next_below(3);
  spec.selection =
      testing_support::selection(std::array{"most-free", "random", "any-free", "ugal"}[random.next_below(4)]);
  spec.seed = random.next();
  if (random.next_below(2) == 0) {
    spec.faults.outages =
        testing_support::random_outages(*network.topology, 40, spec.measurement.cycles, random);
    spec.faults.on_failure = random.next_below(2) == 0 ? OnFailure::complete : OnFailure::drop;
  }
  return resolved(spec, *network.pattern);
}

class WormholeThreads : public testing::TestWithParam<std::uint64_t> {};

TEST_P(WormholeThreads, NeverChangeTheAnswer) {
  RandomStream random(GetParam(), 0);
  const Case& one = cases[GetParam() % cases.size()];
  const testing_support::Network network = network_of(one);
  SimulationSpec spec = random_spec(random, network);
  ASSERT_FALSE(planes::obstacle(*network.relation, spec));
  // The one with the shortest vectors, and so with most groups to divide.
  planes::Kernel kernel = *planes::kernels().back();
  if (random.next_below(2) == 0) {
    kernel.many_asks = 0;
    kernel.max_flits_by_vectors = ~0U;
  }
  std::vector<Delivery> log;
  const Outcome single = planes::run(kernel, *network.relation, *network.pattern, spec, {}, &log);
  EXPECT_GT(single.result.delivered, 20U);
  for (const std::uint32_t threads : {2U, 3U}) {
    spec.threads = threads;
    std::vector<Delivery> other;
    testing_support::expect_equal(planes::run(kernel, *network.relation, *network.pattern, spec, {}, &other),
                                  single);
    EXPECT_EQ(testing_support::in_order(other), testing_support::in_order(log));
    EXPECT_FALSE(HasFailure()) << one.topology << " " << one.routing << " seed " << GetParam() << ", "
                               << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(Random, WormholeThreads, testing::Range<std::uint64_t>(0, effort(36, 4)));

TEST(WormholeThreads, AFailureInOneThreadEndsTheRun) {
  const testing_support::Network network = network_of(cases[0]);
  SimulationSpec spec;
  spec.switches = WormholeSwitches{};
  spec.measurement.cycles = 2000;
  spec.threads = 3;
  spec.virtual_channels = 4;
  spec.wormhole().atomic_vcs = true;
  const Progress fails = [](std::string_view, std::uint64_t done, std::uint64_t) {
    if (done > 500) throw std::runtime_error("no more");
  };
  spec = resolved(spec, *network.pattern);
  EXPECT_THROW((void)planes::run(*planes::kernels().back(), *network.relation, *network.pattern, spec, fails),
               std::runtime_error);
}

TEST(WormholeThreads, ARunGoesOnAloneWhereNoThreadCanBeStarted) {
  const testing_support::Network network = network_of(cases[0]);
  SimulationSpec spec;
  spec.switches = WormholeSwitches{};
  spec.measurement.cycles = 1000;
  spec.virtual_channels = 4;
  spec = resolved(spec, *network.pattern);
  const planes::Kernel& kernel = *planes::kernels().back();
  const Outcome single = planes::run(kernel, *network.relation, *network.pattern, spec, {});
  spec.threads = 3;
  const testing_support::NoMoreThreads none;
  testing_support::expect_equal(planes::run(kernel, *network.relation, *network.pattern, spec, {}), single);
}

TEST(WormholeThreads, StopWhenAskedTo) {
  const testing_support::Network network = network_of(cases[0]);
  const std::atomic<bool> stop{true};
  SimulationSpec spec;
  spec.switches = WormholeSwitches{};
  spec.threads = 2;
  spec.virtual_channels = 4;
  spec.stop = &stop;
  spec = resolved(spec, *network.pattern);
  EXPECT_THROW((void)planes::run(*planes::kernels().back(), *network.relation, *network.pattern, spec),
               Stopped);
}

TEST(WormholePartition, GivesEveryRegionItsShareOfEachStage) {
  for (const Case& one : cases)
    for (const std::uint32_t lanes : {2U, 8U})
      for (const std::uint32_t regions : {1U, 2U, 3U, 7U}) {
        SCOPED_TRACE(fmt::format("{}, {} lanes, {} regions", one.topology, lanes, regions));
        const TopologyPtr topology = build_topology(parse_compact("topology", one.topology));
        const planes::Partition partition(*topology, lanes, regions);
        const auto groups = static_cast<std::uint32_t>((topology->switch_count() + lanes - 1) / lanes);
        if (groups < regions) continue;
        ASSERT_EQ(partition.regions(), regions);
        std::set<std::uint32_t> with_terminals;  // groups, by their first switches
        for (const TerminalId terminal : topology->terminals())
          for (const ChannelId channel : topology->injection(terminal))
            if (topology->target(channel).index() % lanes == 0)
              with_terminals.insert(topology->target(channel).value() / lanes);
        std::vector<std::uint32_t> seen(partition.by_group.size());
        std::size_t fewest = seen.size(), most = 0, terminals = 0;
        for (std::uint32_t region = 0; region < regions; ++region) {
          for (const std::uint32_t group : partition.groups[region]) {
            ++seen[group];
            EXPECT_EQ(partition.by_group[group], region);
          }
          const auto near = std::ranges::count_if(
              partition.groups[region], [&](std::uint32_t group) { return with_terminals.contains(group); });
          EXPECT_LE(near, (static_cast<std::ptrdiff_t>(with_terminals.size()) + regions - 1) / regions);
          fewest = std::min(fewest, partition.groups[region].size());
          most = std::max(most, partition.groups[region].size());
          terminals += partition.terminals[region].size();
        }
        EXPECT_EQ(std::ranges::count(seen, 1U), static_cast<std::ptrdiff_t>(seen.size()));
        EXPECT_LE(most - fewest, 1U);
        EXPECT_EQ(terminals, topology->terminal_count());
      }
}

/// A register is loaded whole: what one region writes while another one reads must be outside of it. Senders
/// whose bytes are neighbours have neighbouring bytes in the log of their group, and the same delays.
TEST(WormholeSenders, OfRegionsAreARegisterApartAndThoseOfARunAlike) {
  for (const char* sample : {"ft-ruft-222:k=4,n=3", "torus:radix=5x5", "fat-tree:k=4,n=3", "switch-ring:n=9"})
    for (const std::uint32_t lanes : {2U, 4U, 16U, 64U}) {
      SCOPED_TRACE(fmt::format("{}, {} lanes", sample, lanes));
      const TopologyPtr topology = build_topology(parse_compact("topology", sample));
      const planes::Wiring wiring(*topology);
      const Timing timing(WormholeSwitches{});
      const planes::Partition partition(*topology, lanes, 3);
      const planes::SenderLayout layout(*topology, wiring, timing, lanes, partition);
      std::map<std::uint32_t, ChannelId> channels;  // by sender
      for (const ChannelId channel : topology->channels())
        if (topology->role(channel) == ChannelRole::injection) {
          const std::uint32_t sender = layout.sender_of[channel.index() - topology->network_channel_count()];
          EXPECT_TRUE(channels.emplace(sender, channel).second);
        }
      EXPECT_EQ(channels.size(), topology->injection_channel_count());
      std::size_t found = 0;
      std::uint32_t end = 0;
      for (std::uint32_t region = 0; region < partition.regions(); ++region) {
        EXPECT_GE(layout.regions[region].first, region == 0 ? 0 : end + 64);
        end = layout.regions[region].first;
        for (const planes::SenderRun& run : layout.regions[region].runs) {
          EXPECT_EQ(run.first, end);
          EXPECT_EQ(run.first % planes::senders_at_once, 0U);
          EXPECT_NE(run.count, 0U);
          end = end_of(run);
          const auto last = channels.lower_bound(run.first + run.count);
          for (auto at = channels.lower_bound(run.first); at != last; ++at, ++found) {
            const auto& [sender, channel] = *at;
            const std::uint32_t to = topology->target(channel).value();
            const std::size_t byte =
                (std::size_t{to / lanes} * wiring.ports + wiring.input_port[channel.index()]) * lanes +
                to % lanes;
            EXPECT_EQ(to / lanes, run.group);
            EXPECT_EQ(byte, run.log_offset + sender - run.first);
            EXPECT_EQ(timing.flit_delay(*topology, channel), run.flit_delay);
            EXPECT_EQ(timing.credit_delay(*topology, channel), run.credit_delay);
          }
        }
        EXPECT_EQ(layout.regions[region].end, end);
      }
      EXPECT_EQ(found, channels.size());
      EXPECT_GE(layout.senders, end + 64);
    }
}

}  // namespace
}  // namespace faultline::wormhole
