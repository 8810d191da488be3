// SPDX-License-Identifier: Apache-2.0
// A relation's options as one word, and as sets, against its list of them, in every state that its packets
// reach.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "faultline/fault/components.h"
#include "faultline/fault/sampler.h"
#include "faultline/routing/admissible.h"
#include "faultline/routing/contract.h"
#include "faultline/routing/states.h"
#include "faultline/topology/grid.h"
#include "routing/methodology/header.h"
#include "support/effort.h"
#include "support/output_bits.h"
#include "support/simulate_support.h"

namespace faultline {
namespace {

std::uint64_t as_bits(const RoutingRelation& relation, SwitchId at, const RouteOptions& options) {
  for (const RouteOption& option : options) {
    EXPECT_EQ(option.tag, 0U);
    EXPECT_EQ(option.tier, 0U);
  }
  return as_output_bits(relation, at, options);
}

class OutputBits : public testing::TestWithParam<std::pair<std::string_view, std::string_view>> {};

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

using Case = std::pair<std::string_view, std::string_view>;
INSTANTIATE_TEST_SUITE_P(
    Relations, OutputBits,
    testing::Values(Case{"fat-tree:k=2,n=3", ""}, Case{"fat-tree:k=3,n=3", ""}, Case{"fat-tree:k=32,n=1", ""},
                    Case{"fat-tree:k=4,n=2", "nca"}, Case{"fat-tree:k=4,n=3", "nca-adaptive"},
                    Case{"ruft:k=3,n=3", ""}, Case{"ruft-pl:k=4,n=2", ""}, Case{"ft-ruft-212:k=4,n=3", ""},
                    Case{"ft-ruft-222:k=4,n=3", ""}, Case{"ft-ruft-222:k=2,n=4", ""},
                    Case{"torus:radix=4x5", "duato:adaptive_vcs=2"}, Case{"torus:radix=4x4", "duato"},
                    Case{"torus:radix=3x4x2", "duato:ring_rule=dateline"},
                    Case{"mesh:radix=4x3", "duato:adaptive_vcs=3"}, Case{"hypercube:n=4", "duato"},
                    Case{"hypercube:n=7", "duato"}, Case{"torus:radix=8x8x4", "duato"},
                    Case{"torus:radix=2x4", "duato"}, Case{"torus:radix=6x3", "minimal-adaptive"},
                    Case{"mesh:radix=3x4", "minimal-adaptive:vcs=4"}));

class OutputSetsOf : public testing::TestWithParam<std::pair<std::string_view, std::string_view>> {};

/// Channels with their virtual channels and tags.
using Plain = std::vector<std::tuple<ChannelId, std::uint32_t, Tag>>;

Plain as_plain(const RouteOptions& options) {
  Plain plain;
  for (const RouteOption& option : options) {
    EXPECT_EQ(option.tier, 0U);
    plain.emplace_back(option.channel, option.vcs, option.tag);
  }
  std::ranges::sort(plain);
  return plain;
}

Plain as_plain(const Topology& topology, SwitchId at, const OutputSets& sets) {
  Plain plain;
  const auto outputs = topology.outputs(at);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::uint32_t vcs = 0;
    for (const auto& [members, of_them] : sets.parts)
      if ((members >> i & 1) != 0) vcs |= of_them;
    if (vcs != 0) plain.emplace_back(outputs[i], vcs, sets.tag);
  }
  std::ranges::sort(plain);
  return plain;
}

TEST_P(OutputSetsOf, SayWhatTheOptionsSay) {
  const auto [topology, relation, pattern] = testing_support::network(GetParam().first, GetParam().second);
  ASSERT_TRUE(relation->offers_output_sets());
  std::set<std::tuple<SwitchId, TerminalId, Tag>> seen;
  std::vector<RouteState> todo;
  const auto arrive = [&](ChannelId channel, TerminalId destination, Tag tag) {
    const SwitchId at = topology->target(channel);
    if (at.valid() && seen.emplace(at, destination, tag).second)
      todo.push_back({.at = at, .destination = destination, .held = channel, .tag = tag});
  };
  for (const TerminalId source : topology->terminals())
    for (const TerminalId destination : topology->terminals()) {
      if (source == destination) continue;
      RouteOptions options;
      relation->inject(source, destination, options);
      for (const RouteOption& option : options) arrive(option.channel, destination, option.tag);
    }
  while (!todo.empty()) {
    const RouteState state = todo.back();
    todo.pop_back();
    RouteOptions options;
    relation->route(state, options);
    ASSERT_EQ(as_plain(*topology, state.at, relation->output_sets(state.at, state.destination, state.tag)),
              as_plain(options))
        << topology->name(state.at) << " to " << topology->name(state.destination) << " with tag "
        << state.tag;
    for (const RouteOption& option : options) arrive(option.channel, state.destination, option.tag);
  }
  EXPECT_GE(seen.size(), topology->switch_count() * topology->terminal_count());
}

INSTANTIATE_TEST_SUITE_P(
    Relations, OutputSetsOf,
    testing::Values(
        Case{"torus:radix=4x5", "duato:adaptive_vcs=2"}, Case{"torus:radix=4x4", "duato"},
        Case{"torus:radix=3x4x2", "duato:ring_rule=dateline"},
        Case{"mesh:radix=4x3", "duato:adaptive_vcs=30"}, Case{"hypercube:n=4", "duato:adaptive_vcs=15"},
        Case{"torus:radix=6x3", "minimal-adaptive"}, Case{"mesh:radix=3x4", "minimal-adaptive:vcs=32"},
        Case{"mesh:radix=4x4", "methodology"}, Case{"torus:radix=4x4", "methodology:adaptive_vcs=6"},
        Case{"hypercube:n=3", "methodology:mechanisms=none"}, Case{"hypercube:n=6", "methodology"},
        Case{"torus:radix=2x6", "methodology"}, Case{"torus:radix=5x4", "methodology:mechanisms=id,ties=leg"},
        Case{"mesh:radix=4x3", "methodology:adaptive_vcs=30"},
        Case{"torus:radix=4x5", "dimension-order:ring_rule=dateline"},
        Case{"torus:radix=3x4x2", "dimension-order:ring_rule=dateline"},
        Case{"torus:radix=6x4", "direction-order:ring_rule=dateline"}));

/// The plans of that routing around five dead links of a torus.
RelationPtr planned(const char* routing, std::uint64_t seed) {
  const auto topology = build_topology(parse_compact("topology", "torus:radix=4x4"));
  const FaultComponents links(topology, FaultUnit::link, FaultScope::network);
  const FaultSet faults = links.fault_set(FaultSampler(links.count(), seed).draw(5, 0));
  return build_relation(topology, Damage{faults, Knowledge::none(), SourceRole::plan},
                        routing_or_default(parse_compact("routing", routing), *topology),
                        Switching::cut_through);
}

/// Half-way round a ring, where the header says minus: a leg's choice, made only around faults.
TEST(OutputSets, FollowTiesThatGoMinus) {
  std::size_t minus = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const RelationPtr relation = planned("methodology:ties=leg", seed);
    const TopologyPtr topology = relation->shared_topology();
    const HeaderLayout layout(topology->labelling<CartesianLabelling>("test"), true, "test");
    ASSERT_TRUE(relation->offers_output_sets());
    for (const TerminalId destination : topology->terminals()) {
      const DestinationStates states = enumerate_states(*relation, destination);
      for (std::size_t state = 0; state < states.count(); ++state) {
        const SwitchId at = states.switches[state];
        const Tag tag = states.keys[state].tag;
        RouteOptions options;
        relation->route(
            {.at = at, .destination = destination, .held = topology->inputs(at).front(), .tag = tag},
            options);
        ASSERT_EQ(as_plain(*topology, at, relation->output_sets(at, destination, tag)), as_plain(options))
            << topology->name(at) << " to " << topology->name(destination) << " with tag " << tag;
        minus += layout.minus_ties(tag) != 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(minus, 0U);
}

/// Plans with intermediate switches, adaptivity off and misrouting.
TEST(OutputSets, FollowThePlansOfFaults) {
  std::size_t misrouted = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const RelationPtr relation = planned("methodology:mechanisms=idm", seed);
    ASSERT_TRUE(relation->offers_output_sets());
    ASSERT_NO_THROW(check_contract(*relation, ~std::size_t{0}));
    if (const PlanFigures* figures = relation->plan_figures()) misrouted += figures->misrouted;
  }
  EXPECT_GT(misrouted, 0U);
}

/// The whole answer of one switch, whichever it is.
std::tuple<std::uint64_t, std::vector<std::uint64_t>> answer(const RoutingRelation& relation, SwitchId at,
                                                             TerminalId destination, Tag tag) {
  std::uint64_t bits = 0;
  std::vector<std::uint64_t> sets;
  if (relation.offers_output_bits()) bits = relation.output_bits(at, destination);
  if (relation.offers_output_sets()) {
    const OutputSets offered = relation.output_sets(at, destination, tag);
    sets.push_back(offered.tag);
    for (const OutputSets::Part& part : offered.parts) sets.insert(sets.end(), {part.outputs, part.vcs});
  }
  return {bits, sets};
}

class RelativePositions : public testing::TestWithParam<Case> {};

TEST_P(RelativePositions, DecideTheAnswer) {
  const auto [topology, relation, pattern] = testing_support::network(GetParam().first, GetParam().second);
  ASSERT_GT(relation->relative_positions(), 0U);
  std::map<std::pair<std::uint32_t, Tag>, decltype(answer(*relation, {}, {}, 0))> answers;
  for (const SwitchId at : topology->switches())
    for (const TerminalId destination : topology->terminals())
      for (Tag tag = 0; tag < relation->relative_tags(); ++tag) {
        const std::uint32_t position = relation->relative_position(at, destination);
        ASSERT_LT(position, relation->relative_positions());
        const auto here = answer(*relation, at, destination, tag);
        ASSERT_EQ(answers.emplace(std::pair(position, tag), here).first->second, here)
            << topology->name(at) << " to " << topology->name(destination) << " with tag " << tag;
      }
  EXPECT_LT(answers.size(),
            topology->switch_count() * topology->terminal_count() * relation->relative_tags());
}

INSTANTIATE_TEST_SUITE_P(
    Grids, RelativePositions,
    testing::Values(Case{"torus:radix=4x5", "dimension-order:ring_rule=dateline"},
                    Case{"torus:radix=4x3x2", "dimension-order:ring_rule=bubble"},
                    Case{"torus:radix=6x4", "direction-order:ring_rule=dateline"},
                    Case{"torus:radix=4x4,terminals_per_switch=2", "duato:ring_rule=dateline"},
                    Case{"torus:radix=5x4", "minimal-adaptive"}, Case{"hypercube:n=5", "dimension-order"},
                    Case{"hypercube:n=4", "duato:adaptive_vcs=3"}, Case{"hypercube:n=4", "minimal-adaptive"},
                    Case{"hypercube:n=3", "duato:ring_rule=dateline"}, Case{"mesh:radix=2x2x2", "duato"},
                    Case{"torus:radix=2x3", "duato"}, Case{"torus:radix=2x2x2", "duato:ring_rule=dateline"},
                    Case{"torus:radix=2x2", "minimal-adaptive"}, Case{"torus:radix=4x5", "methodology"},
                    Case{"mesh:radix=2x2x2,terminals_per_switch=2", "methodology:adaptive_vcs=3"},
                    Case{"torus:radix=2x4x3", "methodology:mechanisms=id,ties=leg"},
                    Case{"hypercube:n=5", "methodology:adaptive_vcs=6"},
                    Case{"torus:radix=2x2x2", "methodology"}));

/// It does not matter to these in which direction a packet crosses a dimension: a position for each set of
/// dimensions, and for each output at the destination.
TEST(RelativePositions, OfHypercubesAreFew) {
  constexpr std::uint32_t dimensions = 5;
  for (const char* routing : {"duato", "minimal-adaptive"}) {
    const auto built = testing_support::network("hypercube:n=5", routing);
    EXPECT_EQ(built.relation->relative_positions(), (1U << dimensions) + dimensions + 1) << routing;
  }
  const auto built = testing_support::network("hypercube:n=5", "methodology");  // and the first one upwards
  EXPECT_EQ(built.relation->relative_positions(), (dimensions + 1) * (1U << dimensions) + dimensions + 1);
}

/// A network, its routing, and whether every state has one output at most.
struct KnownFaults {
  const char* topology;
  const char* routing;
  bool has_one_output;

  friend void PrintTo(const KnownFaults& known, std::ostream* out) {
    *out << known.topology << ' ' << known.routing;
  }
};

class EnRoute : public testing::TestWithParam<KnownFaults> {};

/// To packets that keep to a relation that knows faults, in every state that they reach.
TEST_P(EnRoute, TheSameIsOffered) {
  const auto [name, routing, has_one_output] = GetParam();
  const auto [topology, base, pattern] = testing_support::network(name, routing);
  std::size_t narrowed = 0;
  for (const FaultUnit unit : {FaultUnit::channel, FaultUnit::link, FaultUnit::switch_})
    for (std::uint64_t seed = 0; seed < effort(12U, 4U); ++seed) {
      const FaultComponents components(topology, unit, FaultScope::all);
      const FaultSet dead =
          components.fault_set(FaultSampler(components.count(), seed).draw(1 + seed % 4, 0));
      for (const Knowledge knowledge : {Knowledge::all(), Knowledge::neighbours(), Knowledge::none()}) {
        const RelationPtr relation = admissible_relation(base, {dead, knowledge});
        const RoutingRelation& en_route = relation->en_route();
        EXPECT_EQ(&en_route == base.get(), knowledge.is_none() || (knowledge.is_all() && has_one_output));
        for (const TerminalId destination : topology->terminals()) {
          const DestinationStates states = enumerate_states(*relation, destination);
          for (const SwitchId at : states.switches) {
            RouteOptions options;
            relation->route({.at = at, .destination = destination, .held = topology->inputs(at).front()},
                            options);
            const std::uint64_t offered = as_bits(*relation, at, options);
            ASSERT_EQ(en_route.output_bits(at, destination), offered)
                << topology->name(at) << " to " << topology->name(destination);
            if (base->output_bits(at, destination) != offered) ++narrowed;
          }
        }
      }
    }
  EXPECT_GT(narrowed, 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Relations, EnRoute,
    testing::Values(KnownFaults{"fat-tree:k=2,n=3", "destro", true},
                    KnownFaults{"fat-tree:k=4,n=2", "nca-adaptive", false},
                    KnownFaults{"ruft:k=3,n=3", "", true}, KnownFaults{"ruft-pl:k=4,n=2", "", false},
                    KnownFaults{"ft-ruft-222:k=2,n=3", "", false},
                    KnownFaults{"torus:radix=4x4", "dimension-order:ring_rule=bubble", false},
                    KnownFaults{"torus:radix=5x3", "dimension-order:ring_rule=bubble", true},
                    KnownFaults{"torus:radix=4x5", "duato", false},
                    KnownFaults{"hypercube:n=4", "dimension-order", true},
                    KnownFaults{"mesh:radix=4x3", "direction-order", true}));

TEST(OutputBits, AreNotOfferedWhereTheyDoNotFit) {
  EXPECT_FALSE(testing_support::network("fat-tree:k=33,n=1").relation->offers_output_bits());
  // 34 outputs at most switches, and twice as many to terminals.
  EXPECT_FALSE(testing_support::network("ft-ruft-212:k=34,n=2").relation->offers_output_bits());
  EXPECT_FALSE(testing_support::network("torus:radix=4x4x4", "minimal-adaptive:vcs=16")
                   .relation->offers_output_bits());
}

}  // namespace
}  // namespace faultline
