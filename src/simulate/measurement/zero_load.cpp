// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "faultline/routing/admissible.h"
#include "faultline/routing/contract.h"
#include "faultline/simulate/simulate.h"
#include "simulate/check_spec.h"

namespace faultline {
namespace {

/// A head at a switch that is about to be routed.
struct Head {
  ChannelId held;
  std::uint8_t vc = 0;
  Tag tag = 0;
  friend auto operator<=>(const Head&, const Head&) = default;
};

/// The path to a head: the channels before are those of another one.
struct Path {
  ChannelId channel;
  std::shared_ptr<const Path> before;
};

struct Arrival {
  std::uint64_t cycles;
  std::shared_ptr<const Path> path;
};

/// Heads after some number of hops, each with the fewest cycles that it took.
using Frontier = std::map<Head, Arrival>;

void reach(Frontier& frontier, const Topology& topology, const RouteOption& option, std::uint64_t cycles,
           const std::shared_ptr<const Path>& before) {
  const Arrival arrival{cycles + topology.fly_cycles(option.channel),
                        std::make_shared<const Path>(Path{option.channel, before})};
  for (std::uint32_t vcs = option.vcs, vc = 0; vcs != 0; vcs >>= 1, ++vc) {
    if ((vcs & 1U) == 0) continue;
    const auto [entry, added] =
        frontier.try_emplace({option.channel, static_cast<std::uint8_t>(vc), option.tag}, arrival);
    if (!added && arrival.cycles < entry->second.cycles) entry->second = arrival;
  }
}

std::uint64_t switch_cycles(const SimulationSpec& spec) {
  if (spec.switching() == Switching::cut_through) return spec.cut_through().head_cycles();
  const WormholeSwitches::Pipeline& stages = spec.wormhole().pipeline;
  // With speculation the crossbar is requested together with a virtual channel, with an internal speed-up in
  // the same cycle.
  return std::uint64_t{stages.routing} + stages.vc_allocation + stages.switch_allocation +
         stages.switch_traversal - (stages.speculative || spec.speedup.internal > 1 ? 1 : 0);
}

/// Of a packet under wormhole switching, flit by flit: a flit leaves when it has come, a cycle after the one
/// before it, and when the buffer that it goes to has a free slot. `path`: from injection to ejection.
std::uint64_t cycles_of_flits(const Topology& topology, const std::vector<ChannelId>& path,
                              const SimulationSpec& spec) {
  const WormholeSwitches& wormhole = spec.wormhole();
  const WormholeSwitches::Pipeline& stages = wormhole.pipeline;
  const std::uint64_t head = switch_cycles(spec) - stages.switch_allocation - stages.switch_traversal;
  const std::size_t slots = std::min(wormhole.buffer_flits, spec.injection.packet_flits);
  std::vector<std::uint64_t> left(path.size());  // by channel: when the flit before left for it
  std::vector<std::vector<std::uint64_t>> freed(path.size(), std::vector<std::uint64_t>(slots));
  std::uint64_t ready = 0;
  for (std::uint64_t flit = 0; flit < spec.injection.packet_flits; ++flit) {
    ready = 0;
    for (std::size_t i = 0; i < path.size(); ++i) {
      const std::uint64_t fly = topology.fly_cycles(path[i]);
      const bool injects = i == 0, ejects = i + 1 == path.size();
      if (flit > 0) ready = std::max(ready, left[i] + 1);
      if (flit >= slots)
        ready =
            std::max(ready, freed[i][flit % slots] + 1 + fly + (injects ? 0 : wormhole.credit_delay_cycles));
      left[i] = ready;
      if (!injects) freed[i - 1][flit % slots] = ready;
      ready += fly + (injects ? 0 : stages.switch_traversal) + (ejects ? 1 : stages.switch_allocation);
      if (flit == 0 && !ejects) ready += head;
    }
    freed.back()[flit % slots] = ready;
  }
  return ready;
}

std::vector<ChannelId> channels_of(std::shared_ptr<const Path> path, ChannelId last) {
  std::vector<ChannelId> channels{last};
  for (; path != nullptr; path = path->before) channels.push_back(path->channel);
  std::ranges::reverse(channels);
  return channels;
}

}  // namespace

std::uint64_t zero_load_latency(const RoutingRelation& relation, TerminalId source, TerminalId destination,
                                const SimulationSpec& spec) {
  const Topology& topology = relation.topology();
  topology.require(source, "source");
  topology.require(destination, "destination");
  if (source == destination)
    throw Error("destination", topology.name(destination), "must be another terminal than the source");
  check_sizes(spec.injection);
  check_switches(relation, spec);
  const Contract contract(relation);
  RouteOptions options;
  contract.inject(source, destination, options);
  keep_lowest_tier(options);
  Frontier frontier;
  for (const RouteOption& option : options) reach(frontier, topology, option, 0, nullptr);
  std::set<Head> seen;
  while (!frontier.empty()) {
    std::uint64_t least = ~std::uint64_t{0};
    std::vector<ChannelId> path;  // that takes as long
    Frontier next;
    for (const auto& [head, arrival] : frontier) {
      if (!seen.insert(head).second) continue;
      options.clear();
      contract.route({topology.target(head.held), destination, head.held, head.vc, head.tag}, options);
      keep_lowest_tier(options);
      for (const RouteOption& option : options) {
        const std::uint64_t leaves = arrival.cycles + switch_cycles(spec);
        if (topology.role(option.channel) != ChannelRole::ejection) {
          reach(next, topology, option, leaves, arrival.path);
        } else if (const std::uint64_t arrives = leaves + topology.fly_cycles(option.channel);
                   arrives < least) {
          least = arrives;
          path = channels_of(arrival.path, option.channel);
        }
      }
    }
    if (!path.empty())
      return spec.switching() == Switching::wormhole ? cycles_of_flits(topology, path, spec)
                                                     : least + spec.injection.packet_flits;
    frontier = std::move(next);
  }
  throw Error("simulate.destination",
              fmt::format("{} to {}", topology.name(source), topology.name(destination)),
              "a pair of terminals that the routing connects");
}

}  // namespace faultline
