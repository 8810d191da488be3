// SPDX-License-Identifier: Apache-2.0
// What a relation says that it offers on every injection channel, against its list of options.
#include <gtest/gtest.h>

#include "faultline/fault/components.h"
#include "faultline/fault/sampler.h"
#include "faultline/routing/admissible.h"
#include "support/simulate_support.h"

namespace faultline {
namespace {

RouteOptions options_of(const RoutingRelation& relation, TerminalId source, TerminalId destination) {
  RouteOptions options;
  relation.inject(source, destination, options);
  return options;
}

RouteOptions options_of(const Topology& topology, TerminalId source, const InjectionOffer& offer) {
  RouteOptions options;
  for (const ChannelId channel : topology.injection(source))
    options.push_back({.channel = channel, .vcs = offer.vcs, .tag = offer.tag});
  return options;
}

/// visit(source, destination) for all pairs of different terminals.
template <class Visit>
void for_each_pair(const Topology& topology, Visit visit) {
  for (const TerminalId source : topology.terminals())
    for (const TerminalId destination : topology.terminals())
      if (source != destination) visit(source, destination);
}

FaultSet drawn_faults(const TopologyPtr& topology, FaultUnit unit, FaultScope scope, std::uint32_t count,
                      std::uint64_t seed) {
  const FaultComponents components(topology, unit, scope);
  return components.fault_set(FaultSampler(components.count(), seed).draw(count, 0));
}

using Case = std::pair<std::string_view, std::string_view>;
class InjectionOfferOf : public testing::TestWithParam<Case> {};

/// It is known exactly where nothing is ruled out; the channels of terminals fail as well.
TEST_P(InjectionOfferOf, IsAllOfTheOptionsWhereNoneIsRuledOut) {
  const auto [topology, base, pattern] = testing_support::network(GetParam().first, GetParam().second);
  std::size_t narrowed = 0, known = 0;
  for (const FaultUnit unit : {FaultUnit::channel, FaultUnit::switch_})
    for (std::uint32_t seed = 0; seed < 8; ++seed) {
      const FaultSet dead = drawn_faults(topology, unit, FaultScope::all, 1 + seed % 4, seed);
      for (const Knowledge knowledge : {Knowledge::all(), Knowledge::neighbours(), Knowledge::none()}) {
        const RelationPtr relation = admissible_relation(base, {dead, knowledge});
        for_each_pair(*topology, [&](TerminalId source, TerminalId destination) {
          const RouteOptions options = options_of(*relation, source, destination);
          const InjectionOffer offer = relation->injection_offer(source, destination);
          const bool is_whole = options == options_of(*base, source, destination);
          ASSERT_EQ(offer.vcs != 0, is_whole)
              << topology->name(source) << " to " << topology->name(destination) << ", seed " << seed;
          if (is_whole) {
            ASSERT_EQ(options_of(*topology, source, offer), options);
          }
          ++(is_whole ? known : narrowed);
        });
      }
    }
  EXPECT_GT(known, 0U);
  EXPECT_GT(narrowed, 0U);
}

INSTANTIATE_TEST_SUITE_P(Relations, InjectionOfferOf,
                         testing::Values(Case{"fat-tree:k=2,n=3", "destro"},
                                         Case{"fat-tree:k=4,n=2", "nca-adaptive"},
                                         Case{"ft-ruft-222:k=2,n=3", ""}, Case{"ft-ruft-212:k=4,n=2", ""},
                                         Case{"ruft-pl:k=4,n=2", ""}, Case{"torus:radix=4x5", "duato"},
                                         Case{"hypercube:n=4", "dimension-order"}));

/// Sources that plan around dead links put the plan into the tag, and have none for a terminal whose channel
/// is dead.
TEST(InjectionOffers, CarryThePlansOfSources) {
  const auto topology = build_topology(parse_compact("topology", "torus:radix=4x4"));
  std::size_t tagged = 0, cut_off = 0;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const FaultSet dead =
        drawn_faults(topology, FaultUnit::link, seed % 2 ? FaultScope::network : FaultScope::all, 5, seed);
    const RelationPtr relation = build_relation(
        topology, Damage{dead, Knowledge::none(), SourceRole::plan},
        routing_or_default(parse_compact("routing", "methodology"), *topology), Switching::cut_through);
    for_each_pair(*topology, [&](TerminalId source, TerminalId destination) {
      const RouteOptions options = options_of(*relation, source, destination);
      const InjectionOffer offer = relation->injection_offer(source, destination);
      ASSERT_EQ(offer.vcs == 0, options.empty());
      if (dead.failed(topology->injection(source).front()) ||
          dead.failed(topology->ejection(destination).front())) {
        ASSERT_EQ(offer.vcs, 0U) << topology->name(source) << " to " << topology->name(destination);
        ++cut_off;
      }
      if (offer.vcs == 0) return;
      ASSERT_EQ(options_of(*topology, source, offer), options);
      tagged += offer.tag != 0 ? 1 : 0;
    });
  }
  EXPECT_GT(tagged, 0U);
  EXPECT_GT(cut_off, 0U);
}

}  // namespace
}  // namespace faultline
