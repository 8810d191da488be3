// SPDX-License-Identifier: Apache-2.0
// Destinations that automorphisms map onto each other are enumerated once, but never if the relation does not
// follow them: an answer that differs at one switch for one destination is found.
#include <gtest/gtest.h>

#include "faultline/base/random.h"
#include "faultline/routing/destination_orbits.h"
#include "faultline/verify/verify.h"
#include "support/effort.h"
#include "support/equal_verdicts.h"
#include "support/plain_relation.h"
#include "support/sample_networks.h"
#include "support/topology_named.h"

namespace faultline {
namespace {

TEST(Automorphisms, OfEachKindCarryADestinationToAllOthers) {
  const auto words = [](const std::string& text) { return DestinationOrbits(*topology_named(text)).words(); };
  EXPECT_EQ(words("fat-tree:k=4,n=3"), 64U);
  EXPECT_EQ(words("fat-tree:k=3,n=2"), 9U);
  EXPECT_EQ(words("ruft:k=3,n=3"), 27U);
  EXPECT_EQ(words("ruft-pl:k=4,n=2"), 16U);
  EXPECT_EQ(words("ft-ruft-222:k=4,n=3"), 64U);
  EXPECT_EQ(words("ft-ruft-212:k=4,n=2"), 16U);
  EXPECT_EQ(words("torus:radix=2x3x5"), 30U);
  EXPECT_EQ(words("torus:radix=3x4,terminals_per_switch=2"), 24U);
  EXPECT_EQ(words("hypercube:n=5"), 32U);
  EXPECT_EQ(words("mesh:radix=3x4,terminals_per_switch=3"), 3U);  // the terminals of a switch
  EXPECT_EQ(words("mesh:radix=2x3x2"), 4U);
  EXPECT_EQ(words("mesh:radix=3x4"), 1U);
}

/// Automorphisms of one network are none of another, and an exchange of two channels is none.
TEST(Automorphisms, AreConfirmedChannelByChannel) {
  const TopologyPtr tree = topology_named("fat-tree:k=2,n=3");
  std::vector<Automorphism> all = tree->automorphisms();
  ASSERT_EQ(all.size(), 3U);
  for (Automorphism& one : all) {
    EXPECT_TRUE(is_automorphism(*tree, one));
    EXPECT_FALSE(is_automorphism(*topology_named("fat-tree:k=2,n=2"), one));
    std::swap(one.channels[0], one.channels[1]);
    EXPECT_FALSE(is_automorphism(*tree, one));
    one.channels[0] = one.channels[1];
    EXPECT_FALSE(is_automorphism(*tree, one));
  }
}

bool all_follow(const RoutingRelation& relation) {
  const DestinationOrbits orbits(relation.topology());
  for (const TerminalId first : orbits.representatives(relation.topology()))
    if (!follows(relation, orbits, orbits.members(first), 2, nullptr)) return false;
  return orbits.words() > 1;
}

TEST(Orbits, AreFollowedByTheRoutingsThatTreatAllDestinationsAlike) {
  for (const auto& [topology, routing] :
       std::vector<std::pair<std::string, std::string>>{{"fat-tree:k=4,n=3", "fta"},
                                                        {"fat-tree:k=4,n=3", "nca"},
                                                        {"ft-ruft-222:k=4,n=3", "ruft"},
                                                        {"ft-ruft-212:k=4,n=2", "ruft"}})
    EXPECT_TRUE(all_follow(*make_network(topology, routing).relation)) << topology << ' ' << routing;
}

/// The relation with one option less at one switch for one destination.
class OneAnswerLess final : public RoutingRelation {
 public:
  OneAnswerLess(RelationPtr base, SwitchId at, TerminalId destination)
      : RoutingRelation(base->shared_topology()),
        base_(std::move(base)),
        at_(at),
        destination_(destination) {}
  [[nodiscard]] std::uint32_t injection_vcs() const override { return 1; }
  [[nodiscard]] bool offers_output_bits() const override { return true; }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return base_->virtual_channels(); }
  [[nodiscard]] std::uint64_t output_bits(SwitchId at, TerminalId destination) const override {
    const std::uint64_t bits = base_->output_bits(at, destination);
    return at == at_ && destination == destination_ ? bits & (bits - 1) : bits;
  }
  void route(const RouteState& state, RouteOptions& options) const override {
    const std::uint32_t vcs = virtual_channels();
    for (std::uint64_t rest = output_bits(state.at, state.destination); rest != 0; rest &= rest - 1) {
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(rest));
      options.push_back({.channel = topology().outputs(state.at)[bit / vcs], .vcs = 1U << bit % vcs});
    }
  }

 private:
  RelationPtr base_;
  SwitchId at_;
  TerminalId destination_;
};

/// What differs is found, and the verdict is that of enumerating every destination.
void expect_found(const RelationPtr& base, RandomStream& random) {
  const Topology& topology = base->topology();
  const SwitchId at(random.next_below(static_cast<std::uint32_t>(topology.switch_count())));
  const TerminalId destination(random.next_below(static_cast<std::uint32_t>(topology.terminal_count())));
  if (base->output_bits(at, destination) == 0) return;
  const auto changed = std::make_shared<const OneAnswerLess>(base, at, destination);
  EXPECT_FALSE(all_follow(*changed)) << topology.name() << ' ' << topology.name(at);
  const FaultSet none(topology);
  expect_equal(verify(*changed, none, {.threads = 2}), verify(Plain(changed), none, {}), topology.name());
}

TEST(Orbits, OneAnswerThatDiffersIsFound) {
  RandomStream random(8, 0);
  for (const char* topology : {"fat-tree:k=3,n=3", "ft-ruft-212:k=4,n=2", "ruft:k=3,n=3"}) {
    const RelationPtr base = make_network(topology).relation;
    ASSERT_TRUE(all_follow(*base)) << topology;
    for (int i = 0; i < effort(40, 8); ++i) expect_found(base, random);
  }
}

/// A change to one orbit does not affect the others.
TEST(Orbits, AreJudgedOneByOneWhereThereAreSeveral) {
  RandomStream random(9, 0);
  for (const char* topology :
       {"mesh:radix=3x4,terminals_per_switch=3", "mesh:radix=2x5,terminals_per_switch=2"}) {
    const auto base =
        std::make_shared<const ByOutputBits>(make_network(topology, "dimension-order").relation);
    ASSERT_TRUE(all_follow(*base)) << topology;
    const DestinationOrbits orbits(base->topology());
    EXPECT_GT(orbits.representatives(base->topology()).size(), 1U);
    const FaultSet none(base->topology());
    expect_equal(verify(*base, none, {}), verify(Plain(base), none, {}), topology);
    for (int i = 0; i < effort(40, 8); ++i) expect_found(base, random);
  }
}

}  // namespace
}  // namespace faultline
