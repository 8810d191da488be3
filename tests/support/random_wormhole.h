// SPDX-License-Identifier: Apache-2.0
// Random wormhole runs, from everything that the fast engine supports: networks, relations, selections,
// switches, loads, dynamic faults. A function of the seed.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "faultline/fault/components.h"
#include "faultline/fault/sampler.h"
#include "simulate/faults/lossy.h"
#include "support/random_outages.h"
#include "support/random_relation.h"
#include "support/wormhole_support.h"

namespace faultline::testing_support {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : stream_(seed, 99) {}
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + stream_.next_below(high - low + 1);
  }
  bool one_in(std::uint32_t n) { return stream_.next_below(n) == 0; }
  template <class T>
  const T& any_of(const std::vector<T>& values) {
    return values[stream_.next_below(static_cast<std::uint32_t>(values.size()))];
  }

 private:
  RandomStream stream_;
};

struct WormholeRun {
  std::string text;  ///< the name of the run
  Network network;
  SimulationSpec spec;  ///< resolved
};

/// Draws a run; one object per run.
class RandomWormholeRun {
 public:
  explicit RandomWormholeRun(std::uint64_t seed) : chance_(seed), seed_(seed) {}

  WormholeRun draw() {
    draw_network();
    draw_spec();
    draw_switches();
    draw_failures();
    run_.spec.threads = chance_.between(1, 3);
    run_.text += fmt::format(", {} threads", run_.spec.threads);
    run_.spec = resolved(run_.spec, *run_.network.pattern);
    return run_;
  }

 private:
  /// Switches on a random tree with further links, random port numbers and lengths of channels; some
  /// terminals have two channels.
  TopologyPtr random_tree() {
    TopologyBuilder builder;
    const std::uint32_t switches = chance_.between(2, 40);
    const std::uint32_t ports = chance_.any_of(std::vector<std::uint32_t>{6, 8, 16, 16, 20, 40, 64});
    const std::uint32_t lowest = chance_.any_of(std::vector<std::uint32_t>{0, 1, 5});  // InfiniBand: 1
    std::vector<std::vector<std::uint32_t>> free_ports(switches);
    for (std::uint32_t i = 0; i < switches; ++i) {
      builder.add_switch({i, 0});
      for (std::uint32_t port = 0; port < ports; ++port) free_ports[i].push_back(lowest + port);
      for (std::uint32_t port = ports; port > 1; --port)
        std::swap(free_ports[i][port - 1], free_ports[i][chance_.between(0, port - 1)]);
    }
    const auto take = [&](std::uint32_t at) {
      const Port port{SwitchId(at), free_ports[at].back()};
      free_ports[at].pop_back();
      return port;
    };
    const std::uint32_t longest = chance_.one_in(2) ? 1 : chance_.between(1, 9);
    const auto connect = [&](std::uint32_t a, std::uint32_t b) {
      if (a != b && free_ports[a].size() > 1 && free_ports[b].size() > 1)
        builder.connect_both(take(a), take(b), chance_.between(1, longest));
    };
    for (std::uint32_t i = 1; i < switches; ++i) connect(i, chance_.between(i > 3 ? i - 3 : 0, i - 1));
    const std::uint32_t more = chance_.between(0, switches * ports / 8);
    for (std::uint32_t i = 0; i < more; ++i)
      connect(chance_.between(0, switches - 1), chance_.between(0, switches - 1));
    for (std::uint32_t i = 0; i < switches; ++i) {
      if (i >= 2 && chance_.one_in(5)) continue;
      const TerminalId terminal = builder.add_terminal();
      builder.attach(terminal, take(i), chance_.between(1, longest));
      if (const std::uint32_t more_at = chance_.between(0, 2 * switches - 1);
          more_at < switches && free_ports[more_at].size() > 1)
        builder.attach(terminal, take(more_at), chance_.between(1, longest));
    }
    return std::make_shared<const Topology>(std::move(builder).build("random", "up-down"));
  }

  void take(TopologyPtr topology, RelationPtr relation) {
    const PatternPtr pattern = build_pattern(*topology, 1, parse_compact("traffic", "uniform"));
    run_.network = {std::move(topology), std::move(relation), pattern};
  }
  [[nodiscard]] FaultSet failed_links(const TopologyPtr& topology, std::uint32_t count) {
    const FaultComponents components(topology, FaultUnit::link, FaultScope::network);
    count = std::min(count, static_cast<std::uint32_t>(components.count()));
    return components.fault_set(FaultSampler(components.count(), chance_.between(0, 1000)).draw(count, 0));
  }

  void draw_network() {
    switch (chance_.between(0, 7)) {
      case 0:
      case 1: {
        const TopologyPtr topology = random_tree();
        const std::string routing = chance_.one_in(2) ? "up-down" : "shortest-path";
        run_.text = "random tree, " + routing;
        other_routing_ = "up-down";
        return take(topology, build_relation(topology, FaultSet(*topology), parse_compact("routing", routing),
                                             Switching::wormhole));
      }
      case 2: {
        run_.text = "random relation";
        const auto relation = std::make_shared<const RandomRelation>(seed_);
        return take(relation->shared_topology(), relation);
      }
      case 3: {
        const TopologyPtr topology = one_way_ring(chance_.between(3, 9));
        const bool dateline = chance_.one_in(3);
        run_.text = dateline ? "ring with a dateline" : "ring";
        return take(topology, std::make_shared<RoundTheRing>(topology, dateline));
      }
      default:
        return draw_from_catalogue();
    }
  }

  void draw_from_catalogue() {
    static const std::vector<std::pair<std::string, std::vector<std::string>>> networks{
        {"mesh:radix=5x4", {"dimension-order", "duato", "minimal-adaptive:vcs=2"}},
        {"mesh:radix=8x8", {"dimension-order", "duato:adaptive_vcs=3"}},
        {"torus:radix=6x3", {"dimension-order:ring_rule=none", "dimension-order", "duato"}},
        {"torus:radix=9x8", {"duato:adaptive_vcs=2", "minimal-adaptive", "valiant"}},
        {"torus:radix=17", {"dimension-order:ring_rule=none", "dimension-order"}},
        {"torus:radix=4x4x3", {"dimension-order", "direction-order", "duato", "ugal"}},
        {"torus:radix=3x3,terminals_per_switch=14", {"duato"}},
        {"mesh:radix=4x3,terminals_per_switch=40", {"duato"}},
        {"hypercube:n=5", {"dimension-order", "duato"}},
        {"dragonfly:p=2,a=4,h=2", {"dragonfly-minimal", "ugal", "valiant"}},
        {"fat-tree:k=2,n=4", {"nca", "destro", "nca-adaptive"}},
        {"fat-tree:k=4,n=2", {"nca", "destro", "fta", "nca-adaptive"}},
        {"fat-tree:k=6,n=2", {"nca", "nca-adaptive"}},
        {"fat-tree:k=12,n=2", {"nca", "nca-adaptive"}},
        {"fat-tree:k=20,n=2", {"nca", "nca-adaptive"}},
        {"fat-tree:k=4,n=3", {"nca-adaptive", "fta"}},
        {"mikant:k=3,n=2", {"all-port"}},
        {"ruft:k=3,n=3", {"ruft"}},
        {"ft-ruft-212:k=4,n=2", {"ruft"}},
        {"ft-ruft-222:k=2,n=4", {"ruft"}},
        {"ft-ruft-222:k=4,n=3", {"ruft"}},
        {"switch-ring:n=8", {"shortest-path", "up-down"}},
    };
    const auto& [name, routings] = chance_.any_of(networks);
    const std::string& routing = chance_.any_of(routings);
    const TopologyPtr topology = build_topology(parse_compact("topology", name));
    const std::uint32_t faults = chance_.one_in(3) ? chance_.between(1, 3) : 0;
    run_.text = fmt::format("{} {}, {} failed links", name, routing, faults);
    other_routing_ = routing;
    take(topology, build_relation(topology, failed_links(topology, faults), parse_compact("routing", routing),
                                  Switching::wormhole));
  }

  void draw_spec() {
    SimulationSpec& spec = run_.spec;
    spec.switches = WormholeSwitches{};
    spec.seed = seed_;
    spec.injection.load = chance_.any_of(std::vector<double>{0.01, 0.05, 0.2, 0.4, 0.9});
    const bool many = run_.network.topology->terminal_count() > 150;
    spec.measurement.cycles = many ? chance_.between(200, 400) : chance_.between(300, 1500);
    spec.injection.packet_flits = chance_.one_in(4) ? chance_.between(32, 600) : chance_.between(1, 20);
    if (chance_.one_in(3))
      spec.injection.packet_mix = {
          {chance_.between(1, 4), 1}, {spec.injection.packet_flits, 1}, {chance_.between(1, 60), 0.5}};
    spec.injection.load = std::min(spec.injection.load, mean_flits(spec.injection));
    spec.measurement.channel_load = chance_.one_in(2);
    spec.wormhole().buffer_flits = chance_.one_in(4) ? chance_.between(32, 400) : chance_.between(1, 20);
    if (chance_.one_in(6)) spec.measurement.packets_per_source = chance_.between(1, 8);
    spec.selection = selection(chance_.any_of(std::vector<std::string>{
        "first", "random", "random", "most-free", "most-free", "any-free", "nearest", "ugal"}));
    run_.text += fmt::format(", load {}, packets of {} and {} sizes", spec.injection.load,
                             spec.injection.packet_flits, spec.injection.packet_mix.size());
  }

  void draw_switches() {
    SimulationSpec& spec = run_.spec;
    const std::uint32_t least = run_.network.relation->virtual_channels();
    spec.virtual_channels = chance_.between(least, chance_.one_in(2) ? std::max(least, 4U) : 8);
    spec.wormhole().atomic_vcs = run_.network.relation->relies_on_escape() || chance_.one_in(5);
    if (chance_.one_in(2)) {
      spec.wormhole().credit_delay_cycles = chance_.between(0, 3);
      spec.wormhole().pipeline.routing = chance_.between(0, 3);
      spec.wormhole().pipeline.vc_allocation = chance_.between(1, 3);
      spec.wormhole().pipeline.switch_allocation = chance_.between(1, 3);
      spec.wormhole().pipeline.switch_traversal = chance_.between(0, 3);
    }
    spec.wormhole().pipeline.speculative = chance_.one_in(3);
    if (chance_.one_in(4)) spec.wormhole().allocation = Allocation::separable;
    if (chance_.one_in(4)) spec.wormhole().allocation_iterations = chance_.between(1, 4);
    run_.text += fmt::format(", {} VCs of {} flits{}{}", spec.virtual_channels, spec.wormhole().buffer_flits,
                             spec.wormhole().atomic_vcs ? ", only empty ones" : "",
                             spec.wormhole().pipeline.speculative ? ", speculation" : "");
  }

  void draw_failures() {
    SimulationSpec& spec = run_.spec;
    const TopologyPtr& topology = run_.network.topology;
    if (chance_.one_in(3)) {
      spec.faults.on_failure = chance_.one_in(2) ? OnFailure::drop : OnFailure::complete;
      const std::uint32_t some = chance_.between(1, 12);
      for (const ChannelId channel : topology->channels()) {
        if (chance_.between(0, static_cast<std::uint32_t>(topology->channel_count())) > some) continue;
        std::uint64_t at = 0;
        for (std::uint32_t i = chance_.between(1, 3); i != 0; --i) {
          const std::uint64_t from = at + chance_.between(0, 300);
          at = from + chance_.between(1, 300);
          spec.faults.outages.push_back({channel, from, i == 1 && chance_.one_in(3) ? Outage::forever : at});
          ++at;
        }
      }
      run_.text += fmt::format(", {} outages", spec.faults.outages.size());
    }
    if (chance_.one_in(4)) {
      RandomStream random(chance_.between(0, 1U << 30), 11);
      lose_injection_channels(*topology, 300, random, spec.faults.outages);
    }
    if (!other_routing_.empty() && chance_.one_in(3)) draw_reroutings();
    if (spec.faults.reroutings.empty() && chance_.one_in(6)) {
      spec.faults.unseen = failed_links(topology, 1);
      struct Owner {
        RelationPtr base;
        FaultSet dead;
        Lossy lossy;
        Owner(const RelationPtr& relation, const FaultSet& faults)
            : base(relation), dead(faults), lossy(*base, dead) {}
      };
      const auto owner = std::make_shared<const Owner>(run_.network.relation, *spec.faults.unseen);
      run_.network.relation = RelationPtr(owner, &owner->lossy);
      run_.text += ", an unseen fault";
    }
  }

  void draw_reroutings() {
    std::vector<Rerouting>& reroutings = run_.spec.faults.reroutings;
    for (std::uint64_t at = 0; at < 600; at += chance_.between(1, 400))
      reroutings.push_back(
          {at,
           build_relation(run_.network.topology, failed_links(run_.network.topology, chance_.between(0, 2)),
                          parse_compact("routing", other_routing_), Switching::wormhole)});
    std::erase_if(reroutings, [&](const Rerouting& rerouting) {
      return rerouting.relation->virtual_channels() != run_.network.relation->virtual_channels() ||
             rerouting.relation->tag_count() != run_.network.relation->tag_count();
    });
    run_.text += fmt::format(", {} reroutings", reroutings.size());
  }

  Chance chance_;
  std::uint64_t seed_;
  std::string other_routing_;  ///< the routing that a run may change to; empty: none
  WormholeRun run_;
};

}  // namespace faultline::testing_support
