// SPDX-License-Identifier: Apache-2.0
// The event-driven engine against the cycle-driven one while channels go down and come up, and while
// relations change: every packet is delivered in the same cycle, or lost in both.
#include <gtest/gtest.h>

#include "faultline/routing/admissible.h"
#include "simulate/cut_through/model.h"
#include "simulate/faults/lossy.h"
#include "support/effort.h"
#include "support/equal_outcomes.h"
#include "support/random_cut_through.h"

namespace faultline {
namespace {

using namespace testing_support;

/// Tiers, tags, virtual channels that a packet goes through in turn, terminals with several channels.
Configuration irregular(std::uint64_t seed) {
  RandomStream random(seed, 2);
  constexpr std::array pairings{Pairing{"mikant:k=2,n=3", "one-port"},
                                Pairing{"mikant:k=2,n=3", "go-back-vc"},
                                Pairing{"mikant:k=3,n=2", "all-port"},
                                Pairing{"dragonfly:p=2,a=3,h=1", "dragonfly-minimal"},
                                Pairing{"dragonfly:p=1,a=2,h=2", "valiant"},
                                Pairing{"dragonfly:p=1,a=2,h=2", "ugal"},
                                Pairing{"mesh:radix=4x4", "valiant"},
                                Pairing{"torus:radix=4x4", "ugal"},
                                Pairing{"switch-ring:n=6", "ring-turn"},
                                Pairing{"switch-ring:n=7", "up-down"},
                                Pairing{"switch-clique:switches=5,terminals=6", "shortest-path"},
                                Pairing{"clos-tree:k=2,n=3", ""}};
  return configured(one_of(random, pairings), random, seed);
}

Configuration any_relation(std::uint64_t seed) {
  RandomStream random(seed, 3);
  Configuration configuration = random_relation(seed, random);
  if (configuration.built.relation->virtual_channels() > 1)
    configuration.spec.cut_through().buffers = Buffering::input;
  return configuration;
}

/// Terminals of a switch send packets again that find no living output.
Configuration sent_again(std::uint64_t seed) {
  RandomStream random(seed, 9);
  constexpr std::array pairings{
      Pairing{"torus:radix=3x3", "ft-drb:paths=3"}, Pairing{"mesh:radix=3x3", "ft-drb:paths=4"},
      Pairing{"hypercube:n=3", "ft-drb"}, Pairing{"fat-tree:k=2,n=2", "ft-drb:adaptive_vcs=0"}};
  return configured(one_of(random, pairings), random, seed);
}

struct Family {
  const char* name;
  Configuration (*draw)(std::uint64_t seed);
  std::uint64_t sanitized_runs = 12;

  friend void PrintTo(const Family& family, std::ostream* out) { *out << family.name; }
};

/// The relation as it is when switches know of some dead channels, or one of another ring rule.
RelationPtr changed(const Configuration& configuration, RandomStream& random) {
  const auto& [topology, relation, pattern] = configuration.built;
  if (topology->name().starts_with("torus") && random.next_below(2) == 0) {
    constexpr std::array routings{"dimension-order:ring_rule=none", "dimension-order:ring_rule=bubble",
                                  "minimal-adaptive", "direction-order"};
    const RelationPtr other = network(topology, FaultSet(*topology), one_of(random, routings)).relation;
    if (other->virtual_channels() == relation->virtual_channels() &&
        other->tag_count() == relation->tag_count())
      return other;
  }
  const std::uint32_t dead = random.next_below(4);
  return admissible_relation(relation, {.dead = random_faults(*topology, random, dead)});
}

std::vector<Rerouting> random_reroutings(const Configuration& configuration, RandomStream& random) {
  std::vector<Rerouting> reroutings;
  std::uint64_t at = random.next_below(3) == 0 ? random.next_below(2) : random.next_below(900);
  for (std::uint32_t left = 1 + random.next_below(4); left != 0; --left) {
    reroutings.push_back({at, changed(configuration, random)});
    at += 1 + random.next_below(one_of(random, std::array{2U, 50U, 1000U}));
  }
  return reroutings;
}

/// What became of the packets of all runs.
struct Fates {
  std::uint64_t delivered = 0, lost = 0, unreachable = 0, deadlocks = 0;
};

void run_both(Configuration configuration, std::uint64_t seed, Fates& fates) {
  RandomStream random(seed, 7);
  SimulationSpec& asked = configuration.spec;
  const Topology& topology = *configuration.built.topology;
  asked.faults.outages =
      random_outages(topology, one_of(random, std::array{1U, 3U, 10U}), asked.measurement.cycles, random);
  if (random.next_below(3) == 0)
    lose_injection_channels(topology, asked.measurement.cycles, random, asked.faults.outages);
  asked.faults.on_failure = one_of(random, std::array{OnFailure::complete, OnFailure::drop});
  RelationPtr relation = configuration.built.relation;
  if (random.next_below(8) == 0) {
    asked.faults.unseen = random_faults(topology, random, 2);
    relation = std::make_shared<Lossy>(*relation, *asked.faults.unseen);
  }
  if (!asked.faults.unseen && random.next_below(3) == 0) {
    asked.faults.reroutings = random_reroutings(configuration, random);
    if (random.next_below(3) == 0) asked.faults.outages.clear();
    for (const Rerouting& change : asked.faults.reroutings)
      if (!change.relation->bubble_rings().empty())
        asked.cut_through().buffer_packets = std::max(2U, asked.cut_through().buffer_packets);
  }
  const SimulationSpec spec = resolved(asked, *configuration.built.pattern);
  ASSERT_TRUE(cut_through::fits_event_driven(*relation, spec));
  const cut_through::Outcome oracle =
      cut_through::run_cycle_driven(*relation, *configuration.built.pattern, spec);
  const cut_through::Outcome ours =
      cut_through::run_event_driven(*relation, *configuration.built.pattern, spec);
  expect_equal(ours, oracle);
  fates.delivered += oracle.result.delivered;
  const auto dropped = [&](const char* reason) {
    const auto found = oracle.result.dropped.find(reason);
    return found == oracle.result.dropped.end() ? 0 : found->second;
  };
  fates.lost += dropped("link_failed");
  fates.unreachable += dropped("unreachable");
  fates.deadlocks += oracle.result.deadlock ? 1 : 0;
}

class CutThroughOutages : public testing::TestWithParam<Family> {};

TEST_P(CutThroughOutages, EventDrivenEqualsCycleDriven) {
  Fates fates;
  const std::uint64_t seeds = long_tests() ? 5'000U : effort(std::uint64_t{250}, GetParam().sanitized_runs);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Configuration configuration = GetParam().draw(seed);
    run_both(configuration, seed, fates);
    ASSERT_FALSE(HasFailure()) << configuration.name << ", outages of seed " << seed;
  }
  EXPECT_GT(fates.delivered, 20 * seeds);
  EXPECT_GT(fates.lost, seeds / 2);
  EXPECT_GT(fates.unreachable, 0U);
}

/// The event-driven engine hands packets to terminals ahead of time, also beyond the end of a run.
TEST(PacketsSentAgain, CountUpToTheEndOfARunWhereverItIs) {
  std::uint64_t most = 0;
  for (std::uint64_t seed = 0; seed < effort(std::uint64_t{60}, std::uint64_t{5}); ++seed) {
    Configuration configuration = sent_again(seed);
    RandomStream random(seed, 8);
    SimulationSpec& asked = configuration.spec;
    asked.measurement.warmup = 0;
    asked.faults.outages = random_outages(*configuration.built.topology, 3, 300, random);
    std::uint64_t before = 0;
    for (std::uint64_t cycles = 280; cycles < 300; ++cycles) {
      SCOPED_TRACE(fmt::format("{}, outages of seed {}, {} cycles", configuration.name, seed, cycles));
      asked.measurement.cycles = cycles;
      const SimulationSpec spec = resolved(asked, *configuration.built.pattern);
      const auto& [topology, relation, pattern] = configuration.built;
      const std::uint64_t ours = cut_through::run_event_driven(*relation, *pattern, spec).result.sent_again;
      EXPECT_EQ(ours, cut_through::run_cycle_driven(*relation, *pattern, spec).result.sent_again);
      EXPECT_GE(ours, before) << "fewer than in a shorter run";
      before = ours;
    }
    most = std::max(most, before);
  }
  EXPECT_GT(most, 20U);
}

INSTANTIATE_TEST_SUITE_P(, CutThroughOutages,
                         testing::Values(Family{"OneVirtualChannel", &one_virtual_channel},
                                         Family{"Grids", &grid}, Family{"WideSwitches", &wide_switches, 3},
                                         Family{"Irregular", &irregular},
                                         Family{"RandomRelations", &any_relation, 25},
                                         Family{"RelationsThatSendAgain", &sent_again, 10}),
                         [](const auto& family) { return std::string(family.param.name); });

}  // namespace
}  // namespace faultline
