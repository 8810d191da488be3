// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "faultline/routing/admissible.h"
#include "faultline/routing/contract.h"
#include "faultline/simulate/simulate.h"

namespace faultline {
namespace {

/// A head at a switch that is about to be routed.
struct Head {
  ChannelId held;
  std::uint8_t vc = 0;
  Tag tag = 0;
  friend auto operator<=>(const Head&, const Head&) = default;
};

/// Heads after some number of hops, each with the fewest cycles that it took.
using Frontier = std::map<Head, std::uint64_t>;

void reach(Frontier& frontier, const Topology& topology, const RouteOption& option, std::uint64_t cycles) {
  for (std::uint32_t vcs = option.vcs, vc = 0; vcs != 0; vcs >>= 1, ++vc) {
    if ((vcs & 1U) == 0) continue;
    const std::uint64_t arrival = cycles + topology.fly_cycles(option.channel);
    const auto [entry, added] =
        frontier.try_emplace({option.channel, static_cast<std::uint8_t>(vc), option.tag}, arrival);
    if (!added) entry->second = std::min(entry->second, arrival);
  }
}

std::uint64_t switch_cycles(const SimulationSpec& spec) {
  if (spec.switching() == Switching::cut_through)
    return std::uint64_t{spec.cut_through().routing_cycles} + spec.cut_through().crossbar_cycles;
  const WormholeSwitches::Pipeline& stages = spec.wormhole().pipeline;
  // With speculation the crossbar is requested together with a virtual channel.
  return std::uint64_t{stages.routing} + stages.vc_allocation + stages.switch_allocation +
         stages.switch_traversal - (stages.speculative ? 1 : 0);
}

}  // namespace

std::uint64_t zero_load_latency(const RoutingRelation& relation, TerminalId source, TerminalId destination,
                                const SimulationSpec& spec) {
  const Topology& topology = relation.topology();
  for (const TerminalId terminal : {source, destination})
    if (terminal.index() >= topology.terminal_count())
      throw Error("terminal", std::to_string(terminal.value()),
                  "must be one of " + std::to_string(topology.terminal_count()));
  const Contract contract(relation);
  RouteOptions options;
  contract.inject(source, destination, options);
  keep_lowest_tier(options);
  Frontier frontier;
  for (const RouteOption& option : options) reach(frontier, topology, option, 0);
  std::map<Head, bool> seen;
  while (!frontier.empty()) {
    std::uint64_t least = ~std::uint64_t{0};
    Frontier next;
    for (const auto& [head, cycles] : frontier) {
      if (!seen.try_emplace(head, true).second) continue;
      options.clear();
      contract.route({topology.target(head.held), destination, head.held, head.vc, head.tag}, options);
      keep_lowest_tier(options);
      for (const RouteOption& option : options) {
        const std::uint64_t leaves = cycles + switch_cycles(spec);
        if (topology.role(option.channel) == ChannelRole::ejection)
          least = std::min(least, leaves + topology.fly_cycles(option.channel) + spec.injection.packet_flits);
        else
          reach(next, topology, option, leaves);
      }
    }
    if (least != ~std::uint64_t{0}) return least;
    frontier = std::move(next);
  }
  throw Error("simulate.destination",
              fmt::format("{} to {}", topology.name(source), topology.name(destination)),
              "a pair of terminals that the routing connects");
}

}  // namespace faultline
