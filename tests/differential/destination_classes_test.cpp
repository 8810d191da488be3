// SPDX-License-Identifier: Apache-2.0
// What switches that know dead channels offer, where one destination stands for several, against the same
// relation asked for each destination separately.
#include "routing/destination_classes.h"

#include <gtest/gtest.h>

#include "faultline/fault/components.h"
#include "faultline/fault/sampler.h"
#include "faultline/routing/admissible.h"
#include "support/effort.h"
#include "support/output_bits.h"
#include "support/plain_relation.h"
#include "support/simulate_support.h"

namespace faultline {
namespace {

struct Instance {
  const char *topology, *routing;
  std::size_t classes;  ///< without faults

  friend void PrintTo(const Instance& instance, std::ostream* out) {
    *out << instance.topology << ' ' << instance.routing;
  }
};

class DestinationsOf : public testing::TestWithParam<Instance> {};

TEST_P(DestinationsOf, AreAskedForTogetherAsEachAlone) {
  const auto [topology, relation, pattern] =
      testing_support::network(GetParam().topology, GetParam().routing);
  EXPECT_EQ(DestinationClasses::of_alike(*relation, FaultSet(*topology)).first.size(), GetParam().classes);
  const auto separate = std::make_shared<const Plain>(relation);
  ASSERT_EQ(DestinationClasses::of_alike(*separate, FaultSet(*topology)).first.size(),
            topology->terminal_count());
  // Channels of terminals fail as well: then terminals of one switch differ.
  const FaultComponents components(topology, FaultUnit::channel, FaultScope::all);
  std::size_t narrowed = 0;
  for (std::uint64_t seed = 0; seed < effort(12U, 3U); ++seed) {
    const FaultSet dead = components.fault_set(
        FaultSampler(components.count(), seed).draw(static_cast<std::uint32_t>(seed % 4) + 1, 0));
    for (const Knowledge knowledge : {Knowledge::all(), Knowledge::within(2)}) {
      const Damage damage{dead, knowledge, SourceRole::any};
      const RelationPtr together = admissible_relation(relation, damage),
                        first_injects = admissible_relation(relation, damage),
                        alone = admissible_relation(separate, damage);
      ASSERT_TRUE(together->offers_output_bits());
      ASSERT_FALSE(alone->offers_output_bits());
      for (const TerminalId destination : topology->terminals()) {
        for (const SwitchId at : topology->switches()) {
          const RouteState state{.at = at, .destination = destination, .held = topology->inputs(at).front()};
          RouteOptions expected, options, healthy;
          alone->route(state, expected);
          together->route(state, options);
          relation->route(state, healthy);
          ASSERT_EQ(options, expected) << topology->name(at) << " to " << topology->name(destination);
          ASSERT_EQ(together->output_bits(at, destination), as_output_bits(*alone, at, expected))
              << topology->name(at) << " to " << topology->name(destination) << ", seed " << seed;
          narrowed += expected != healthy ? 1 : 0;
        }
        for (const TerminalId source : topology->terminals()) {
          if (source == destination) continue;
          RouteOptions expected, options, untabulated, all;
          alone->inject(source, destination, expected);
          together->inject(source, destination, options);
          first_injects->inject(source, destination, untabulated);
          ASSERT_EQ(options, expected) << topology->name(source) << " to " << topology->name(destination);
          ASSERT_EQ(untabulated, expected) << topology->name(source) << " to " << topology->name(destination);
          const InjectionOffer offer = together->injection_offer(source, destination);
          if (offer.vcs == 0) continue;
          for (const ChannelId channel : topology->injection(source))
            all.push_back({.channel = channel, .vcs = offer.vcs, .tag = offer.tag});
          ASSERT_EQ(all, expected) << topology->name(source) << " to " << topology->name(destination);
        }
      }
    }
  }
  EXPECT_GT(narrowed, 0U);
}

INSTANTIATE_TEST_SUITE_P(
    , DestinationsOf,
    testing::Values(Instance{"fat-tree:k=2,n=3", "nca-adaptive", 4}, Instance{"fat-tree:k=4,n=2", "nca", 4},
                    Instance{"fat-tree:k=3,n=2", "destro", 9},
                    Instance{"torus:radix=4x3,terminals_per_switch=3", "dimension-order", 12},
                    Instance{"mesh:radix=3x3,terminals_per_switch=2", "minimal-adaptive:vcs=2", 9},
                    Instance{"ft-ruft-222:k=4,n=2", "ruft", 4}));

}  // namespace
}  // namespace faultline
