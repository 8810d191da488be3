// SPDX-License-Identifier: Apache-2.0
// A relation's options as one word against its list of them, in every state that its packets reach.
#include <gtest/gtest.h>

#include <algorithm>

#include "faultline/routing/states.h"
#include "support/simulate_support.h"

namespace faultline {
namespace {

std::uint64_t as_bits(const RoutingRelation& relation, SwitchId at, const RouteOptions& options) {
  const auto outputs = relation.topology().outputs(at);
  std::uint64_t bits = 0;
  for (const RouteOption& option : options) {
    EXPECT_EQ(option.tag, 0U);
    EXPECT_EQ(option.tier, 0U);
    const auto position =
        static_cast<std::size_t>(std::ranges::find(outputs, option.channel) - outputs.begin());
    bits |= std::uint64_t{option.vcs} << (position * relation.virtual_channels());
  }
  return bits;
}

class OutputBits : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(OutputBits, SayWhatTheOptionsSay) {
  const auto [topology, relation, pattern] = testing_support::network(GetParam().first, GetParam().second);
  ASSERT_TRUE(relation->offers_output_bits());
  std::size_t compared = 0;
  for (const TerminalId destination : topology->terminals()) {
    const DestinationStates states = enumerate_states(*relation, destination);
    for (const SwitchId at : states.switches) {
      RouteOptions options;
      relation->route({.at = at, .destination = destination, .held = topology->inputs(at).front()}, options);
      ASSERT_EQ(relation->output_bits(at, destination), as_bits(*relation, at, options))
          << topology->name(at) << " to " << topology->name(destination);
      ++compared;
    }
  }
  EXPECT_GE(compared, topology->terminal_count());
}

using Case = std::pair<const char*, const char*>;
INSTANTIATE_TEST_SUITE_P(
    Relations, OutputBits,
    testing::Values(Case{"fat-tree:k=2,n=3", ""}, Case{"fat-tree:k=3,n=3", ""}, Case{"fat-tree:k=32,n=1", ""},
                    Case{"fat-tree:k=4,n=2", "nca"}, Case{"fat-tree:k=4,n=3", "nca-adaptive"},
                    Case{"ruft:k=3,n=3", ""}, Case{"ruft-pl:k=4,n=2", ""}, Case{"ft-ruft-212:k=4,n=3", ""},
                    Case{"ft-ruft-222:k=4,n=3", ""}, Case{"ft-ruft-222:k=2,n=4", ""},
                    Case{"torus:radix=4x5", "duato:adaptive_vcs=2"}, Case{"torus:radix=4x4", "duato"},
                    Case{"torus:radix=3x4x2", "duato:ring_rule=dateline"},
                    Case{"mesh:radix=4x3", "duato:adaptive_vcs=3"}, Case{"hypercube:n=4", "duato"},
                    Case{"torus:radix=6x3", "minimal-adaptive"},
                    Case{"mesh:radix=3x4", "minimal-adaptive:vcs=4"}));

TEST(OutputBits, AreNotOfferedWhereTheyDoNotFit) {
  EXPECT_FALSE(testing_support::network("fat-tree:k=33,n=1").relation->offers_output_bits());
  EXPECT_FALSE(testing_support::network("torus:radix=4x4x4", "minimal-adaptive:vcs=16")
                   .relation->offers_output_bits());
}

}  // namespace
}  // namespace faultline
