// SPDX-License-Identifier: Apache-2.0
#include "simulate/ideal/concurrent_flow.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace faultline {

FlowNetworks::FlowNetworks(const RoutingRelation& relation, const TrafficPattern& pattern,
                           AdmittedTiers tiers)
    : relation_(relation),
      pattern_(pattern),
      tiers_(tiers),
      destinations_(relation.topology().terminal_count()) {
  constexpr std::size_t max_kept_arcs = std::size_t{1} << 22;
  for (const TerminalId source : relation.topology().terminals())
    if (!pattern.silent(source)) sources_.push_back(source);
  for (const TerminalId destination : relation.topology().terminals()) {
    FlowNetwork network = build(destination);
    arc_count_ += network.arcs.size();
    if (arc_count_ > max_kept_arcs) break;
    kept_.push_back(std::move(network));
  }
}

std::span<const FlowNetwork> FlowNetworks::kept() const {
  return kept_.size() == destinations_ ? std::span(kept_) : std::span<const FlowNetwork>();
}

FlowNetwork FlowNetworks::build(TerminalId destination) const {
  return flow_network(relation_, pattern_, sources_, destination, tiers_);
}

Routed route_evenly(const FlowNetworks& networks) {
  Routed routed{std::vector<double>(networks.channel_count())};
  networks.for_each([&](const FlowNetwork& network) { routed.flow += spread_evenly(network, routed.loads); });
  return routed;
}

void ShortestRouting::add(const FlowNetwork& network) {
  const Sent sent = send_shortest(network, lengths_, routed_.loads);
  routed_.flow += sent.flow;
  cost_ += sent.cost;
}

void ShortestRouting::raise(LoadBracket& bracket) const {
  bracket.low = std::max(bracket.low, cost_ / std::reduce(lengths_.begin(), lengths_.end()));
}

Routed raise(LoadBracket& bracket, const FlowNetworks& networks, std::span<const double> lengths) {
  ShortestRouting shortest(lengths);
  networks.for_each([&](const FlowNetwork& network) { shortest.add(network); });
  shortest.raise(bracket);
  return shortest.routed();
}

std::vector<double> weights(std::span<const double> loads, double steepness) {
  const double busiest = std::ranges::max(loads);
  std::vector<double> lengths(loads.size());
  std::ranges::transform(loads, lengths.begin(), [&](double load) {
    return std::max(least_length, std::exp(steepness * (load - busiest)));
  });
  return lengths;
}

}  // namespace faultline
