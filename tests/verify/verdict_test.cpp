// SPDX-License-Identifier: Apache-2.0
// Known answers: which routings of which networks are free of deadlock.
#include "faultline/verify/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faultline/topology/builder.h"
#include "support/print_switching.h"
#include "support/sample_networks.h"
#include "support/temporary_folder.h"
#include "verify/examples.h"
#include "verify/random_plays.h"

namespace faultline {
namespace {

struct Known {
  std::string_view topology, routing;
  Switching switching;
  DeadlockMethod method;

  friend void PrintTo(const Known& known, std::ostream* out) {
    *out << known.topology << ' ' << known.routing << ' ' << testing::PrintToString(known.switching);
  }
};

class KnownAnswer : public testing::TestWithParam<Known> {};

TEST_P(KnownAnswer, IsFoundAndCertified) {
  const auto& [topology, routing, switching, method] = GetParam();
  const Example example = verified(topology, routing, switching);
  const Verdict& verdict = example.verdict;
  EXPECT_EQ(to_string(verdict.method), to_string(method));
  EXPECT_EQ(verdict.deadlock_free, method < DeadlockMethod::deadlock);
  EXPECT_TRUE(verdict.connected());
  EXPECT_TRUE(verdict.livelock_free());
  EXPECT_EQ(rejection(certificate_of(example, switching)), "");
}

INSTANTIATE_TEST_SUITE_P(
    Literature, KnownAnswer,
    testing::Values(
        Known{"mesh:radix=5x4", "dimension-order", Switching::wormhole, DeadlockMethod::acyclic_dependencies},
        Known{"mesh:radix=3x4x2", "direction-order", Switching::wormhole,
              DeadlockMethod::acyclic_dependencies},
        Known{"hypercube:n=4", "dimension-order", Switching::wormhole, DeadlockMethod::acyclic_dependencies},
        Known{"torus:radix=5x4", "dimension-order:ring_rule=none", Switching::wormhole,
              DeadlockMethod::deadlock},
        Known{"torus:radix=5x4", "dimension-order:ring_rule=none", Switching::cut_through,
              DeadlockMethod::deadlock},
        Known{"torus:radix=5x4", "dimension-order", Switching::wormhole,
              DeadlockMethod::acyclic_dependencies},
        Known{"torus:radix=6x8", "dimension-order", Switching::wormhole,
              DeadlockMethod::acyclic_dependencies},
        Known{"torus:radix=5x4", "dimension-order", Switching::cut_through, DeadlockMethod::bubble},
        Known{"torus:radix=2x6", "direction-order", Switching::wormhole,
              DeadlockMethod::acyclic_dependencies},
        Known{"torus:radix=2x6", "direction-order", Switching::cut_through, DeadlockMethod::bubble},
        Known{"torus:radix=4x4", "minimal-adaptive", Switching::wormhole, DeadlockMethod::deadlock},
        Known{"torus:radix=4x4", "minimal-adaptive:vcs=3", Switching::wormhole, DeadlockMethod::deadlock},
        Known{"mesh:radix=3x3", "minimal-adaptive", Switching::cut_through, DeadlockMethod::deadlock},
        Known{"mesh:radix=4x4", "duato", Switching::wormhole, DeadlockMethod::escape},
        Known{"mesh:radix=4x4", "duato", Switching::cut_through, DeadlockMethod::escape},
        Known{"torus:radix=5x4", "duato", Switching::wormhole, DeadlockMethod::escape},
        Known{"torus:radix=6x6", "duato:adaptive_vcs=2", Switching::wormhole, DeadlockMethod::escape},
        Known{"torus:radix=5x4", "duato", Switching::cut_through, DeadlockMethod::bubble},
        Known{"torus:radix=4x4", "duato:ring_rule=none", Switching::cut_through, DeadlockMethod::deadlock},
        Known{"torus:radix=5", "shortest-path", Switching::wormhole, DeadlockMethod::deadlock},
        Known{"torus:radix=4x4", "up-down", Switching::wormhole, DeadlockMethod::acyclic_dependencies},
        Known{"fat-tree:k=4,n=3", "fta", Switching::wormhole, DeadlockMethod::acyclic_dependencies},
        Known{"ft-ruft-222:k=4,n=3", "ruft", Switching::wormhole, DeadlockMethod::acyclic_dependencies}));

TEST(Verdict, DeadlockIsClosedAndItsPacketsAreGivenForInjection) {
  const Example example = verified("torus:radix=5x4", "dimension-order:ring_rule=none", Switching::wormhole);
  const auto& deadlock = example.verdict.deadlock;
  ASSERT_EQ(deadlock.size(), 4U) << "the shorter ring";
  for (std::size_t i = 0; i < deadlock.size(); ++i) {
    ASSERT_EQ(deadlock[i].waits_for.size(), 1U);
    EXPECT_EQ(deadlock[i].waits_for[0], (i + 1) % deadlock.size());
  }
  EXPECT_EQ(packets_of(deadlock, 3).size(), 12U);
}

/// Switches 0 and 1 and a channel each way. The packet that waits in one of the two came through the other,
/// and so did that one's: one has to wait on a detour by switch 2 while the other passes.
TEST(Verdict, ShowsDeadlocksForWhichAPacketMustWaitWhileAnotherPasses) {
  const TemporaryFolder folder;
  const std::string path = folder.file(
      "detour.relation",
      "faultline-relation 1\nnetwork -\nswitches 3\nterminals 2\nvirtual-channels 1\ntags 5\nreads tag\n"
      "channels 8\nn 0 1\nn 1 0\nn 0 2\nn 2 0\ni 0 0\ni 1 1\ne 0 0\ne 1 1\n"
      "destination 0\nfrom 1 5\ns 1 0 1/1/1\ns 0 1 2/1/1 6\ns 2 1 3/1/2\ns 0 2 0/1/3\ns 1 3 1/1/4\n"
      "s 0 4 6\n"
      "destination 1\nfrom 0 4\ns 0 0 0/1/1\ns 1 1 1/1/2 7\ns 0 2 0/1/3\ns 1 3 7\nend\n");
  const Example example = verified("relation:file=" + path, "relation:file=" + path, Switching::cut_through);
  EXPECT_EQ(to_string(example.verdict.method), "deadlock");
  EXPECT_EQ(example.verdict.deadlock.size(), 2U);
  EXPECT_EQ(example.verdict.schedule.size(), 8U);
  EXPECT_EQ(rejection(certificate_of(example, Switching::cut_through)), "");
}

struct Committed {
  std::string_view topology, routing;
  Switching switching;
  DeadlockMethod method;
};

/// Where a packet that commits always has an escape: each state offers one option, or each option has one.
TEST(Verdict, HoldsForSelectionsThatCommitWhereEachOptionHasAnEscape) {
  for (const auto& [topology, routing, switching, method] :
       {Committed{"torus:radix=5", "duato:ring_rule=dateline", Switching::wormhole, DeadlockMethod::escape},
        Committed{"torus:radix=5", "duato:ring_rule=dateline", Switching::cut_through,
                  DeadlockMethod::escape},
        Committed{"torus:radix=5", "duato", Switching::cut_through, DeadlockMethod::bubble},
        Committed{"torus:radix=4x4", "ft-drb", Switching::cut_through, DeadlockMethod::bubble},
        Committed{"mesh:radix=3x3", "ft-drb", Switching::cut_through, DeadlockMethod::escape},
        Committed{"mesh:radix=4x4", "duato", Switching::wormhole, DeadlockMethod::deadlock},
        Committed{"mesh:radix=4x4", "duato", Switching::cut_through, DeadlockMethod::deadlock}}) {
    SCOPED_TRACE(std::string(topology) + ' ' + std::string(routing));
    const Example example = verified(topology, routing, switching);
    EXPECT_TRUE(example.verdict.deadlock_free);
    const Verdict verdict =
        verify(*example.relation, example.damage.dead, {.switching = switching, .selection_commits = true});
    EXPECT_EQ(to_string(verdict.method), to_string(method));
    // If there is none, that of packets which ask for all their options is not accepted instead.
    const std::string text =
        certificate_text(example.offered, example.damage, verdict.deadlock_free ? verdict : example.verdict,
                         {.switching = switching, .selection_commits = true});
    if (verdict.deadlock_free)
      EXPECT_EQ(rejection(text), "");
    else
      EXPECT_THAT(rejection(text), testing::HasSubstr("a packet may commit to an option"));
  }
}

/// Two switches, two channels to the second and one back. At its switch, a packet to the first terminal
/// leaves, or goes on; at the other its escape is virtual channel 0 of the way back. Two long packets that
/// went on may hold both virtual channels of the way back, and wait for it.
class SendsOn final : public RoutingRelation {
 public:
  SendsOn() : RoutingRelation(network()) {}

  void route(const RouteState& state, RouteOptions& options) const override {
    const auto outputs = topology().outputs(state.at);
    for (const ChannelId channel : outputs) {
      if (topology().role(channel) == ChannelRole::ejection &&
          topology().terminal(channel) == state.destination)
        options.push_back({.channel = channel});
      if (topology().role(channel) == ChannelRole::network && state.destination == TerminalId(0))
        options.push_back({.channel = channel, .vcs = state.at == SwitchId(0) ? 0b10U : 0b11U});
    }
  }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return 2; }
  [[nodiscard]] bool is_escape(const RouteState&, const RouteOption&, std::uint8_t vc) const override {
    return vc == 0;
  }
  [[nodiscard]] bool relies_on_escape() const override { return true; }

 private:
  static TopologyPtr network() {
    TopologyBuilder builder;
    const SwitchId first = builder.add_switch({}), second = builder.add_switch({});
    builder.connect({first, 0}, {second, 0});
    builder.connect({first, 1}, {second, 1});
    builder.connect({second, 0}, {first, 0});
    const TerminalId near = builder.add_terminal(), far = builder.add_terminal();
    builder.connect_injection(near, {first, 1});
    builder.connect_ejection({first, 2}, near);
    builder.connect_injection(far, {second, 2});
    builder.connect_ejection({second, 1}, far);
    return std::make_shared<const Topology>(std::move(builder).build("two-switches", "none"));
  }
};

TEST(Verdict, SeesWhatPacketsAskForLaterWhereAdaptiveHopsFormACycle) {
  const SendsOn relation;
  const FaultSet none(relation.topology());
  EXPECT_TRUE(RandomPlays(relation, none, {.longest = 4}).deadlock());
  EXPECT_FALSE(verify(relation, none, {.switching = Switching::wormhole}).deadlock_free);
}

TEST(Verdict, HopsCountSwitchesAndTotalsAreExactOnASmallRing) {
  // Ring of 5, one virtual channel. For each destination: a state at each switch, four with one option and
  // one with ejection; at most 2 links. Each channel depends on the next one in its direction.
  const Verdict verdict =
      verified("torus:radix=5", "dimension-order:ring_rule=none", Switching::wormhole).verdict;
  EXPECT_EQ(verdict.max_hops, 3U);
  EXPECT_EQ(verdict.states, 5U * 5);
  EXPECT_EQ(verdict.moves, 5U * (4 + 1));
  EXPECT_EQ(verdict.dependencies, 10U);
}

/// Zero done begins a stage; every destination is done once, or all of them again.
TEST(Progress, CountsDestinationsFromZeroToAll) {
  for (const char* name : {"torus:radix=4x4", "fat-tree:k=2,n=3", "ruft:k=2,n=3"}) {
    const SampleNetwork network = make_network(name);
    const Topology& topology = network.relation->topology();
    std::vector<std::uint64_t> told;
    (void)verify(*network.relation, FaultSet(topology), {},
                 [&](std::string_view what, std::uint64_t done, std::uint64_t all) {
                   EXPECT_EQ(what, "destinations");
                   EXPECT_EQ(all, topology.terminal_count());
                   told.push_back(done);
                 });
    ASSERT_FALSE(told.empty()) << name;
    EXPECT_EQ(told.front(), 0U) << name;
    EXPECT_EQ(told.back(), topology.terminal_count()) << name;
    for (std::size_t i = 1; i < told.size(); ++i) EXPECT_TRUE(told[i] > told[i - 1] || told[i] == 0) << name;
  }
}

}  // namespace
}  // namespace faultline
