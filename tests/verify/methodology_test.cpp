// SPDX-License-Identifier: Apache-2.0
// The methodology's routing under known faults: free of deadlock, and connected where its search says so,
// each with a certificate that the checker accepts.
#include <gtest/gtest.h>

#include "faultline/fault/components.h"
#include "faultline/fault/sampler.h"
#include "support/effort.h"
#include "verify/examples.h"

namespace faultline {
namespace {

class KnownFaults {
 public:
  KnownFaults(const std::string& topology, std::string routing)
      : topology_(build_topology(parse_compact("topology", topology))),
        components_(topology_, FaultUnit::link, FaultScope::network),
        routing_(std::move(routing)),
        search_(build_relation(topology_, FaultSet(*topology_), parse_compact("routing", routing_))
                    ->plan_search({})) {}

  [[nodiscard]] std::uint32_t components() const { return static_cast<std::uint32_t>(components_.count()); }

  /// True where every pair is served.
  bool expect_proved(const std::vector<std::uint32_t>& set) {
    std::vector<ChannelId> dead;
    for (const std::uint32_t component : set)
      dead.insert(dead.end(), components_.channels(component).begin(), components_.channels(component).end());
    const std::uint64_t lost = search_->evaluate(dead).pairs;
    const Example example =
        verified_on(topology_, components_.fault_set(set), routing_, Switching::cut_through);
    EXPECT_TRUE(example.verdict.deadlock_free);
    EXPECT_TRUE(example.verdict.livelock_free());
    EXPECT_EQ(example.verdict.unreachable_pairs, lost);
    EXPECT_EQ(rejection(certificate_of(example, Switching::cut_through)), "");
    return lost == 0;
  }

 private:
  TopologyPtr topology_;
  FaultComponents components_;
  std::string routing_;
  std::unique_ptr<PlanSearch> search_;
};

/// Every set of up to 2 links in full; here every single one of the links at switch 0, and some pairs.
TEST(Methodology, IsProvedForAllSetsOfUpToTwoLinks) {
  KnownFaults torus("torus:radix=4x4x4", "methodology");
  std::uint64_t pairs = 0;
  for (std::uint32_t a = 0; a < torus.components(); ++a) {
    if (!long_tests() && a % 48 != 1) continue;
    EXPECT_TRUE(torus.expect_proved({a}));
    for (std::uint32_t b = a + 1; b < torus.components(); ++b) {
      if (!long_tests() && b % effort(24U, 48U) != 0) continue;
      EXPECT_TRUE(torus.expect_proved({a, b}));
      if (testing::Test::HasFailure()) FAIL() << a << " " << b;
      ++pairs;
    }
  }
  EXPECT_GT(pairs, effort(10U, 5U));
}

TEST(SlowMethodology, IsProvedForRandomToleratedSetsOf8x8x8) {
  KnownFaults torus("torus:radix=8x8x8", "methodology");
  const std::uint64_t wanted = long_tests() ? 1000 : 1;
  std::uint64_t tolerated = 0;
  for (std::uint64_t number = 0; tolerated < wanted; ++number) {
    const auto faults = static_cast<std::uint32_t>(10 - number % 10);
    tolerated += torus.expect_proved(FaultSampler(torus.components(), 5).draw(faults, number)) ? 1 : 0;
    if (testing::Test::HasFailure()) FAIL() << number;
  }
}

TEST(Methodology, IsProvedOnOtherGridsAndByRegisters) {
  for (const char* topology : {"mesh:radix=4x3x2", "torus:radix=5x4", "hypercube:n=4"})
    for (const char* routing : {"ft-fir", "methodology:ties=leg,mechanisms=im,adaptive_vcs=2"}) {
      SCOPED_TRACE(std::string(topology) + " " + routing);
      KnownFaults grid(topology, routing);
      for (std::uint64_t number = 0; number < 12; ++number)
        (void)grid.expect_proved(
            FaultSampler(grid.components(), 3).draw(static_cast<std::uint32_t>(1 + number % 4), number));
    }
}

/// What the proof depends on: without the bubble, or with one escape channel for both legs, it must fail.
class OneEscape final : public RoutingRelation {
 public:
  explicit OneEscape(RelationPtr base) : RoutingRelation(base->shared_topology()), base_(std::move(base)) {}
  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    base_->inject(source, destination, options);
  }
  void route(const RouteState& state, RouteOptions& options) const override {
    base_->route(state, options);
    for (RouteOption& option : options)
      if ((option.vcs & 3U) == 2U && topology().role(option.channel) == ChannelRole::network)
        option.vcs ^= 3U;  // E0 instead of E1
  }
  [[nodiscard]] std::uint64_t tag_count() const override { return base_->tag_count(); }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return base_->virtual_channels(); }
  [[nodiscard]] std::vector<BubbleRing> bubble_rings() const override { return base_->bubble_rings(); }
  [[nodiscard]] bool is_escape(const RouteState& state, const RouteOption& option,
                               std::uint8_t vc) const override {
    return base_->is_escape(state, option, vc);
  }
  [[nodiscard]] bool relies_on_escape() const override { return true; }

 private:
  RelationPtr base_;
};

TEST(Methodology, NeedsAnEscapeChannelForEachLeg) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "torus:radix=4x4"));
  const FaultComponents links(topology, FaultUnit::link, FaultScope::network);
  const FaultSet dead = links.fault_set(FaultSampler(links.count(), 2).draw(4, 0));
  const auto with_both = build_relation(topology, dead, parse_compact("routing", "methodology"));
  EXPECT_TRUE(verify(*with_both, dead, {}).deadlock_free);
  EXPECT_FALSE(verify(OneEscape(with_both), dead, {}).deadlock_free);
}

}  // namespace
}  // namespace faultline
