// SPDX-License-Identifier: Apache-2.0
// Dynamic faults: read from files, against hand-made times, and against permanent faults.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "faultline/base/random.h"
#include "faultline/fault/component_names.h"
#include "faultline/fault/components.h"
#include "faultline/fault/living_network.h"
#include "faultline/fault/sampler.h"
#include "faultline/fault/schedule.h"
#include "faultline/topology/builder.h"
#include "faultline/topology/kind.h"
#include "simulate/cut_through/model.h"
#include "support/effort.h"
#include "support/temporary_folder.h"
#include "support/wormhole_support.h"

namespace faultline {
namespace {

using namespace testing_support;
using testing::ElementsAre;
using testing::HasSubstr;

// ---- files

FaultSchedule read(const TopologyPtr& topology, std::string_view text) {
  const TemporaryFolder folder;
  return read_fault_schedule(topology, read_input(folder.file("s.csv", text), "schedule"), "schedule");
}

TEST(FaultSchedule, ReadsNamesOfEveryUnitAndCountsThoseThatHoldAChannel) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "mesh:radix=3"));
  const ChannelId channel(0);
  const LinkId link = topology->link(channel);
  const SwitchId at = topology->source(channel);
  ASSERT_EQ(topology->channels(link).size(), 2U);
  const FaultSchedule schedule = read(
      topology, fmt::format("# faults\n300, up, {0}\n100,down,{0}\n\n200,down,{1}\n50,down,{2}\n70,up,{2}\n",
                            topology->name(link), topology->name(at), topology->name(channel)));
  std::vector<Outage> of_channel;
  for (const Outage& outage : schedule)
    if (outage.channel == channel) of_channel.push_back(outage);
  EXPECT_THAT(of_channel, ElementsAre(Outage{channel, 50, 70}, Outage{channel, 100, Outage::forever}));
  for (const ChannelId input : topology->inputs(at))
    EXPECT_TRUE(std::ranges::count(schedule, input, &Outage::channel) == 1);
}

TEST(FaultSchedule, RubbishIsRefusedWithFileAndLine) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "mesh:radix=3"));
  const std::string name = topology->name(ChannelId(0));
  const std::vector<std::tuple<std::string, int, std::string>> cases{
      {"1,down\n", 1, "cycle,down|up,name"},
      {"x,down," + name, 1, "whole number"},
      {"-1,down," + name, 1, "whole number"},
      {"18446744073709551615,down," + name, 1, "below 2^64 - 1"},
      {"1,dwn," + name, 1, "down or up"},
      {"\n1,down,nothing\n", 2, "is not a channel"},
      {"1,up," + name, 1, "is not down"},
      {"1,down," + name + "\n2,down," + name, 2, "down already"},
      {"5,up," + name + "\n6,down," + name, 1, "is not down"},
  };
  for (const auto& [text, line, allowed] : cases) {
    try {
      (void)read(topology, text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.parts().location.line, line) << text;
      EXPECT_THAT(error.parts().allowed, HasSubstr(allowed)) << text;
    }
  }
}

TEST(FaultSchedule, ANameOfTwoComponentsIsRefused) {
  TopologyBuilder builder;
  const SwitchId a = builder.add_switch({0, 0}, "a"), b = builder.add_switch({0, 1}, "b"),
                 like_link = builder.add_switch({0, 2}, "a[0] - b[0]");
  builder.connect_both({a, 0}, {b, 0});
  builder.connect_both({b, 1}, {like_link, 0});
  for (const SwitchId at : {a, like_link}) builder.attach(builder.add_terminal(), {at, 2});
  const auto topology = std::make_shared<const Topology>(std::move(builder).build("three", "up-down"));
  ASSERT_EQ(topology->name(LinkId(0)), topology->name(like_link));
  EXPECT_EQ(read(topology, "1,down,b\n").size(), topology->outputs(b).size() + topology->inputs(b).size());
  const std::vector<std::string> names{topology->name(like_link)};
  const FaultComponents links(topology, FaultUnit::link, FaultScope::all);
  EXPECT_EQ(components_named(links, names), std::vector{0U});
  EXPECT_THROW((void)components_named({topology, every_fault_unit(), FaultScope::all}, names), Error);
  try {
    (void)read(topology, "1,down,b\n2,down,a[0] - b[0]\n");
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.parts().location.line, 2);
    EXPECT_THAT(error.parts().allowed, HasSubstr("two components, a link and a switch"));
  }
}

TEST(FaultSchedule, AChannelComesUpOnlyAfterItWentDown) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "mesh:radix=3"));
  const std::vector<ChannelId> one{ChannelId(0)};
  EXPECT_EQ(fault_schedule(*topology, {{5, false, one}, {9, true, one}}).size(), 1U);
  EXPECT_THROW((void)fault_schedule(*topology, {{5, true, one}}), Error);
  EXPECT_THROW((void)fault_schedule(*topology, {{5, false, one}, {9, true, one}, {9, true, one}}), Error);
}

TEST(LivingNetwork, WithoutTerminalsNoPairIsDisconnected) {
  TopologyBuilder builder;
  const SwitchId a = builder.add_switch({0, 0}), b = builder.add_switch({0, 1});
  builder.connect_both({a, 0}, {b, 0});
  const Topology topology = std::move(builder).build("two", "up-down");
  const FaultSet none(topology);
  EXPECT_TRUE(LivingNetwork(topology, none).connects_all());
}

/// Against one search a terminal, also of one-way networks and of terminals that have lost all their
/// channels.
TEST(LivingNetwork, CountsThePairsThatNoPathJoins) {
  for (const char* text : {"switch-ring:n=6", "ruft:k=2,n=3", "mesh:radix=3x3,terminals_per_switch=2"}) {
    const TopologyPtr topology = build_topology(parse_compact("topology", text));
    EXPECT_EQ(LivingNetwork(*topology, FaultSet(*topology)).separate_pairs(), 0U) << text;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const FaultComponents channels(topology, FaultUnit::channel, FaultScope::all);
      const auto some = static_cast<std::uint32_t>(channels.count() * (1 + seed % 3) / 4);
      const FaultSet dead = channels.fault_set(FaultSampler(channels.count(), seed).draw(some, 0));
      const LivingNetwork network(*topology, dead);
      std::uint64_t expected = 0;
      for (const TerminalId source : topology->terminals()) {
        const std::vector<bool> reached = network.reached_from(source);
        for (const TerminalId end : topology->terminals())
          expected += source != end && !reached[end.index()] ? 1 : 0;
      }
      EXPECT_EQ(network.separate_pairs(), expected) << text << ", seed " << seed;
    }
  }
}

// ---- one packet, one outage, every moment

/// When the one packet meets the channel that fails, and until when it is on it.
struct Meeting {
  Time given, left;
};

class OneOutage : public testing::Test {
 protected:
  OneOutage() : built_(network("mesh:radix=5", "dimension-order")) {
    for (const ChannelId channel : built_.topology->outputs(SwitchId(2)))
      if (built_.topology->target(channel) == SwitchId(3)) middle_ = channel;
  }

  SimulationSpec spec(Switching switching) const {
    SimulationSpec spec;
    spec.switches = switches_of(switching);
    spec.injection.packet_flits = 8;
    spec.injection.load = 0.008;
    spec.injection.process = Injection::constant;
    spec.measurement.packets_per_source = 1;
    spec.measurement.warmup = 0;
    return spec;
  }

  [[nodiscard]] Delivery only(const SimulationSpec& spec) const {
    std::vector<Delivery> log;
    if (spec.switching() == Switching::cut_through)
      (void)cut_through::run_cycle_driven(*built_.relation, pattern_, spec, {}, &log);
    else
      (void)wormhole::run_scalar(*built_.relation, pattern_, spec, {}, &log);
    return log.at(0);
  }

  /// All failures from before the packet comes to after it has gone.
  void expect_times(SimulationSpec spec, const std::function<Time(Time, Time)>& delay_of, Meeting meeting) {
    const Delivery alone = only(spec);
    for (Time at = alone.injected; at < alone.delivered + 10; ++at)
      for (const Time length : {1, 2, 50}) {
        SCOPED_TRACE(fmt::format("down from {} for {} cycles, packet of {}", at, length, alone.injected));
        spec.faults.outages = {
            {middle_, static_cast<std::uint64_t>(at), static_cast<std::uint64_t>(at + length)}};
        spec.faults.on_failure = OnFailure::complete;
        const Delivery delayed = only(spec);
        EXPECT_EQ(delayed.delivered - alone.delivered,
                  delay_of(at - alone.injected, at + length - alone.injected));
        spec.faults.on_failure = OnFailure::drop;
        SimulationSpec to_the_end = spec;
        to_the_end.measurement.packets_per_source = 0;
        to_the_end.measurement.cycles = static_cast<std::uint64_t>(delayed.delivered) + 5;
        const SimulationResult result = simulate(*built_.relation, pattern_, to_the_end);
        const Time from = at - alone.injected;
        const bool lost = from > meeting.given && from < meeting.left;
        EXPECT_EQ(result.dropped.contains("link_failed") ? result.dropped.at("link_failed") : 0,
                  lost ? 1U : 0U);
        EXPECT_EQ(result.delivered, lost ? 0U : 1U);
      }
  }

  Network built_;
  OnePair pattern_{TerminalId(2), TerminalId(4)};
  ChannelId middle_;
};

TEST_F(OneOutage, DelaysAPacketThatWouldHaveBeenGivenTheChannel) {
  // Flight 1, routing 4: the grant is in cycle 5. Then crossbar 1, flight 1 and 8 flits.
  SimulationSpec input = spec(Switching::cut_through);
  input.cut_through().buffers = Buffering::input;
  expect_times(input, [](Time from, Time until) { return from <= 5 && 5 < until ? until - 5 : 0; },
               {5, 5 + 1 + 1 + 8});
  // With an output buffer the channel is given a cycle after the grant.
  SimulationSpec both = spec(Switching::cut_through);
  both.cut_through().buffers = Buffering::both;
  expect_times(both,
               [](Time from, Time until) {
                 if (from <= 5 && 5 < until) return until - 5;
                 return from <= 6 && 6 < until ? until - 6 : 0;
               },
               {6, 6 + 1 + 8});
  // Wormhole: buffered at 2, a VC at 3, the tail granted at 3 + 8, and there three cycles later.
  expect_times(spec(Switching::wormhole),
               [](Time from, Time until) { return from <= 3 && 3 < until ? until - 3 : 0; }, {3, 3 + 8 + 3});
  // Two more cycles of switch allocation follow a channel, and are not spent on it.
  SimulationSpec deep = spec(Switching::wormhole);
  deep.wormhole().pipeline.switch_allocation = 3;
  expect_times(deep, [](Time from, Time until) { return from <= 5 && 5 < until ? until - 5 : 0; },
               {5, 5 + 8 + 3});
}

/// A packet that is in the buffer of an output when the channel goes down for good can go nowhere: another
/// relation is for those that are still at an input.
TEST_F(OneOutage, ThatNeverEndsDropsWhatCannotStart) {
  for (const Buffering buffers : {Buffering::output, Buffering::both})
    for (const bool reroutes : {false, true}) {
      SimulationSpec one = spec(Switching::cut_through);
      one.cut_through().buffers = buffers;
      const Time stays = buffers == Buffering::output ? 4 : 0;  // on the channel until it has been routed
      const Delivery alone = only(one);
      one.measurement.packets_per_source = 0;
      one.measurement.cycles = static_cast<std::uint64_t>(alone.delivered) + 20;
      if (reroutes) one.faults.reroutings = {{one.measurement.cycles - 1, built_.relation}};
      for (Time at = alone.injected; at < alone.delivered + 5; ++at)
        for (const OnFailure fate : {OnFailure::complete, OnFailure::drop}) {
          SCOPED_TRACE(fmt::format("down from {}, packet of {}", at, alone.injected));
          one.faults.on_failure = fate;
          one.faults.outages = {{middle_, static_cast<std::uint64_t>(at), Outage::forever}};
          const Time from = at - alone.injected;
          const bool starts = from > 6, passes = from >= 6 + 1 + stays + 8;
          const bool arrives = starts && (fate == OnFailure::complete || passes);
          for (const bool oracle : {false, true}) {
            const SimulationResult result =
                oracle ? cut_through::run_cycle_driven(*built_.relation, pattern_, one).result
                       : simulate(*built_.relation, pattern_, one);
            EXPECT_EQ(result.delivered, arrives ? 1U : 0U);
            EXPECT_EQ(result.in_flight, 0U);
            const char* reason = starts ? "link_failed" : "stuck";
            EXPECT_EQ(result.dropped.contains(reason), !arrives);
          }
        }
    }
}

/// What was lost on a link counts as that, although its rest meets a channel that is gone.
TEST_F(OneOutage, ThatLosesAPacketIsItsFate) {
  ChannelId next;
  for (const ChannelId channel : built_.topology->outputs(SwitchId(3)))
    if (built_.topology->target(channel) == SwitchId(4)) next = channel;
  for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
    SimulationSpec one = spec(switching);
    const Delivery alone = only(one);
    one.measurement.packets_per_source = 0;
    one.measurement.cycles = static_cast<std::uint64_t>(alone.delivered) + 60;
    one.faults.on_failure = OnFailure::drop;
    const auto on_it = static_cast<std::uint64_t>(alone.injected) + 8;
    one.faults.outages = {{middle_, on_it, on_it + 1}, {next, 0, Outage::forever}};
    std::ranges::sort(one.faults.outages, {}, &Outage::channel);
    for (const bool oracle : {false, true}) {
      const SimulationResult result =
          !oracle ? simulate(*built_.relation, pattern_, one)
          : switching == Switching::cut_through
              ? cut_through::run_cycle_driven(*built_.relation, pattern_, one).result
              : wormhole::run_scalar(*built_.relation, pattern_, one).result;
      EXPECT_EQ(result.dropped, (std::map<std::string, std::uint64_t>{{"link_failed", 1}}));
    }
  }
}

// ---- a fault from the beginning to the end

TEST(Outages, AParallelChannelThatIsAlwaysDownIsAFaultThatSwitchesKnow) {
  for (const char* name : {"ruft-pl:k=2,n=3", "ft-ruft-222:k=2,n=3"}) {
    const TopologyPtr topology = build_topology(parse_compact("topology", name));
    const Network healthy = network(topology, FaultSet(*topology));
    for (std::uint32_t channel = 0; channel < topology->network_channel_count(); channel += effort(3U, 9U)) {
      FaultSet faults(*topology);
      faults.fail(ChannelId(channel));
      const Network known = network(topology, faults);
      SimulationSpec spec{.injection = {.load = 0.9, .packet_flits = 16}, .measurement = {.cycles = 2000}};
      SimulationSpec failing = spec;
      failing.faults.outages = {{ChannelId(channel), 0, Outage::forever}};
      spec.switches = failing.switches =
          CutThroughSwitches{.buffers = channel % 2 == 0 ? Buffering::both : Buffering::input};
      EXPECT_EQ(cut_through::run_cycle_driven(*healthy.relation, *healthy.pattern, failing).checksum,
                cut_through::run_cycle_driven(*known.relation, *known.pattern, spec).checksum)
          << name << ' ' << topology->name(ChannelId(channel));
      spec.switches = failing.switches = WormholeSwitches{};
      EXPECT_EQ(wormhole::run_scalar(*healthy.relation, *healthy.pattern, failing).checksum,
                wormhole::run_scalar(*known.relation, *known.pattern, spec).checksum)
          << name << ' ' << topology->name(ChannelId(channel));
    }
  }
}

TEST(Outages, APacketWithOnlyDeadPortsWaitsAndIsNoDeadlock) {
  const Network built = network("mesh:radix=5", "dimension-order");
  for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
    SimulationSpec spec;
    spec.switches = switches_of(switching);
    spec.injection.load = 0.3;
    spec.injection.packet_flits = 16;
    spec.measurement.cycles = 20'000;
    constexpr std::uint64_t long_after = 1'000'000'000;
    spec.faults.outages = {{ChannelId(0), 0, long_after}};
    const SimulationResult result = simulate(*built.relation, *built.pattern, spec);
    EXPECT_FALSE(result.deadlock);
    EXPECT_TRUE(result.dropped.empty());
    EXPECT_TRUE(result.saturated);
    EXPECT_GT(result.starvation.longest_source_wait, 10'000U);
  }
}

/// The pairs whose only path is over the channel are a fifth of all: their packets are dropped, and the
/// others arrive as without the fault. With another relation ahead they wait for it.
TEST(Outages, APacketThatCanWaitForNothingIsDropped) {
  const Network built = network("mesh:radix=5", "dimension-order");
  const ChannelId dead(0);
  ASSERT_EQ(built.topology->source(dead), SwitchId(0)) << "from the end of a line: four of twenty pairs";
  ASSERT_EQ(built.topology->role(dead), ChannelRole::network);
  for (const Switching switching : {Switching::cut_through, Switching::wormhole})
    for (const char* selection : {"most-free", "random"}) {
      SimulationSpec spec;
      spec.switches = switches_of(switching);
      spec.selection = selection_rule(parse_compact("selection", selection));
      spec.injection.load = 0.3;
      spec.injection.packet_flits = 16;
      spec.measurement.cycles = 20'000;
      spec.faults.outages = {{dead, 0, Outage::forever}};
      const SimulationResult result = simulate(*built.relation, *built.pattern, spec);
      EXPECT_FALSE(result.saturated);
      EXPECT_NEAR(static_cast<double>(result.dropped.at("stuck")) / static_cast<double>(result.generated),
                  0.2, 0.03);
      EXPECT_LT(result.in_flight, 20U);
      spec.faults.reroutings = {{19'000, built.relation}};
      const SimulationResult waits = simulate(*built.relation, *built.pattern, spec);
      EXPECT_TRUE(waits.saturated);
      EXPECT_LT(waits.dropped.at("stuck"), result.dropped.at("stuck") / 4);
    }
}

/// As if the terminal had been dead from the start, except for what it sent before.
TEST(Outages, ATerminalThatIsCutOffForGoodSendsNothing) {
  const Network built = network("mesh:radix=5", "dimension-order");
  for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
    SimulationSpec spec;
    spec.switches = switches_of(switching);
    spec.injection = {.load = 0.2, .packet_flits = 16};
    spec.measurement.cycles = 40'000;
    for (const ChannelId channel : built.topology->injection(TerminalId(2)))
      spec.faults.outages.push_back({channel, 10'000, Outage::forever});
    const SimulationResult result = simulate(*built.relation, *built.pattern, spec);
    EXPECT_FALSE(result.saturated);
    EXPECT_LT(result.in_flight, 20U);
    // A fifth of the packets of three quarters of the run.
    EXPECT_NEAR(static_cast<double>(result.dropped.at("unreachable")) / static_cast<double>(result.generated),
                0.2 * 0.75, 0.02);
    EXPECT_EQ(result.dropped.size(), 1U);
    spec.faults.outages.front().until = 1'000'000'000;
    EXPECT_TRUE(simulate(*built.relation, *built.pattern, spec).dropped.empty()) << "it waits";
  }
}

TEST(Outages, ATerminalWithAChannelLeftIsNotCutOff) {
  const Network built = network("switch-ring:n=6", "shortest-path");
  const auto injection = built.topology->injection(TerminalId(1));
  ASSERT_EQ(injection.size(), 2U);
  for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
    SimulationSpec spec;
    spec.switches = switches_of(switching);
    spec.injection = {.load = 0.05, .packet_flits = 16};
    spec.measurement.cycles = 20'000;
    spec.faults.outages = {{injection.front(), 5'000, Outage::forever}};
    EXPECT_FALSE(simulate(*built.relation, *built.pattern, spec).dropped.contains("unreachable"));
    spec.faults.outages.push_back({injection.back(), 6'000, Outage::forever});
    EXPECT_GT(simulate(*built.relation, *built.pattern, spec).dropped.at("unreachable"), 20U);
  }
}

TEST(Outages, ThatBeginAfterTheRunAreNoted) {
  const Network built = network("ruft:k=2,n=2");
  SimulationSpec spec;
  spec.measurement.cycles = 2'000;
  spec.faults.outages = {{ChannelId(0), 100, 200}, {ChannelId(1), 5'000}};
  EXPECT_THAT(simulate(*built.relation, *built.pattern, spec).notes,
              testing::Contains(HasSubstr("1 of 2 outages of channels begin after the last cycle")));
  spec.faults.outages.pop_back();
  EXPECT_THAT(simulate(*built.relation, *built.pattern, spec).notes,
              testing::Not(testing::Contains(HasSubstr("outages"))));
}

TEST(Outages, NewRoutingsAfterTheRunAreNoted) {
  const Network built = network("mesh:radix=2x2", "up-down");
  SimulationSpec spec;
  spec.measurement.cycles = 2'000;
  spec.faults.reroutings = {{1'999, built.relation}, {2'000, built.relation}};
  EXPECT_THAT(
      simulate(*built.relation, *built.pattern, spec).notes,
      testing::Contains(HasSubstr("1 of 2 changes of the routing would come after the last cycle, 1999")));
}

TEST(Outages, MustNotMeet) {
  const Network built = network("fat-tree:k=2,n=2");
  const PatternPtr pattern = build_pattern(*built.topology, 1, parse_compact("traffic", "uniform"));
  SimulationSpec spec;
  spec.injection.load = 0.1;
  spec.measurement.cycles = 1000;
  spec.faults.outages = {{ChannelId(0), 10, 20}, {ChannelId(0), 21, 30}, {ChannelId(1), 5, 6}};
  EXPECT_NO_THROW((void)simulate(*built.relation, *pattern, spec));
  spec.faults.outages = {{ChannelId(0), 10, 20}, {ChannelId(0), 20, 30}};
  EXPECT_THROW((void)simulate(*built.relation, *pattern, spec), Error);
  spec.faults.outages = {{ChannelId(1), 10, 20}, {ChannelId(0), 20, 30}};
  EXPECT_THROW((void)simulate(*built.relation, *pattern, spec), Error);
}

// ---- random outages

FaultSchedule random_outages(const Topology& topology, RandomStream& random, std::uint32_t max_cycle) {
  std::vector<FaultEvent> events;
  for (const ChannelId channel : topology.channels())
    if (random.next_below(4) == 0)
      for (std::uint32_t at = random.next_below(max_cycle); at < max_cycle;
           at += 1 + random.next_below(300)) {
        events.push_back({at, false, {channel}});
        at += 1 + random.next_below(100);
        events.push_back({at, true, {channel}});
      }
  return fault_schedule(topology, events);
}

SimulationSpec random_spec(RandomStream& random, Switching switching) {
  SimulationSpec spec;
  spec.injection.packet_flits = 1 + random.next_below(20);
  spec.injection.load = std::min<double>(0.6, spec.injection.packet_flits);
  const std::array bufferings{Buffering::input, Buffering::output, Buffering::both};
  spec.switches = switches_of(switching, {.buffers = bufferings[random.next_below(3)]});
  spec.selection = testing_support::selection(
      std::array{"most-free", "any-free", "random", "nearest"}[random.next_below(4)]);
  spec.seed = random.next();
  return spec;
}

/// result() throws std::logic_error where packets are not all accounted for.
TEST(Outages, EveryPacketIsAccountedForInEveryCycle) {
  const std::array topologies{"ruft-pl:k=2,n=2", "fat-tree:k=2,n=2", "ft-ruft-212:k=2,n=2"};
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    RandomStream random(seed, 7);
    const Network built = network(topologies[seed % topologies.size()]);
    for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
      SimulationSpec spec = random_spec(random, switching);
      spec.faults.outages = random_outages(*built.topology, random, 200);
      spec.faults.on_failure = seed % 2 == 0 ? OnFailure::drop : OnFailure::complete;
      for (spec.measurement.cycles = 1; spec.measurement.cycles < 250;
           spec.measurement.cycles += effort(1, 9)) {
        SCOPED_TRACE(fmt::format("seed {}, {} cycles", seed, spec.measurement.cycles));
        const SimulationResult result = simulate(*built.relation, *built.pattern, spec);
        std::uint64_t dropped = 0;
        for (const auto& [reason, packets] : result.dropped) dropped += packets;
        ASSERT_EQ(result.generated, result.delivered + result.in_flight + dropped);
        if (spec.faults.on_failure == OnFailure::complete) {
          ASSERT_EQ(dropped, 0U);
        }
      }
    }
  }
}

std::map<std::pair<std::uint32_t, std::uint32_t>, Time> delivered(const Network& built,
                                                                  const SimulationSpec& spec) {
  std::vector<Delivery> log;
  if (spec.switching() == Switching::cut_through)
    (void)cut_through::run_cycle_driven(*built.relation, *built.pattern, spec, {}, &log);
  else
    (void)wormhole::run_scalar(*built.relation, *built.pattern, spec, {}, &log);
  std::map<std::pair<std::uint32_t, std::uint32_t>, Time> times;
  for (const Delivery& packet : log) times[{packet.source, packet.sequence}] = packet.delivered;
  return times;
}

TEST(Outages, WhatIsNotLostArrivesAsIfNothingWere) {
  std::uint64_t all_lost = 0;
  for (std::uint64_t seed = 0; seed < effort(20U, 4U); ++seed) {
    RandomStream random(seed, 8);
    const Network built = network(seed % 2 == 0 ? "ft-ruft-222:k=2,n=3" : "fat-tree:k=4,n=2");
    SimulationSpec spec = random_spec(random, seed % 4 < 2 ? Switching::cut_through : Switching::wormhole);
    spec.measurement.cycles = 4000;
    spec.faults.outages = random_outages(*built.topology, random, 3000);
    const auto complete = delivered(built, spec);
    spec.faults.on_failure = OnFailure::drop;
    const auto kept = delivered(built, spec);
    for (const auto& [packet, time] : kept) EXPECT_EQ(complete.at(packet), time) << "seed " << seed;
    const SimulationResult result = simulate(*built.relation, *built.pattern, spec);
    const std::uint64_t lost = complete.size() - kept.size();
    EXPECT_EQ(result.dropped.contains("link_failed") ? result.dropped.at("link_failed") : 0, lost);
    all_lost += lost;
  }
  EXPECT_GT(all_lost, effort(100U, 10U));
}

}  // namespace
}  // namespace faultline
