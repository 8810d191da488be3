// SPDX-License-Identifier: Apache-2.0
// Every certificate that the program writes is accepted: all sample networks, both switching models, with
// various faults and knowledge of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "faultline/fault/sampler.h"
#include "faultline/topology/builder.h"
#include "support/effort.h"
#include "support/print_switching.h"
#include "support/sample_networks.h"
#include "support/weekly_seed.h"
#include "verify/examples.h"

namespace faultline {
namespace {

struct Sample {
  TopologyPtr topology;
  Description routing;
};

std::vector<Sample> samples(Switching switching) {
  std::vector<Sample> all;
  for (const TopologyKind* topology_kind : topology_kinds())
    for (const Description& description : samples_of(topology_kind->info, "topology")) {
      const TopologyPtr topology = build_topology(description);
      for (const RoutingKind* kind : routing_kinds())
        for (const Description& routing : samples_of(kind->info, "routing"))
          if (if_it_fits([&] { return build_healthy_relation(topology, routing, switching); }))
            all.push_back({topology, routing});
    }
  return thinned(std::move(all), 64);
}

FaultSet drawn(const Topology& topology, std::uint32_t faults, std::uint64_t seed) {
  FaultSet dead(topology);
  const FaultSampler sampler(topology.channel_count(), seed);
  for (const std::uint32_t channel : sampler.draw(faults, seed)) dead.fail(ChannelId(channel));
  return dead;
}

/// The same for a selection function that commits each packet to one option.
void expect_certified_if_packets_commit(Example example, Switching switching) {
  example.verdict =
      verify(*example.relation, example.damage.dead,
             {.switching = switching, .source = example.damage.source, .selection_commits = true});
  if (example.verdict.method == DeadlockMethod::unproved) return;
  EXPECT_EQ(rejection(certificate_text(example.offered, example.damage, example.verdict,
                                       {.switching = switching, .selection_commits = true})),
            "")
      << example.relation->topology().name() << ", packets that commit, "
      << to_string(example.verdict.method);
}

TEST(Committing, ABubbleIsProvedAndCertified) {
  for (const char* topology : {"torus:radix=4x4", "torus:radix=5x3", "torus:radix=6"}) {
    Example example = verified(topology, "dimension-order", Switching::cut_through);
    ASSERT_EQ(example.verdict.method, DeadlockMethod::bubble);
    expect_certified_if_packets_commit(example, Switching::cut_through);
    example.verdict = verify(*example.relation, example.damage.dead,
                             {.switching = Switching::cut_through, .selection_commits = true});
    EXPECT_EQ(example.verdict.method, DeadlockMethod::bubble);
  }
}

/// Names come from paths and programs; a line of a certificate holds words with single spaces between them.
TEST(Certificate, OfANetworkWithAnyNameIsAccepted) {
  for (const std::string name :
       {"", " ", "-", "a\nb", "a\r\nb", " a", "a ", "a  b", "a\tb", "\x1b[1m", "\xff"}) {
    TopologyBuilder builder;
    const SwitchId a = builder.add_switch({}), b = builder.add_switch({});
    builder.connect_both({a, 0}, {b, 0});
    for (const SwitchId at : {a, b}) builder.attach(builder.add_terminal(), {at, 1});
    const auto topology = std::make_shared<const Topology>(std::move(builder).build(name, "up-down"));
    const Example example = verified_on(topology, FaultSet(*topology), "up-down", Switching::cut_through);
    const std::string certificate =
        certificate_text(example.offered, example.damage, example.verdict, {.routing = name});
    EXPECT_EQ(rejection(certificate), "") << testing::PrintToString(name);
  }
}

/// What an escape channel, or ring, of another option proves of packets that ask for all of them it does not
/// of others.
TEST(Committing, AnEscapeOfAnotherOptionIsNoProof) {
  const Example ring = verified("torus:radix=4x4", "duato", Switching::cut_through);
  ASSERT_EQ(ring.verdict.method, DeadlockMethod::bubble);
  EXPECT_THAT(rejection(certificate_text(ring.offered, ring.damage, ring.verdict,
                                         {.switching = Switching::cut_through, .selection_commits = true})),
              testing::HasSubstr("may commit to an option that is of no lower rank"));
  const Example example = verified("mesh:radix=3x3", "duato", Switching::cut_through);
  ASSERT_EQ(example.verdict.method, DeadlockMethod::escape);
  EXPECT_THAT(rejection(certificate_text(example.offered, example.damage, example.verdict,
                                         {.switching = Switching::cut_through, .selection_commits = true})),
              testing::HasSubstr("may commit to an option that is of no lower rank"));
}

class Matrix : public testing::TestWithParam<Switching> {};

TEST_P(Matrix, EveryCertificateIsAccepted) {
  const std::vector<Sample> all = samples(GetParam());
  const std::uint64_t seed = weekly_seed(), week = seed / 10'000;  // half of the cases in each
  constexpr std::array knowledges{Knowledge::none(), Knowledge::neighbours(), Knowledge::within(2),
                                  Knowledge::all()};
  constexpr std::array roles{SourceRole::any, SourceRole::plan};  // in turns, or both
  std::size_t sample_number = 0, written = 0, unproved = 0;
  for (const Sample& sample : all) {
    ++sample_number;
    for (std::uint32_t faults = 0; faults <= 3; ++faults)
      for (std::size_t number = 0; number < knowledges.size(); ++number)
        for (const SourceRole role : roles) {
          if (!long_tests() && role != roles[(faults + number) % 2]) continue;
          const bool is_due = (number / 2 + faults / 2 + sample_number + week) % 2 == 0;
          if (!long_tests() && !is_due) continue;
          const Knowledge knowledge = knowledges[number];
          const Damage damage{drawn(*sample.topology, faults, seed + written), knowledge, role};
          const Example example = verified_under(sample.topology, damage, sample.routing, GetParam());
          ++(example.verdict.method == DeadlockMethod::unproved ? unproved : written);
          if (example.verdict.method == DeadlockMethod::unproved) continue;
          EXPECT_EQ(rejection(certificate_of(example, GetParam())), "")
              << sample.topology->name() << " " << to_compact(sample.routing) << ", " << faults
              << " faults, knowledge " << to_string(knowledge) << ", source " << to_string(role)
              << ", FAULTLINE_ORACLE_SEED=" << seed;
          if (written % 4 == 0) expect_certified_if_packets_commit(example, GetParam());
        }
  }
  EXPECT_GT(written, effort(1000U, 20U));
  RecordProperty("written", static_cast<int>(written));
  RecordProperty("unproved", static_cast<int>(unproved));
}

INSTANTIATE_TEST_SUITE_P(Switchings, Matrix, testing::Values(Switching::wormhole, Switching::cut_through));

}  // namespace
}  // namespace faultline
