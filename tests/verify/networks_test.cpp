// SPDX-License-Identifier: Apache-2.0
// Networks without a regular structure: random graphs, and real fabrics with their live forwarding tables.
#include <gtest/gtest.h>

#include "support/random_graph.h"
#include "support/shared_folder.h"
#include "verify/examples.h"

namespace faultline {
namespace {

TEST(RandomGraphs, UpDownIsProved) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const TopologyPtr topology =
        random_graph(4 + static_cast<std::uint32_t>(seed) / 2, static_cast<std::uint32_t>(seed), 24, seed);
    const Example example = verified_on(topology, FaultSet(*topology), "up-down", Switching::wormhole);
    EXPECT_EQ(example.verdict.method, DeadlockMethod::acyclic_dependencies);
    EXPECT_TRUE(example.verdict.positive());
    EXPECT_EQ(rejection(certificate_of(example, Switching::wormhole)), "");
  }
}

TEST(RandomGraphs, ShortestPathsThatDeadlockAreShownClosed) {
  std::size_t refuted = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const TopologyPtr topology = random_graph(12, 8, 12, seed);
    for (const Switching switching : {Switching::wormhole, Switching::cut_through}) {
      const Example example = verified_on(topology, FaultSet(*topology), "shortest-path", switching);
      if (example.verdict.method == DeadlockMethod::unproved) continue;
      EXPECT_EQ(rejection(certificate_of(example, switching)), "");
      if (example.verdict.method == DeadlockMethod::deadlock) ++refuted;
    }
  }
  EXPECT_GT(refuted, 0U);
}

Example real_fabric(const std::filesystem::path& dump, const std::string& tables, std::string_view routing) {
  const std::string text = "fabric:file=" + dump.string() + (tables.empty() ? "" : ",tables=" + tables);
  return verified(text, routing, Switching::wormhole);
}

void expect_proved(const Example& example) {
  EXPECT_TRUE(example.verdict.positive())
      << to_string(example.verdict.method) << ", " << example.verdict.unreachable_pairs << " unreachable";
  EXPECT_EQ(example.verdict.method, DeadlockMethod::acyclic_dependencies);
  EXPECT_EQ(rejection(certificate_of(example, Switching::wormhole)), "");
}

TEST(RealFabrics, UpDownIsProved) {
  FAULTLINE_SHARED_FILE(avakas, "fabrics/avakas.ibnetdiscover");
  FAULTLINE_SHARED_FILE(psmn, "fabrics/psmn-x5.ibnetdiscover");
  expect_proved(real_fabric(avakas, {}, "up-down"));
  expect_proved(real_fabric(psmn, {}, "up-down"));
}

TEST(RealFabrics, TheTablesThatWereLiveAreProved) {
  FAULTLINE_SHARED_FILE(avakas, "fabrics/avakas.ibnetdiscover");
  FAULTLINE_SHARED_FILE(tables, "fabrics/avakas.lfts");
  expect_proved(real_fabric(avakas, tables.string(), "tables"));
}

/// One option for each (switch, destination), as in forwarding tables.
class OneWay final : public RoutingRelation {
 public:
  explicit OneWay(const RoutingRelation& base) : RoutingRelation(base.shared_topology()) {
    next_.resize(topology().switch_count() * topology().terminal_count());
    RouteOptions options;
    for (const TerminalId destination : topology().terminals())
      for (const SwitchId at : topology().switches()) {
        options.clear();
        base.route({at, destination, {}, 0, 0}, options);
        if (!options.empty())
          next_[index(at, destination)] = options[destination.index() % options.size()].channel;
      }
  }
  void route(const RouteState& state, RouteOptions& options) const override {
    if (const ChannelId channel = next_[index(state.at, state.destination)]; channel.valid())
      options.push_back({.channel = channel});
  }

 private:
  [[nodiscard]] std::size_t index(SwitchId at, TerminalId destination) const {
    return destination.index() * topology().switch_count() + at.index();
  }
  std::vector<ChannelId> next_;
};

TEST(SlowScale, TablesOf1000SwitchesAnd10000TerminalsAreDecided) {
  const TopologyPtr topology = random_graph(1000, 8000, 10'000, 1);
  const FaultSet none(*topology);
  const OneWay tables(*build_relation(topology, none, parse_compact("routing", "shortest-path")));
  const Verdict verdict = verify(tables, none, {.switching = Switching::wormhole});
  EXPECT_TRUE(verdict.connected());
  EXPECT_TRUE(verdict.livelock_free());
  EXPECT_EQ(verdict.states, 1000U * 10'000);
  EXPECT_NE(verdict.method, DeadlockMethod::unproved);
}

}  // namespace
}  // namespace faultline
