// SPDX-License-Identifier: Apache-2.0
#include "faultline/simulate/ideal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "simulate/ideal/concurrent_flow.h"
#include "simulate/ideal/linear_program.h"
#include "simulate/ideal/multiplicative_weights.h"

namespace faultline {
namespace {

constexpr double least_gap = 1e-4;  // a smaller one would take hours

bool is_cheap(const RoutingRelation& relation, const TrafficPattern& pattern) {
  constexpr std::size_t max_terminals = 4096, max_pairs = std::size_t{1} << 20;
  const Topology& topology = relation.topology();
  if (pattern.trace() != nullptr || topology.terminal_count() > max_terminals) return false;
  std::size_t pairs = 0;
  for (const TerminalId source : topology.terminals()) {
    if (pattern.silent(source)) continue;
    for (const TerminalId destination : topology.terminals())
      if (share_of(pattern, topology, source, destination) > 0 && ++pairs > max_pairs) return false;
  }
  return pairs > 0;
}

/// Of a path: its steps between switches.
std::vector<double> network_steps(const Topology& topology) {
  std::vector<double> lengths;
  for (const ChannelId channel : topology.channels())
    lengths.push_back(topology.role(channel) == ChannelRole::network ? 1 : least_length);
  return lengths;
}

std::string_view narrow(LoadBracket& bracket, const FlowNetworks& networks, const IdealEffort& effort) {
  // Computed from the same loads, the two ends differ by rounding alone.
  constexpr double equal = 1e-9, usual_gap = IdealEffort().gap, max_rounds = 1e9;
  if (bracket.is_closed(equal) || networks.kept().empty()) return "even split";
  if (networks.arc_count() <= effort.lp_arcs && narrow_by_linear_program(bracket, networks))
    return "linear program";
  const double arcs = std::max(1.0, static_cast<double>(networks.arc_count()));
  const double rounds = effort.arc_rounds * std::max(1.0, usual_gap / effort.gap) / arcs;
  narrow_by_weights(bracket, networks, effort.gap, static_cast<int>(std::min(rounds, max_rounds)));
  return "multiplicative weights";
}

/// 0 in a network without channels.
double largest(const std::vector<double>& loads) { return loads.empty() ? 0 : std::ranges::max(loads); }

}  // namespace

std::vector<double> expected_channel_loads(const RoutingRelation& relation, const TrafficPattern& pattern) {
  return route_evenly(FlowNetworks(relation, pattern, AdmittedTiers::lowest)).loads;
}

std::optional<double> even_split_busiest_load(const RoutingRelation& relation,
                                              const TrafficPattern& pattern) {
  if (!is_cheap(relation, pattern)) return std::nullopt;
  const double busiest = largest(expected_channel_loads(relation, pattern));
  return busiest > 0 ? std::optional(busiest) : std::nullopt;
}

std::optional<IdealThroughput> ideal_throughput(const RoutingRelation& relation,
                                                const TrafficPattern& pattern, const IdealEffort& effort) {
  if (!(effort.gap >= least_gap))
    throw Error("ideal.gap", fmt::format("{}", effort.gap), fmt::format("must be at least {}", least_gap));
  if (!is_cheap(relation, pattern)) return std::nullopt;
  const FlowNetworks networks(relation, pattern,
                              effort.channels_fail    ? AdmittedTiers::every
                              : effort.sources_choose ? AdmittedTiers::all_at_start
                                                      : AdmittedTiers::lowest);
  // In one pass, because networks that are too large to keep are built again in every pass.
  Routed even{std::vector<double>(networks.channel_count())};
  const std::vector<double> steps = network_steps(relation.topology());
  ShortestRouting fewest_steps(steps);
  networks.for_each([&](const FlowNetwork& network) {
    even.flow += spread_evenly(network, even.loads);
    fewest_steps.add(network);
  });
  if (largest(even.loads) == 0) return std::nullopt;
  const auto terminals = static_cast<double>(relation.topology().terminal_count());
  const double even_split = even.flow / terminals / std::ranges::max(even.loads);
  for (double& load : even.loads)
    if (!std::isfinite(load)) load = 0;  // packets that go in circles do not arrive
  LoadBracket bracket;
  fewest_steps.raise(bracket);
  const double even_busiest = std::ranges::max(even.loads);
  // Weight only on the busiest channels and those within rounding.
  const double steep = even_busiest > 0 ? 1e4 / even_busiest : 0;
  const Routed shortest = raise(bracket, networks, weights(even.loads, steep));
  if (shortest.flow == 0) return std::nullopt;
  // If the relation has dead ends, packets that choose obliviously do not all arrive; those on shortest paths
  // do.
  const bool even_serves_all = even.flow >= shortest.flow * (1 - 1e-9);
  bracket.best =
      even_serves_all && even_busiest <= std::ranges::max(shortest.loads) ? even.loads : shortest.loads;
  bracket.high = std::ranges::max(bracket.best);
  const std::string_view method = narrow(bracket, networks, effort);

  const double reached = shortest.flow / terminals / bracket.high;
  return IdealThroughput{
      .even_split = even_split,
      .bound = std::max(reached, shortest.flow / terminals / bracket.low),  // but for rounding
      .reached = reached,
      .loses_some = !even_serves_all,
      .method = method};
}

}  // namespace faultline
