// SPDX-License-Identifier: Apache-2.0
// Where packets of an unreachable pair stop, followed option by option.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "faultline/fault/components.h"
#include "faultline/fault/sampler.h"
#include "faultline/verify/verify.h"
#include "support/effort.h"
#include "support/sample_networks.h"

namespace faultline {
namespace {

enum class Stops { nowhere, at_source, at_switch, on_dead_channel };

/// States in which a packet may be at the end of the walk, of those options of the lowest tier that it
/// consists of.
std::vector<RouteState> states_behind(const RoutingRelation& relation, const DeadEnd& end) {
  const Topology& topology = relation.topology();
  RouteOptions options;
  relation.inject(end.source, end.destination, options);
  std::vector<RouteState> states;
  for (std::size_t i = 0; i < end.walk.size(); ++i) {
    std::vector<RouteState> next;
    const auto follow = [&] {
      std::uint8_t lowest = 255;
      for (const RouteOption& option : options) lowest = std::min(lowest, option.tier);
      for (const RouteOption& option : options)
        for (std::uint8_t vc = 0; vc < 32; ++vc)
          if (option.channel == end.walk[i] && option.tier == lowest && (option.vcs >> vc & 1U) != 0)
            next.push_back(
                {topology.target(option.channel), end.destination, option.channel, vc, option.tag});
    };
    if (i == 0) follow();
    for (const RouteState& state : states) {
      options.clear();
      relation.route(state, options);
      follow();
    }
    states = std::move(next);
  }
  return states;
}

Stops judge(const RoutingRelation& relation, const FaultSet& dead, const DeadEnd& end) {
  RouteOptions options;
  relation.inject(end.source, end.destination, options);
  if (end.walk.empty()) return options.empty() ? Stops::at_source : Stops::nowhere;
  for (std::size_t i = 0; i + 1 < end.walk.size(); ++i)
    if (dead.failed(end.walk[i])) return Stops::nowhere;
  const std::vector<RouteState> states = states_behind(relation, end);
  if (states.empty()) return Stops::nowhere;
  if (end.on_dead_channel) return dead.failed(end.walk.back()) ? Stops::on_dead_channel : Stops::nowhere;
  const bool stops = std::ranges::any_of(states, [&](const RouteState& state) {
    options.clear();
    relation.route(state, options);
    return state.tag == end.tag && state.vc == end.vc && options.empty();
  });
  return stops ? Stops::at_switch : Stops::nowhere;
}

/// Of the options of the lowest tier, each with its virtual channels: how many channels packets take at least
/// until one is dead or a switch offers none.
std::size_t fewest_channels(const RoutingRelation& relation, const FaultSet& dead, TerminalId source,
                            TerminalId destination) {
  const Topology& topology = relation.topology();
  std::set<std::tuple<std::uint32_t, std::uint8_t, Tag>> seen;
  std::vector<RouteOptions> offered(1);
  relation.inject(source, destination, offered.front());
  for (std::size_t taken = 0; !offered.empty(); ++taken) {
    std::vector<RouteOptions> next;
    bool meets_dead = false;
    for (const RouteOptions& options : offered) {
      if (options.empty()) return taken;
      const std::uint8_t lowest = std::ranges::min(options, {}, &RouteOption::tier).tier;
      for (const RouteOption& option : options) {
        if (option.tier != lowest) continue;
        meets_dead = meets_dead || dead.failed(option.channel);
        if (topology.role(option.channel) == ChannelRole::ejection) continue;
        for (std::uint8_t vc = 0; vc < 32; ++vc)
          if ((option.vcs >> vc & 1U) != 0 && seen.insert({option.channel.value(), vc, option.tag}).second)
            relation.route({topology.target(option.channel), destination, option.channel, vc, option.tag},
                           next.emplace_back());
      }
    }
    if (meets_dead) return taken + 1;
    offered = std::move(next);
  }
  return ~std::size_t{0};
}

TEST(DeadEnd, IsWhereTheOptionsLead) {
  std::map<Stops, int> seen;
  for (const char* name : {"mesh:radix=3x3", "torus:radix=4x3", "fat-tree:k=2,n=3", "ruft:k=2,n=3",
                           "ft-ruft-212:k=2,n=3", "hypercube:n=3"})
    for (const SampleNetwork& network : sample_networks(name)) {
      const FaultComponents channels(network.relation->shared_topology(), FaultUnit::channel,
                                     FaultScope::all);
      for (std::uint64_t number = 0; number < effort(12U, 3U); ++number)
        for (const Knowledge knowledge : {Knowledge::none(), Knowledge::neighbours(), Knowledge::all()}) {
          const FaultSet dead = channels.fault_set(FaultSampler(channels.count(), 3).draw(2, number));
          const RelationPtr relation =
              admissible_relation(network.relation, {dead, knowledge, SourceRole::any});
          const Verdict verdict = verify(*relation, dead, {});
          if (!verdict.dead_end) {
            EXPECT_TRUE(verdict.unreachable.empty()) << network.name;
            continue;
          }
          const auto& [source, destination] = verdict.unreachable.front();
          EXPECT_EQ(verdict.dead_end->source, source);
          EXPECT_EQ(verdict.dead_end->destination, destination);
          EXPECT_EQ(verdict.dead_end->walk.size(), fewest_channels(*relation, dead, source, destination));
          const Stops stops = judge(*relation, dead, *verdict.dead_end);
          EXPECT_NE(stops, Stops::nowhere)
              << network.name << ", set " << number << ", knowledge " << to_string(knowledge);
          ++seen[stops];
        }
    }
  EXPECT_GT(seen[Stops::at_source], effort(20, 5));
  EXPECT_GT(seen[Stops::at_switch], effort(20, 5));
  EXPECT_GT(seen[Stops::on_dead_channel], effort(20, 5));
}

}  // namespace
}  // namespace faultline
