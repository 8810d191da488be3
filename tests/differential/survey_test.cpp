// SPDX-License-Identifier: Apache-2.0
// Destinations that are routed alike are not enumerated again, and several threads share them: the verdict is
// that of enumerating each, one after the other.
#include <gtest/gtest.h>

#include "faultline/verify/verify.h"
#include "support/sample_networks.h"

namespace faultline {
namespace {

/// Says what another relation says, but nothing that would let destinations be compared.
class Plain final : public RoutingRelation {
 public:
  explicit Plain(RelationPtr base) : RoutingRelation(base->shared_topology()), base_(std::move(base)) {}
  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    base_->inject(source, destination, options);
  }
  void route(const RouteState& state, RouteOptions& options) const override { base_->route(state, options); }
  [[nodiscard]] std::uint64_t tag_count() const override { return base_->tag_count(); }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return base_->virtual_channels(); }
  [[nodiscard]] bool reads_held_channel() const override { return base_->reads_held_channel(); }
  [[nodiscard]] std::vector<BubbleRing> bubble_rings() const override { return base_->bubble_rings(); }
  [[nodiscard]] bool is_escape(const RouteState& state, const RouteOption& option,
                               std::uint8_t vc) const override {
    return base_->is_escape(state, option, vc);
  }
  [[nodiscard]] bool relies_on_escape() const override { return base_->relies_on_escape(); }

 private:
  RelationPtr base_;
};

void expect_equal(const Verdict& a, const Verdict& b, const std::string& what) {
  EXPECT_EQ(a.pairs, b.pairs) << what;
  EXPECT_EQ(a.unreachable, b.unreachable) << what;
  EXPECT_EQ(a.unreachable_pairs, b.unreachable_pairs) << what;
  EXPECT_EQ(a.max_hops, b.max_hops) << what;
  EXPECT_EQ(a.endless_walk, b.endless_walk) << what;
  EXPECT_EQ(a.method, b.method) << what;
  EXPECT_EQ(a.ranks, b.ranks) << what;
  EXPECT_EQ(a.states, b.states) << what;
  EXPECT_EQ(a.moves, b.moves) << what;
  EXPECT_EQ(a.dependencies, b.dependencies) << what;
}

TEST(Survey, ComparedDestinationsAndThreadsChangeNothing) {
  for (const SampleNetwork& network : sample_networks()) {
    const FaultSet none(network.relation->topology());
    FaultSet one = none;
    one.fail(ChannelId(0));
    for (const FaultSet& dead : {none, one}) {
      const Verdict plain = verify(Plain(network.relation), dead, {});
      for (const std::uint32_t threads : {1U, 3U})
        expect_equal(verify(*network.relation, dead, {.threads = threads}), plain, network.name);
    }
  }
}

/// Where nothing is dead, switches that know all are taken to have nothing to rule out.
TEST(Survey, WhatAlwaysProgressesServesEveryPairWithinABound) {
  int held_to_it = 0;
  for (const SampleNetwork& network : sample_networks()) {
    if (!network.relation->always_progresses()) continue;
    const Verdict verdict = verify(*network.relation, FaultSet(network.relation->topology()), {});
    EXPECT_EQ(verdict.pairs[PairClass::served], verdict.pairs.total()) << network.name;
    EXPECT_TRUE(verdict.livelock_free()) << network.name;
    ++held_to_it;
  }
  EXPECT_GT(held_to_it, 20);
}

}  // namespace
}  // namespace faultline
