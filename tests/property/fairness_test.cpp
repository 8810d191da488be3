// SPDX-License-Identifier: Apache-2.0
// Are all requests served equally? Closed forms, from deliveries by source alone: the engines' counters are
// not used.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "faultline/base/random.h"
#include "simulate/cut_through/model.h"
#include "simulate/wormhole/model.h"
#include "support/effort.h"
#include "support/simulate_support.h"

namespace faultline {
namespace {

using testing_support::network;
using testing_support::Network;

constexpr std::array rules{Arbitration::round_robin, Arbitration::matrix, Arbitration::oldest,
                           Arbitration::random};
const char* name_of(Arbitration rule) {
  constexpr std::array names{"round_robin", "matrix", "oldest", "random"};
  return names[static_cast<std::size_t>(rule)];
}

enum class Engine : std::uint8_t { event_driven, cycle_driven, wormhole, wormhole_plain };
constexpr std::array engines{Engine::event_driven, Engine::cycle_driven, Engine::wormhole,
                             Engine::wormhole_plain};
constexpr std::array engine_names{"event_driven", "cycle_driven", "wormhole", "wormhole_plain"};
bool is_wormhole(Engine engine) { return engine >= Engine::wormhole; }

/// Some send, each to one terminal.
class Chosen final : public TrafficPattern {
 public:
  explicit Chosen(std::size_t terminals) : destinations_(terminals) {}
  void send(std::uint32_t from, std::uint32_t to) { destinations_[from] = TerminalId(to); }
  [[nodiscard]] TerminalId destination(TerminalId source, std::uint64_t) const override {
    return destinations_[source.index()];
  }
  [[nodiscard]] bool silent(TerminalId source) const override {
    return !destinations_[source.index()].valid();
  }

 private:
  std::vector<TerminalId> destinations_;
};

/// Packets delivered, by source. Those of the first tenth, in which buffers fill, are left out.
std::vector<double> delivered(Engine engine, const RoutingRelation& relation, const TrafficPattern& pattern,
                              SimulationSpec spec) {
  std::vector<Delivery> log;
  spec.switches = switches_of(is_wormhole(engine) ? Switching::wormhole : Switching::cut_through, {},
                              {.buffer_flits = 32});
  spec = resolved(spec, pattern);
  switch (engine) {
    case Engine::event_driven:
      (void)cut_through::run_event_driven(relation, pattern, spec, {}, &log);
      break;
    case Engine::cycle_driven:
      (void)cut_through::run_cycle_driven(relation, pattern, spec, {}, &log);
      break;
    case Engine::wormhole:
      (void)wormhole::run(relation, pattern, spec, {}, &log);
      break;
    case Engine::wormhole_plain:
      (void)wormhole::run_scalar(relation, pattern, spec, {}, &log);
      break;
  }
  std::vector<double> counts(relation.topology().terminal_count());
  for (const Delivery& packet : log)
    if (packet.delivered >= static_cast<Time>(spec.measurement.cycles / 10) &&
        packet.delivered < static_cast<Time>(spec.measurement.cycles))
      counts[packet.source] += 1;
  return counts;
}

/// Round robin and matrix serve in turn: their imbalance, if several virtual channels make requests, does not
/// grow with time. What is drawn, or depends on what is generated, is within five standard deviations.
double tolerance(Arbitration rule, std::uint32_t vcs, double expected) {
  const bool in_turn = rule == Arbitration::round_robin || rule == Arbitration::matrix;
  return in_turn ? (vcs == 1 ? 2 : 16) : 5 * std::sqrt(expected) + 2;
}

struct Asking {
  Engine engine;
  Arbitration rule;

  friend void PrintTo(const Asking& asking, std::ostream* out) {
    *out << engine_names[static_cast<std::size_t>(asking.engine)] << ' ' << name_of(asking.rule);
  }
};

SimulationSpec overload(Arbitration rule) {
  SimulationSpec spec;
  spec.arbitration = rule;
  spec.injection.packet_flits = 16;
  spec.injection.load =
      rule == Arbitration::oldest ? 1 : spec.injection.packet_flits;  // oldest: they differ in age
  spec.virtual_channels = 1;
  spec.measurement.cycles = 40'000;
  return spec;
}

class Fairness : public testing::TestWithParam<Asking> {
 protected:
  /// Of all deliveries each of `askers` has the same share.
  void expect_equal_shares(const RoutingRelation& relation, const TrafficPattern& pattern,
                           const std::vector<std::uint32_t>& askers, const SimulationSpec& spec) const {
    const std::vector<double> counts = delivered(GetParam().engine, relation, pattern, spec);
    const double share =
        std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(askers.size());
    EXPECT_GT(share, 20);
    for (const std::uint32_t asker : askers)
      EXPECT_NEAR(counts[asker], share, tolerance(*spec.arbitration, spec.virtual_channels, share))
          << "terminal " << asker << " of " << fmt::format("{}", fmt::join(askers, " "));
  }
};

/// A single switch of any number of ports, and any of its terminals ask for the same one.
TEST_P(Fairness, EqualAskersAtASwitchGetEqualSharesBesideIdlePorts) {
  const auto [engine, rule] = GetParam();
  for (const std::uint32_t ports : thinned<std::uint32_t>({3, 16, 5, 64}, 2))
    for (std::uint32_t repeat = 0; repeat < 3; ++repeat) {
      const Network built = network(fmt::format("fat-tree:k={},n=1", ports));
      RandomStream random(ports, repeat);
      std::vector<std::uint32_t> terminals(ports);
      std::iota(terminals.begin(), terminals.end(), 0);
      for (std::uint32_t i = ports - 1; i > 0; --i)
        std::swap(terminals[i], terminals[random.next_below(i + 1)]);
      const std::uint32_t count = 2 + random.next_below(std::min(ports, 9U) - 2);
      const std::vector<std::uint32_t> askers(terminals.begin() + 1, terminals.begin() + 1 + count);
      Chosen pattern(ports);
      for (const std::uint32_t asker : askers) pattern.send(asker, terminals[0]);
      SimulationSpec spec = overload(rule);
      spec.seed = 1 + repeat;
      if (is_wormhole(engine)) spec.virtual_channels = 1U << repeat;
      expect_equal_shares(*built.relation, pattern, askers, spec);
    }
}

/// The first finding: terminals 1 and 2 of 16 send to 0, and the same in a row of three switches.
TEST_P(Fairness, NeighboursBesideIdlePortsGetAHalfEach) {
  const auto [engine, rule] = GetParam();
  for (const char* topology : {"fat-tree:k=16,n=1", "mesh:radix=3"}) {
    const Network built = network(topology);
    Chosen pattern(built.topology->terminal_count());
    pattern.send(1, 0);
    pattern.send(2, 0);
    SimulationSpec spec = overload(rule);
    spec.injection.load = 0.9;
    spec.measurement.cycles = 100'000;
    const std::vector<double> counts = delivered(engine, *built.relation, pattern, spec);
    const double half = (counts[1] + counts[2]) / 2;
    EXPECT_NEAR(counts[1], half, 5 * std::sqrt(half) + 2) << topology;
  }
}

/// Heads that may take any of several outputs: four terminals of a leaf switch with two up links left.
TEST_P(Fairness, AskersOfSeveralOutputsGetEqualShares) {
  const auto [engine, rule] = GetParam();
  const TopologyPtr topology = build_topology(parse_compact("topology", "fat-tree:k=4,n=2"));
  FaultSet faults(*topology);
  const SwitchId leaf = topology->target(topology->injection(TerminalId(0)).front());
  std::uint32_t up = 0;
  for (const ChannelId channel : topology->outputs(leaf))
    if (topology->role(channel) == ChannelRole::network && up++ % 2 == 1) faults.fail(channel);
  ASSERT_EQ(faults.failed_channel_count(), 2U);
  const Network built = network(topology, faults, "fta");
  Chosen pattern(topology->terminal_count());
  for (std::uint32_t i = 0; i < 4; ++i) pattern.send(i, 8 + i);
  SimulationSpec spec = overload(rule);
  spec.selection = {.score = free_slots};
  const std::vector<double> counts = delivered(engine, *built.relation, pattern, spec);
  const double share = std::accumulate(counts.begin(), counts.end(), 0.0) / 4;
  EXPECT_GT(share, 20);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_NEAR(counts[i], share, 5 * std::sqrt(share) + 2) << i;
}

/// All of a row of switches send to its end. What is fair at each switch gives each source half of what is
/// left by those nearer to the end, 1/2, 1/4 … (Dally & Towles, section 15.4.1, where the parking lot is
/// described); oldest first is fair to sources.
TEST_P(Fairness, ParkingLot) {
  const auto [engine, rule] = GetParam();
  constexpr std::uint32_t switches = 6;
  const Network built = network(fmt::format("mesh:radix={}", switches), "dimension-order");
  Chosen pattern(switches);
  for (std::uint32_t i = 1; i < switches; ++i) pattern.send(i, 0);
  SimulationSpec spec = overload(rule);
  // With one virtual channel a wormhole switch has no choice: the next packet of the input that was served is
  // not routed yet when the output becomes free again.
  if (is_wormhole(engine)) spec.virtual_channels = 4;
  spec.measurement.cycles = effort(200'000, 50'000);
  const std::vector<double> counts = delivered(engine, *built.relation, pattern, spec);
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  EXPECT_GT(all * spec.injection.packet_flits, 0.85 * 0.9 * static_cast<double>(spec.measurement.cycles));
  for (std::uint32_t i = 1; i < switches; ++i) {
    const double halves = std::pow(0.5, std::min(i, switches - 2));
    const double expected = all * (rule == Arbitration::oldest ? 1.0 / (switches - 1) : halves);
    EXPECT_NEAR(counts[i], expected, tolerance(rule, spec.virtual_channels, expected) + 0.005 * expected)
        << "source " << i;
  }
}

std::vector<Asking> all_askings() {
  std::vector<Asking> all;
  for (const Engine engine : engines)
    for (const Arbitration rule : rules) all.push_back({engine, rule});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Arbitration, Fairness, testing::ValuesIn(thinned(all_askings(), 5)),
                         [](const auto& parameter) {
                           return fmt::format("{}_{}",
                                              engine_names[static_cast<std::size_t>(parameter.param.engine)],
                                              name_of(parameter.param.rule));
                         });

}  // namespace
}  // namespace faultline
