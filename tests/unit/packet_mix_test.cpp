// SPDX-License-Identifier: Apache-2.0
// Packets of several sizes, drawn or from a trace, one by one.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "faultline/base/file.h"
#include "simulate/cut_through/model.h"
#include "study/packet_mix.h"
#include "support/temporary_folder.h"
#include "support/wormhole_support.h"

namespace faultline {
namespace {

using namespace testing_support;
using testing::HasSubstr;

using Engine = std::vector<Delivery> (*)(const RoutingRelation&, const TrafficPattern&,
                                         const SimulationSpec&);

template <auto run>
std::vector<Delivery> logged(const RoutingRelation& relation, const TrafficPattern& pattern,
                             const SimulationSpec& spec) {
  std::vector<Delivery> log;
  (void)run(relation, pattern, resolved(spec, pattern), {}, &log);
  return log;
}

struct NamedEngine {
  const char* name;
  Switching switching;
  Engine run;
};

const std::vector<NamedEngine>& engines() {
  static const std::vector<NamedEngine> all{
      {"cycle-driven", Switching::cut_through, &logged<&cut_through::run_cycle_driven>},
      {"event-driven", Switching::cut_through, &logged<&cut_through::run_event_driven>},
      {"scalar", Switching::wormhole, &logged<&wormhole::run_scalar>},
      {"wormhole", Switching::wormhole, &logged<&wormhole::run>}};
  return all;
}

SimulationSpec mixed(double load, std::vector<PacketShare> mix, Switching switching) {
  SimulationSpec spec;
  spec.injection.load = load;
  spec.injection.packet_mix = std::move(mix);
  spec.switches = switches_of(switching, {}, {.buffer_flits = 64});
  return spec;
}

TEST(PacketMix, APacketAloneTakesTheClosedFormOfItsSize) {
  const Network built = network("ruft:k=2,n=3");
  const OnePair pattern(TerminalId(1), TerminalId(6));
  for (const NamedEngine& engine : engines()) {
    SimulationSpec spec = mixed(0.02, {{1, 1}, {16, 2}, {128, 1}}, engine.switching);
    spec.injection.process = Injection::constant;
    spec.measurement.cycles = 100'000;
    std::map<std::uint32_t, std::size_t> packets;
    for (const Delivery& packet : engine.run(*built.relation, pattern, spec)) {
      ++packets[packet.flits];
      SimulationSpec alone = spec;
      alone.injection.packet_flits = packet.flits;
      EXPECT_EQ(static_cast<std::uint64_t>(packet.delivered - packet.generated),
                zero_load_latency(*built.relation, TerminalId(1), TerminalId(6), alone))
          << engine.name << ", " << packet.flits << " flits";
    }
    EXPECT_EQ(packets.size(), 3U) << engine.name;
    EXPECT_GT(packets[16], packets[1]) << engine.name;
  }
}

TEST(PacketMix, SharesAreOfPacketsAndTheLoadIsOfFlits) {
  const Network built = network("fat-tree:k=4,n=2");
  for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
    SimulationSpec spec = mixed(0.3, {{8, 3}, {64, 1}}, switching);
    spec.measurement.cycles = 200'000;
    spec.measurement.channel_load = true;
    const SimulationResult result = simulate(*built.relation, *built.pattern, spec);
    EXPECT_NEAR(result.offered, 0.3, 0.01);
    EXPECT_NEAR(result.accepted, 0.3, 0.01);
    const double packets = 0.3 / (0.75 * 8 + 0.25 * 64) * 200'000 * 16;
    EXPECT_NEAR(static_cast<double>(result.generated), packets, 6 * std::sqrt(packets));
    std::uint64_t left_switches = 0;
    for (const ChannelId channel : built.topology->channels())
      if (built.topology->source(channel).valid()) left_switches += result.channel_flits[channel.index()];
    EXPECT_EQ(left_switches, result.flit_hops);
  }
}

TEST(PacketMix, OneSizeIsThePlainRun) {
  const Network built = network("torus:radix=4x4");
  for (const NamedEngine& engine : engines()) {
    SimulationSpec plain = mixed(0.5, {}, engine.switching),
                   same = mixed(0.5, {{16, 1}, {16, 5}}, engine.switching);
    plain.injection.packet_flits = 16;
    plain.measurement.cycles = same.measurement.cycles = 3000;
    const std::vector<Delivery> a = engine.run(*built.relation, *built.pattern, plain),
                                b = engine.run(*built.relation, *built.pattern, same);
    ASSERT_EQ(a.size(), b.size()) << engine.name;
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].delivered, b[i].delivered) << engine.name;
  }
}

TEST(PacketMix, TextIsReadOrRefused) {
  const auto plain = parse_packet_mix("128", "f");
  ASSERT_EQ(plain.size(), 1U);
  EXPECT_EQ(plain[0].flits, 128U);
  const auto mix = parse_packet_mix("8:0.25,128:0.75", "f");
  ASSERT_EQ(mix.size(), 2U);
  EXPECT_EQ(mix[1].flits, 128U);
  EXPECT_EQ(mix[0].share, 0.25);
  EXPECT_EQ(parse_packet_mix(std::to_string(max_flits_asked_for), "f").at(0).flits, max_flits_asked_for);
  for (const char* text :
       {"", "0", "x", "8:", "8:0", "8:-1", "8,16", "8:0.5,16", "8:0.5,", "70000", "8:nan", "8:1:2"})
    EXPECT_THROW((void)parse_packet_mix(text, "f"), Error) << text;
}

TEST(PacketMix, BadSpecsAreRefused) {
  const Network built = network("ruft:k=2,n=2");
  for (const PacketShare& part :
       {PacketShare{0, 1}, PacketShare{8, 0}, PacketShare{8, -1}, PacketShare{1U << 21, 1}})
    EXPECT_THROW(
        (void)simulate(*built.relation, *built.pattern, mixed(0.1, {{8, 1}, part}, Switching::cut_through)),
        Error);
}

// ---- traces

struct TraceFile : TemporaryFolder {
  explicit TraceFile(std::string_view text) { write_file(path / "t.csv", text, "test"); }
  [[nodiscard]] std::string traffic() const { return "trace:file=" + (path / "t.csv").string(); }
};

TEST(TraceTraffic, EveryPacketIsSentAtItsTimeWithItsSizeAndTheRunEndsWithTheLast) {
  const TraceFile file(
      "time,source,destination,flits\n0,0,3,8\n# later\n5000,2,1,128\r\n\n100,0,2,1\n100,3,0,40\n");
  const TopologyPtr topology = build_topology(parse_compact("topology", "ruft:k=2,n=2"));
  const Network built = network(topology, FaultSet(*topology), "", file.traffic());
  const std::map<std::pair<std::uint32_t, Time>, std::pair<std::uint32_t, std::uint32_t>> sent{
      {{0, 0}, {3, 8}}, {{2, 5000}, {1, 128}}, {{0, 100}, {2, 1}}, {{3, 100}, {0, 40}}};
  for (const NamedEngine& engine : engines()) {
    SimulationSpec spec = mixed(0, {}, engine.switching);
    std::map<std::pair<std::uint32_t, Time>, std::pair<std::uint32_t, std::uint32_t>> arrived;
    for (const Delivery& packet : engine.run(*built.relation, *built.pattern, spec)) {
      arrived[{packet.source, packet.generated}] = {packet.destination, packet.flits};
      SimulationSpec alone = spec;
      alone.injection.packet_flits = packet.flits;
      EXPECT_EQ(static_cast<std::uint64_t>(packet.delivered - packet.injected),
                zero_load_latency(*built.relation, TerminalId(packet.source), TerminalId(packet.destination),
                                  alone))
          << engine.name;
    }
    EXPECT_EQ(arrived, sent) << engine.name;
    const SimulationResult result = simulate(*built.relation, *built.pattern, spec);
    EXPECT_EQ(result.generated, 4U);
    EXPECT_EQ(result.delivered, 4U);
    EXPECT_EQ(result.in_flight, 0U);
    Time last = 0;
    for (const Delivery& packet : engine.run(*built.relation, *built.pattern, spec))
      last = std::max(last, packet.delivered);
    EXPECT_EQ(result.cycles, static_cast<std::uint64_t>(last) + 1) << engine.name;
    EXPECT_DOUBLE_EQ(result.accepted, (8 + 128 + 1 + 40) / (4.0 * static_cast<double>(result.cycles)));
    EXPECT_FALSE(result.too_short);
    EXPECT_EQ(result.latency.interval.low, result.latency.mean);
    EXPECT_EQ(result.latency.interval.high, result.latency.mean);
  }
}

TEST(TraceTraffic, PacketsOfOneCycleKeepTheirOrderAndUnreachableOnesEndTheRunToo) {
  const TraceFile file("7,0,1,4\n7,0,2,4\n7,0,3,4\n9,1,3,4\n");
  const TopologyPtr topology = build_topology(parse_compact("topology", "ruft:k=2,n=2"));
  FaultSet faults(*topology);
  faults.fail(*topology, TerminalId(3));
  const Network built = network(topology, faults, "", file.traffic());
  for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
    const SimulationResult result = simulate(*built.relation, *built.pattern, mixed(0, {}, switching));
    EXPECT_EQ(result.delivered, 2U);
    EXPECT_EQ(result.dropped.at("unreachable"), 2U);
    EXPECT_EQ(result.in_flight, 0U);
  }
  EXPECT_TRUE(built.pattern->silent(TerminalId(2)));
  EXPECT_NEAR(built.pattern->share(TerminalId(0), TerminalId(2)), 1.0 / 3, 1e-12);
}

/// Every source sends without a pause to a destination of its own: its channel bounds the time.
TEST(TraceTraffic, AFullChannelEndsWhenItsFlitsHavePassed) {
  constexpr std::uint32_t packets = 40, flits = 50;
  std::string text;
  for (std::uint32_t source = 0; source < 4; ++source)
    for (std::uint32_t i = 0; i < packets; ++i)
      text += std::to_string(i) + "," + std::to_string(source) + "," + std::to_string((source + 1) % 4) +
              "," + std::to_string(flits) + "\n";
  const TraceFile file(text);
  const TopologyPtr topology =
      build_topology(parse_compact("topology", "switch-clique:switches=2,terminals=4,degree=1"));
  const Network built = network(topology, FaultSet(*topology), "", file.traffic());
  const SimulationResult result =
      simulate(*built.relation, *built.pattern, mixed(0, {}, Switching::cut_through));
  EXPECT_EQ(result.delivered, 4U * packets);
  EXPECT_GE(result.cycles, packets * flits);
  EXPECT_LE(result.cycles, 2 * packets * flits + 100);
  EXPECT_DOUBLE_EQ(result.accepted, double{packets} * flits / static_cast<double>(result.cycles));
}

TEST(TraceTraffic, RubbishIsRefusedWithFileAndLine) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "ruft:k=2,n=2"));
  const std::vector<std::tuple<std::string, int, std::string>> cases{
      {"0,0,1,8\n0,0,1\n", 2, "four"}, {"0,0,4,8\n", 1, "from 0 to 3"},
      {"0,0,0,8\n", 1, "another"},     {"0,0,1,0\n", 1, "size"},
      {"-1,0,1,8\n", 1, "cycle"},      {"a,b,c,d\n0,0,1,8\na,b,c,d\n", 3, "cycle"},
      {"0.5,0,1,8\n", 1, "cycle"},     {"", 0, "at least one"},
      {"0;0;1;8\n", 1, "four"},        {"time;source\n0;0;1;8\n", 2, "four"},
      {"0,0,1,8,9\n", 1, "four"},      {"600000000,0,1,8\n", 1, "cycle"},
  };
  for (const auto& [text, line, allowed] : cases) {
    const TraceFile file(text);
    try {
      (void)build_pattern(*topology, 1, parse_compact("traffic", file.traffic()));
      ADD_FAILURE() << "accepted: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.parts().location.line, line) << text;
      EXPECT_THAT(error.parts().allowed, HasSubstr(allowed)) << text;
    }
  }
}

}  // namespace
}  // namespace faultline
