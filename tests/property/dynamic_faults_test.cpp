// SPDX-License-Identifier: Apache-2.0
// FT-DRB while links fail and recover: no packet is lost, nothing deadlocks, and sources forget a fault that
// has been repaired.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "faultline/base/random.h"
#include "simulate/cut_through/model.h"
#include "support/effort.h"
#include "support/listed_packets.h"
#include "support/simulate_support.h"

namespace faultline {
namespace {

using testing_support::ListedPacket;
using testing_support::ListedPackets;
using testing_support::network;
using testing_support::Network;

template <class Values>
auto one_of(RandomStream& random, const Values& values) {
  return values[random.next_below(static_cast<std::uint32_t>(std::size(values)))];
}

/// Links that go down and come up at random in the first `span` cycles; some stay down.
struct RandomOutages {
  FaultSchedule schedule;
  std::vector<LinkId> for_ever;
};

RandomOutages random_outages(const Topology& topology, RandomStream& random, std::uint32_t faults,
                             std::uint32_t span, bool all_end) {
  std::vector<FaultEvent> events;
  RandomOutages outages;
  std::vector<std::uint32_t> links(topology.network_link_count());
  std::iota(links.begin(), links.end(), 0U);
  for (std::uint32_t i = 0; i < std::min<std::size_t>(faults, links.size()); ++i) {
    std::swap(links[i], links[i + random.next_below(static_cast<std::uint32_t>(links.size()) - i)]);
    const LinkId link(links[i]);
    const auto channels = topology.channels(link);
    const std::vector<ChannelId> both(channels.begin(), channels.end());
    std::uint64_t cycle = random.next_below(span);
    for (std::uint32_t times = 1 + random.next_below(3); times > 0; --times) {
      events.push_back({cycle, false, both});
      if (!all_end && times == 1 && random.next_below(2) == 0) {
        outages.for_ever.push_back(link);
        break;
      }
      cycle += 1 + random.next_below(span / 2);
      events.push_back({cycle, true, both});
      cycle += 1 + random.next_below(span / 2);
    }
  }
  std::ranges::stable_sort(events, {}, &FaultEvent::cycle);
  outages.schedule = fault_schedule(topology, events);
  return outages;
}

/// Terminals that are disconnected from most others without these links, by plain search.
std::vector<TerminalId> cut_off(const Topology& topology, const std::vector<LinkId>& dead) {
  std::vector<std::uint32_t> part(topology.switch_count(), 0);
  std::vector<std::size_t> terminals{0};
  for (const SwitchId start : topology.switches()) {
    if (part[start.index()] != 0) continue;
    const auto number = static_cast<std::uint32_t>(terminals.size());
    terminals.push_back(0);
    std::vector<SwitchId> queue{start};
    part[start.index()] = number;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const ChannelId channel : topology.outputs(queue[i])) {
        if (topology.role(channel) == ChannelRole::ejection) ++terminals[number];
        if (topology.role(channel) != ChannelRole::network ||
            std::ranges::find(dead, topology.link(channel)) != dead.end())
          continue;
        const SwitchId next = topology.target(channel);
        if (part[next.index()] != 0) continue;
        part[next.index()] = number;
        queue.push_back(next);
      }
  }
  const auto largest = static_cast<std::uint32_t>(std::ranges::max_element(terminals) - terminals.begin());
  std::vector<TerminalId> off;
  for (const TerminalId terminal : topology.terminals())
    if (part[topology.source(topology.ejection(terminal).front()).index()] != largest)
      off.push_back(terminal);
  return off;
}

std::vector<ListedPacket> random_packets(const Topology& topology, RandomStream& random, std::uint32_t count,
                                         std::uint32_t span, std::uint32_t flits,
                                         const std::vector<TerminalId>& excluded) {
  const auto is_excluded = [&](TerminalId terminal) {
    return std::ranges::find(excluded, terminal) != excluded.end();
  };
  const auto terminals = static_cast<std::uint32_t>(topology.terminal_count());
  std::vector<ListedPacket> packets;
  while (packets.size() < count) {
    const TerminalId from(random.next_below(terminals)), to(random.next_below(terminals));
    const std::uint32_t time = random.next_below(span);
    if (from != to && !is_excluded(from) && !is_excluded(to))
      packets.push_back({from, {.time = time, .destination = to, .flits = flits}});
  }
  return packets;
}

class DynamicFaults : public testing::TestWithParam<std::uint64_t> {};

TEST_P(DynamicFaults, NoPacketIsLostAndNothingDeadlocks) {
  RandomStream random(GetParam(), 0);
  const char* const topology_name =
      one_of(random, std::array{"torus:radix=4x4", "torus:radix=8x8", "torus:radix=5x3", "mesh:radix=4x5",
                                "hypercube:n=4", "fat-tree:k=2,n=3", "fat-tree:k=4,n=2"});
  const char* const routing = one_of(random, std::array{"ft-drb", "ft-drb:adaptive_vcs=0", "ft-drb:paths=3",
                                                        "ft-drb:adaptive_vcs=2,paths=12"});
  const Network built = network(topology_name, routing);
  const Topology& topology = *built.topology;
  const auto links = static_cast<std::uint32_t>(topology.network_link_count());
  const std::uint32_t faults = 1 + random.next_below(std::min(60U, std::max(1U, links / 4)));
  constexpr std::uint32_t span = 3000;
  const RandomOutages outages = random_outages(topology, random, faults, span, false);
  const std::vector<TerminalId> excluded = cut_off(topology, outages.for_ever);
  const std::uint32_t flits = one_of(random, std::array{1U, 4U, 16U, 40U});
  const double load = one_of(random, std::array{0.05, 0.15, 0.4});
  const auto count = static_cast<std::uint32_t>(
      std::max(20.0, load * span * static_cast<double>(topology.terminal_count()) / flits / 2));
  const ListedPackets pattern(
      topology, random_packets(topology, random, std::min(count, 3000U), span, flits, excluded));
  const char* const agent = one_of(random, std::array{"ft-drb", "ft-drb:open=7", "ft-drb:attempts=0,table=2",
                                                      "ft-drb:permanent_attempts=50", "drb"});
  SimulationSpec spec{.measurement = {.cycles = 200'000, .warmup = 0},
                      .faults = {.outages = outages.schedule}};
  spec.selection = testing_support::selection("most-free");
  spec.seed = GetParam();
  spec.cut_through().agents = SourceAgents{.maker = agent_maker(parse_compact("agent", agent)),
                                           .reaction_cycles = one_of(random, std::array{0U, 4U, 200U}),
                                           .control_flits = one_of(random, std::array{1U, 3U}),
                                           .own_lanes = random.next_below(3) != 0};
  std::string names;
  for (const TerminalId terminal : excluded) names += " " + topology.name(terminal);
  SCOPED_TRACE(
      fmt::format("seed {}: {} {}, agent {}, {} faults, {} packets of {} flits, lanes {}; cut off:{}",
                  GetParam(), topology_name, routing, agent, faults, pattern.trace()->packets.size(), flits,
                  spec.cut_through().agents->own_lanes, names.empty() ? " nobody" : names));
  const SimulationResult result = simulate(*built.relation, pattern, spec);
  EXPECT_FALSE(result.deadlock);
  EXPECT_EQ(result.delivered, pattern.trace()->packets.size());
  EXPECT_EQ(result.in_flight, 0U);
  EXPECT_TRUE(result.dropped.empty());
  const ControlFigures& control = result.control.value();
  EXPECT_EQ(control.lost, 0U);
  EXPECT_EQ(control.notifications, control.met_dead_channel) << "one each";
  EXPECT_LE(control.acknowledgements + control.notifications, result.delivered) << "one answer a packet";
  EXPECT_LE(control.arrived, control.acknowledgements + control.notifications);
}

INSTANTIATE_TEST_SUITE_P(, DynamicFaults,
                         testing::Range<std::uint64_t>(0, long_tests() ? 500 : effort(60, 12)));

/// If packets on a failing link are dropped, the losses are counted, and everything else arrives.
TEST(DynamicFaultsDropped, ArePacketsOnTheLinkAlone) {
  const Network built = network("torus:radix=4x4", "ft-drb");
  std::uint64_t dropped = 0;
  for (std::uint64_t seed = 0; seed < effort(20U, 4U); ++seed) {
    RandomStream random(seed, 1);
    const RandomOutages outages = random_outages(*built.topology, random, 8, 3000, true);
    const ListedPackets pattern(*built.topology, random_packets(*built.topology, random, 600, 3000, 16, {}));
    SimulationSpec spec{.measurement = {.cycles = 500'000, .warmup = 0},
                        .faults = {.outages = outages.schedule}};
    spec.faults.on_failure = OnFailure::drop;
    spec.cut_through().agents = SourceAgents{.maker = agent_maker(parse_compact("agent", "ft-drb"))};
    const SimulationResult result = simulate(*built.relation, pattern, spec);
    const auto lost = result.dropped.find("link_failed");
    dropped += lost == result.dropped.end() ? 0 : lost->second;
    EXPECT_EQ(result.delivered + (lost == result.dropped.end() ? 0 : lost->second), 600U) << seed;
  }
  EXPECT_GT(dropped, 0U);
}

/// All packets, as far as they arrive; `learns`: with the agent ft-drb.
SimulationResult simulated(const Network& built, const std::vector<ListedPacket>& packets,
                           const FaultSchedule& outages, bool learns) {
  const ListedPackets pattern(*built.topology, packets);
  SimulationSpec spec{.measurement = {.cycles = 500'000, .warmup = 0}, .faults = {.outages = outages}};
  if (learns)
    spec.cut_through().agents = SourceAgents{.maker = agent_maker(parse_compact("agent", "ft-drb"))};
  return simulate(*built.relation, pattern, spec);
}

/// Packets to a terminal whose ejection channel goes down for good are dropped, although its switch has
/// other terminals that could re-inject them; everything else arrives, also while links are down.
class DynamicFaultsAtATerminal : public testing::TestWithParam<std::tuple<std::string_view, bool>> {};

TEST_P(DynamicFaultsAtATerminal, DropWhatIsSentToItAlone) {
  const auto& [topology_name, learns] = GetParam();
  const Network built = network(topology_name, "ft-drb");
  const Topology& topology = *built.topology;
  std::uint64_t dropped = 0, sent_again = 0;
  for (std::uint64_t seed = 0; seed < effort(20U, 4U); ++seed) {
    RandomStream random(seed, 2);
    FaultSchedule outages = random_outages(topology, random, 6, 3000, true).schedule;
    const TerminalId lost(random.next_below(static_cast<std::uint32_t>(topology.terminal_count())));
    const std::uint64_t from = random.next_below(1500);
    outages.push_back({topology.ejection(lost).front(), from, Outage::forever});
    const std::vector<ListedPacket> packets = random_packets(topology, random, 600, 3000, 16, {});
    const SimulationResult result = simulated(built, packets, outages, learns);
    const auto to_lost = static_cast<std::uint64_t>(std::ranges::count_if(
        packets, [&](const ListedPacket& packet) { return packet.packet.destination == lost; }));
    std::uint64_t all_dropped = 0;
    for (const auto& [reason, count] : result.dropped) all_dropped += count;
    EXPECT_EQ(result.in_flight, 0U) << seed;
    EXPECT_EQ(result.delivered + all_dropped, packets.size()) << seed;
    EXPECT_LE(all_dropped, to_lost) << seed << ": some would have arrived";
    EXPECT_FALSE(result.deadlock) << seed;
    dropped += all_dropped;
    sent_again += result.sent_again;
  }
  EXPECT_GT(dropped, 0U);
  EXPECT_GT(sent_again, 0U);
}

INSTANTIATE_TEST_SUITE_P(, DynamicFaultsAtATerminal,
                         testing::Combine(testing::Values("fat-tree:k=2,n=3", "fat-tree:k=4,n=2"),
                                          testing::Bool()));

/// A switch that is dead from the first cycle: what is sent to its terminals cannot arrive, and is dropped
/// where it is to be re-injected; no relay is one of them, and everything else arrives.
class DynamicFaultsAtASwitch : public testing::TestWithParam<std::tuple<std::string_view, bool>> {};

TEST_P(DynamicFaultsAtASwitch, DropWhatIsSentToItsTerminalsAlone) {
  const auto& [topology_name, learns] = GetParam();
  const Network built = network(topology_name, "ft-drb");
  const Topology& topology = *built.topology;
  for (std::uint64_t seed = 0; seed < effort(20U, 4U); ++seed) {
    RandomStream random(seed, 3);
    const FaultSchedule links = random_outages(topology, random, 6, 3000, true).schedule;
    const SwitchId dead(random.next_below(static_cast<std::uint32_t>(topology.switch_count())));
    const auto is_dead = [&](ChannelId channel) {
      return topology.source(channel) == dead || topology.target(channel) == dead;
    };
    FaultSchedule outages;
    std::vector<TerminalId> lost;
    std::ranges::copy_if(links, std::back_inserter(outages),
                         [&](const Outage& outage) { return !is_dead(outage.channel); });
    for (const ChannelId channel : topology.channels()) {
      if (!is_dead(channel)) continue;
      outages.push_back({channel, 0, Outage::forever});
      if (topology.role(channel) == ChannelRole::ejection) lost.push_back(topology.terminal(channel));
    }
    std::ranges::sort(outages, {},
                      [](const Outage& outage) { return std::pair(outage.channel, outage.from); });
    const std::vector<ListedPacket> packets = random_packets(topology, random, 600, 3000, 16, {});
    const SimulationResult result = simulated(built, packets, outages, learns);
    const auto is_lost = [&](TerminalId one) { return std::ranges::find(lost, one) != lost.end(); };
    const auto possible =
        static_cast<std::uint64_t>(std::ranges::count_if(packets, [&](const ListedPacket& packet) {
          return !is_lost(packet.source) && !is_lost(packet.packet.destination);
        }));
    EXPECT_EQ(result.in_flight, 0U) << seed;
    EXPECT_EQ(result.delivered, possible) << seed << ", dead: " << topology.name(dead);
    EXPECT_FALSE(result.deadlock) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(
    , DynamicFaultsAtASwitch,
    testing::Combine(testing::Values("torus:radix=4x4", "mesh:radix=4x5", "hypercube:n=4"), testing::Bool()));

/// A packet is re-injected many times while its destination is down; a switch whose terminals never come up
/// again could not take it out, if one of these were its relay.
TEST(DynamicFaultsAtRelays, DoNotCostAPacketForOthers) {
  const Network built = network("mesh:radix=2x2,terminals_per_switch=2", "ft-drb");
  const Topology& topology = *built.topology;
  const auto ejection = [&](std::uint32_t terminal) {
    return topology.ejection(TerminalId(terminal)).front();
  };
  FaultSchedule outages{
      {ejection(2), 0, Outage::forever}, {ejection(3), 0, Outage::forever}, {ejection(6), 4000, 34'000}};
  std::ranges::sort(outages, {}, &Outage::channel);
  const ListedPackets pattern(topology,
                              {{TerminalId(0), {.time = 7000, .destination = TerminalId(6), .flits = 8}}});
  std::uint64_t sent_again = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    for (const auto run : {cut_through::run_event_driven, cut_through::run_cycle_driven}) {
      SimulationSpec spec{.measurement = {.cycles = 60'000, .warmup = 0}, .faults = {.outages = outages}};
      spec.seed = seed;
      const SimulationResult result =
          run(*built.relation, pattern, resolved(spec, pattern), {}, nullptr).result;
      EXPECT_EQ(result.delivered, 1U) << seed;
      sent_again += result.sent_again;
    }
  EXPECT_GT(sent_again, 1000U);
}

/// Two switches and one packet, which each time that it is sent again has crossed one switch more.
TEST(DynamicFaultsSentAgain, EachCrossesTheSwitchOnceMore) {
  const Network built = network("mesh:radix=2", "ft-drb");
  const Topology& topology = *built.topology;
  const ListedPackets pattern(topology,
                              {{TerminalId(0), {.time = 10, .destination = TerminalId(1), .flits = 8}}});
  for (const auto run : {cut_through::run_event_driven, cut_through::run_cycle_driven}) {
    std::uint64_t before = 0;
    for (const std::uint64_t repaired : {0U, 100U, 200U, 1000U, 5000U}) {
      SimulationSpec spec{.measurement = {.cycles = 10'000, .warmup = 0}};
      for (const ChannelId channel : topology.channels())
        if (topology.role(channel) == ChannelRole::network && repaired != 0)
          spec.faults.outages.push_back({channel, 0, repaired});
      const SimulationResult result =
          run(*built.relation, pattern, resolved(spec, pattern), {}, nullptr).result;
      EXPECT_EQ(result.delivered, 1U) << repaired;
      EXPECT_EQ(result.packet_hops, 2 + result.sent_again) << repaired;
      EXPECT_EQ(result.sent_again == 0, repaired == 0) << repaired;
      EXPECT_TRUE(repaired == 0 || result.sent_again > before) << repaired;
      before = result.sent_again;
    }
  }
}

/// With one path and no failures: the packets of the base routing, in the same cycles.
TEST(DynamicFaultsAbsent, OnePathIsTheBaseRouting) {
  for (const char* topology : {"torus:radix=5x5", "torus:radix=4x4", "mesh:radix=4x4", "fat-tree:k=2,n=3"})
    for (const double load : {0.1, 0.6}) {
      const bool is_tree = std::string_view(topology).starts_with("fat");
      const Network base = network(topology, is_tree ? "destro" : "dimension-order");
      const Network multistep = network(topology, "ft-drb:paths=1,adaptive_vcs=0");
      SimulationSpec spec{.injection = {.load = load, .packet_flits = 8},
                          .measurement = {.cycles = 4000, .warmup = 0}};
      spec.selection = testing_support::selection("first");
      spec.arbitration = Arbitration::round_robin;
      spec.cut_through().buffers = Buffering::input;
      const auto run = [&](const Network& built) {
        return cut_through::run_cycle_driven(*built.relation, *base.pattern, resolved(spec, *base.pattern));
      };
      const cut_through::Outcome expected = run(base), outcome = run(multistep);
      EXPECT_EQ(outcome.checksum, expected.checksum) << topology << " at " << load;
      EXPECT_GT(expected.result.delivered, 300U);
    }
}

/// Packets of one pair, a fault on their direct path that is repaired: its entry is deleted, and the direct
/// path is used as before.
TEST(DynamicFaultsGone, EntriesAreRemovedAndTheDirectPathIsUsedAgain) {
  const Network built = network("torus:radix=8x8", "ft-drb");
  const Topology& topology = *built.topology;
  const TerminalId from(0), to(3);
  std::vector<ListedPacket> packets;
  const std::uint32_t sent = effort(400U, 100U);
  for (std::uint32_t i = 0; i < sent; ++i)
    packets.push_back({from, {.time = i * 50, .destination = to, .flits = 16}});
  const ListedPackets pattern(topology, packets);
  FaultSchedule outages;
  for (const ChannelId channel : topology.channels()) {
    const bool on_the_way = topology.role(channel) == ChannelRole::network &&
                            topology.source(channel) == SwitchId(1) &&
                            topology.target(channel) == SwitchId(2);
    if (on_the_way) outages.push_back({channel, 1000, 4000});
  }
  ASSERT_EQ(outages.size(), 1U);
  SimulationSpec spec{.measurement = {.cycles = 100 * sent, .warmup = 0}, .faults = {.outages = outages}};
  spec.selection = testing_support::selection("most-free");
  const auto run = [&](const char* agent) {
    spec.cut_through().agents = SourceAgents{.maker = agent_maker(parse_compact("agent", agent))};
    std::vector<Delivery> log;
    const cut_through::Outcome outcome =
        cut_through::run_cycle_driven(*built.relation, pattern, resolved(spec, pattern), {}, &log);
    std::ranges::sort(log, {}, &Delivery::injected);
    return std::pair(outcome.result, log);
  };
  const auto [result, log] = run("ft-drb:permanent_stage=100,lower=70");
  ASSERT_EQ(log.size(), sent);
  EXPECT_GT(result.control->notifications, 1U);
  EXPECT_LT(result.control->notifications, 8U) << "each is followed by ten refusals";
  EXPECT_GE(result.control->sources.reclaimed_entries, 1U);
  EXPECT_EQ(result.control->sources.fault_entries, 0U);
  std::size_t around = 0;
  for (const Delivery& delivery : log) {
    const bool may_know = delivery.injected > 990 && delivery.injected < 4000 + 10 * 50 + 50;
    EXPECT_TRUE(may_know || delivery.hops == 4) << "injected at " << delivery.injected;
    around += delivery.hops > 4 ? 1 : 0;
  }
  EXPECT_GT(around, 50U);

  // By the paper's rule a fault with three notifications is permanent.
  const auto [stays, same_log] = run("ft-drb:lower=70");
  EXPECT_EQ(stays.control->sources.permanent_entries, 1U);
  EXPECT_EQ(stays.control->notifications, 3U);
  EXPECT_GT(same_log.back().hops, 4U);
}

}  // namespace
}  // namespace faultline
