// SPDX-License-Identifier: Apache-2.0
// The simulators as counter-oracles: what is proved never deadlocks under overload, and a deadlock that is
// shown does occur.
#include "faultline/simulate/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "faultline/fault/components.h"
#include "faultline/fault/sampler.h"
#include "support/effort.h"
#include "support/print_switching.h"
#include "support/simulate_support.h"
#include "support/temporary_folder.h"
#include "verify/examples.h"

namespace faultline {
namespace {

/// Each source of a deadlock's packets sends to their destinations in turn, by chance; the others are silent.
class PacketsOf final : public TrafficPattern {
 public:
  explicit PacketsOf(const std::vector<WaitingPacket>& deadlock) {
    for (const auto& [source, destination] : packets_of(deadlock))
      destinations_[source].push_back(destination);
  }
  [[nodiscard]] TerminalId destination(TerminalId source, std::uint64_t random) const override {
    const auto& choices = destinations_.at(source);
    return choices[random % choices.size()];
  }
  [[nodiscard]] bool silent(TerminalId source) const override { return !destinations_.contains(source); }

 private:
  std::map<TerminalId, std::vector<TerminalId>> destinations_;
};

SimulationSpec overload(Switching switching, std::uint64_t seed) {
  SimulationSpec spec;
  spec.injection.load = 1.0;
  spec.switches = switches_of(switching, {}, {.buffer_flits = 8});
  spec.injection.packet_flits = 8;
  spec.measurement.cycles = 10'000;
  spec.measurement.warmup = 0;
  spec.seed = seed;
  return spec;
}

struct Question {
  std::string_view topology, routing;
  Switching switching;

  friend void PrintTo(const Question& question, std::ostream* out) {
    *out << question.topology << ' ' << question.routing << ' ' << testing::PrintToString(question.switching);
  }
};

class Proved : public testing::TestWithParam<Question> {};

TEST_P(Proved, NeverDeadlocksUnderOverload) {
  const auto& [topology, routing, switching] = GetParam();
  const Example example = verified(topology, routing, switching);
  ASSERT_TRUE(example.verdict.deadlock_free);
  const PatternPtr uniform =
      build_pattern(example.relation->topology(), 1, parse_compact("traffic", "uniform"));
  for (std::uint64_t seed = 1; seed <= effort(3U, 1U); ++seed) {
    const SimulationResult result = simulate(*example.relation, *uniform, overload(switching, seed));
    EXPECT_FALSE(result.deadlock) << "seed " << seed;
    EXPECT_GT(result.delivered, 1000U) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Overload, Proved,
    testing::Values(Question{"mesh:radix=4x4", "dimension-order", Switching::wormhole},
                    Question{"mesh:radix=8x8", "duato", Switching::wormhole},
                    Question{"torus:radix=4x4", "duato", Switching::wormhole},
                    Question{"torus:radix=4x4", "dimension-order", Switching::cut_through},
                    Question{"torus:radix=4x4", "duato", Switching::cut_through},
                    Question{"torus:radix=5x4", "dimension-order", Switching::wormhole},
                    Question{"torus:radix=8", "direction-order", Switching::wormhole},
                    Question{"torus:radix=4x4", "up-down", Switching::wormhole},
                    Question{"mesh:radix=4x4", "dimension-order", Switching::cut_through},
                    Question{"torus:radix=4x4", "up-down", Switching::cut_through},
                    Question{"fat-tree:k=2,n=3", "fta", Switching::cut_through}));

class Refuted : public testing::TestWithParam<Question> {};

TEST_P(Refuted, DeadlocksWhenThosePacketsAreInjected) {
  const auto& [topology, routing, switching] = GetParam();
  const Example example = verified(topology, routing, switching);
  ASSERT_EQ(example.verdict.method, DeadlockMethod::deadlock);
  const PacketsOf pattern(example.verdict.deadlock);
  const SimulationResult result = simulate(*example.relation, pattern, overload(switching, 1));
  EXPECT_TRUE(result.deadlock);
}

INSTANTIATE_TEST_SUITE_P(
    Witness, Refuted,
    testing::Values(Question{"torus:radix=5x4", "dimension-order:ring_rule=none", Switching::wormhole},
                    Question{"torus:radix=5x4", "dimension-order:ring_rule=none", Switching::cut_through},
                    Question{"torus:radix=5", "shortest-path", Switching::wormhole},
                    Question{"torus:radix=5", "shortest-path", Switching::cut_through},
                    Question{"torus:radix=4x4", "minimal-adaptive", Switching::wormhole},
                    Question{"torus:radix=4x4", "minimal-adaptive", Switching::cut_through},
                    Question{"mesh:radix=4x4", "minimal-adaptive", Switching::wormhole},
                    Question{"mesh:radix=4x4", "minimal-adaptive", Switching::cut_through}));

/// Those of packets that commit to one option each, which draw it: the packets need luck as well.
TEST(Refuted, DeadlocksWhenItsPacketsCommit) {
  for (const std::string_view topology : {"mesh:radix=4x4", "hypercube:n=3"})
    for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
      const Example example = verified(topology, "duato", switching);
      const FaultSet none(example.relation->topology());
      const Verdict verdict =
          verify(*example.relation, none, {.switching = switching, .selection_commits = true});
      ASSERT_EQ(verdict.method, DeadlockMethod::deadlock);
      const PacketsOf pattern(verdict.deadlock);
      SimulationSpec spec = overload(switching, 1);
      EXPECT_FALSE(simulate(*example.relation, pattern, spec).deadlock);
      spec.selection = testing_support::selection("random");
      bool deadlocks = false;
      for (spec.seed = 1; spec.seed <= 10 && !deadlocks; ++spec.seed)
        deadlocks = simulate(*example.relation, pattern, spec).deadlock;
      EXPECT_TRUE(deadlocks) << topology;
    }
}

/// Three switches in a ring; every packet takes two hops clockwise, and asks for the other way as well, which
/// is dead without anybody knowing: a packet that waits leaves that way, and is lost.
constexpr std::string_view ring_with_dead_options =
    "faultline-relation 1\nnetwork -\nswitches 3\nterminals 3\nvirtual-channels 1\ntags 1\nreads tag\n"
    "channels 12\nn 0 1\nn 1 2\nn 2 0\nn 1 0\nn 2 1\nn 0 2\ni 0 0\ni 1 1\ni 2 2\ne 0 0\ne 1 1\ne 2 2\n"
    "destination 0\nfrom 1 7\nfrom 2 8\ns 1 0 1\ns 2 0 2 4\ns 0 0 9\n"
    "destination 1\nfrom 0 6\nfrom 2 8\ns 2 0 2\ns 0 0 0 5\ns 1 0 10\n"
    "destination 2\nfrom 0 6\nfrom 1 7\ns 0 0 0\ns 1 0 1 3\ns 2 0 11\nend\n";

TEST(LostPackets, ReleaseTheirBuffersInsteadOfWaiting) {
  const TemporaryFolder folder;
  const std::string file = folder.file("ring.relation", std::string(ring_with_dead_options));
  const TopologyPtr topology = build_topology(parse_compact("topology", "relation:file=" + file));
  const Description routing = parse_compact("routing", "relation:file=" + file);
  Damage damage{FaultSet(*topology), Knowledge::none()};
  for (const std::uint32_t channel : {3U, 4U, 5U}) damage.dead.fail(ChannelId(channel));
  for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
    Example example = verified_under(topology, damage, routing, switching);
    EXPECT_EQ(example.verdict.method, DeadlockMethod::unproved) << "no proof relies on losses";
    SimulationSpec spec = overload(switching, 1);
    spec.faults.unseen = damage.dead;
    EXPECT_FALSE(
        simulate(*example.relation, *build_pattern(*topology, 1, parse_compact("traffic", "uniform")), spec)
            .deadlock);
    // A packet that commits to the clockwise channel waits for ever: that is a deadlock, of such packets
    // alone.
    example.verdict =
        verify(*example.relation, damage.dead, {.switching = switching, .selection_commits = true});
    ASSERT_EQ(example.verdict.method, DeadlockMethod::deadlock);
    std::string text = certificate_text(example.offered, example.damage, example.verdict,
                                        {.switching = switching, .selection_commits = true});
    EXPECT_EQ(rejection(text), "");
    text.replace(text.find("selection commits"), 17, "selection asks-all");
    EXPECT_THAT(rejection(text), testing::HasSubstr("may be lost on a dead channel"));
  }
}

// ---- a selection function that always takes the first option

constexpr VerifySpec first_of(Switching switching) {
  return {.switching = switching, .selection_commits = true, .takes_first = true};
}

/// The first option of a minimal path is along the first dimension.
TEST(FirstOption, OfAMeshIsThatOfDimensionOrder) {
  for (const std::string_view topology : {"mesh:radix=4x4", "mesh:radix=3x2x2", "hypercube:n=4"}) {
    const Example adaptive = verified(topology, "minimal-adaptive", Switching::cut_through);
    const Example ordered = verified(topology, "dimension-order", Switching::cut_through);
    const FaultSet none(adaptive.relation->topology());
    const Verdict first = verify(*adaptive.relation, none, first_of(Switching::cut_through));
    EXPECT_TRUE(first.deadlock_free);
    EXPECT_EQ(first.states, ordered.verdict.states);
    EXPECT_EQ(first.moves, ordered.verdict.moves);
    EXPECT_EQ(first.dependencies, ordered.verdict.dependencies);
  }
}

TEST(FirstOption, IsCertifiedHoweverFarSwitchesSee) {
  std::size_t certified = 0;
  for (const std::string_view name : {"mesh:radix=3x3", "torus:radix=3x3", "hypercube:n=3"})
    for (const std::string_view routing : {"duato", "minimal-adaptive"})
      for (const Knowledge knowledge : {Knowledge::none(), Knowledge::neighbours(), Knowledge::within(2),
                                        Knowledge::within(3), Knowledge::all()})
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
          const TopologyPtr topology = build_topology(parse_compact("topology", name));
          const FaultComponents links(topology, FaultUnit::link, FaultScope::network);
          const Damage damage{links.fault_set(FaultSampler(links.count(), seed).draw(2, 0)), knowledge,
                              seed % 2 == 0 ? SourceRole::any : SourceRole::plan};
          const auto asked = parse_compact("routing", routing);
          const RelationPtr relation =
              build_relation(topology, damage, asked, Switching::cut_through, SourceOffers::every_start);
          VerifySpec spec = first_of(Switching::cut_through);
          spec.source = damage.source;
          const Verdict verdict = verify(*relation, damage.dead, spec);
          if (verdict.method == DeadlockMethod::unproved) continue;
          const OfferedRelation offered =
              build_offered_relation(topology, damage, asked, Switching::cut_through);
          EXPECT_EQ(
              rejection(certificate_text(
                  offered.relation, offered.damage, verdict,
                  {.switching = Switching::cut_through, .selection_commits = true, .takes_first = true})),
              "")
              << name << ' ' << routing << ", knowledge " << to_string(knowledge) << ", seed " << seed;
          ++certified;
        }
  EXPECT_GT(certified, 100U);
}

TEST(FirstOption, DeadlocksOrNotAsIsShown) {
  int proved = 0, refuted = 0;
  for (const std::string_view topology : {"mesh:radix=4x4", "torus:radix=4x4", "torus:radix=5x4",
                                          "hypercube:n=3", "switch-ring:n=6", "mikant:k=2,n=3"})
    for (const std::string_view routing : {"minimal-adaptive", "shortest-path", "duato"})
      for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
        if (!topology.starts_with("mesh") && !topology.starts_with("torus") &&
            !topology.starts_with("hyper") && routing != "shortest-path")
          continue;
        SCOPED_TRACE(std::string(topology) + ' ' + std::string(routing));
        const Example example = verified(topology, routing, switching);
        const FaultSet none(example.relation->topology());
        const Verdict verdict = verify(*example.relation, none, first_of(switching));
        EXPECT_EQ(rejection(certificate_text(
                      example.offered, example.damage, verdict,
                      {.switching = switching, .selection_commits = true, .takes_first = true})),
                  "");
        const PatternPtr uniform =
            build_pattern(example.relation->topology(), 1, parse_compact("traffic", "uniform"));
        SimulationSpec spec = overload(switching, 1);
        spec.selection = testing_support::selection("first");
        if (verdict.deadlock_free) {
          EXPECT_FALSE(simulate(*example.relation, *uniform, spec).deadlock);
          ++proved;
        } else if (verdict.method == DeadlockMethod::deadlock) {
          EXPECT_TRUE(simulate(*example.relation, PacketsOf(verdict.deadlock), spec).deadlock);
          ++refuted;
        } else {
          ADD_FAILURE() << "neither proved nor refuted";
        }
      }
  EXPECT_GT(proved, 10);
  EXPECT_GT(refuted, 5);
}

}  // namespace
}  // namespace faultline
