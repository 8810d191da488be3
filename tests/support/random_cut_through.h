// SPDX-License-Identifier: Apache-2.0
// Runs of the cut-through model drawn at random: network, routing, traffic and spec.
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>

#include "faultline/base/random.h"
#include "faultline/simulate/packet_sizes.h"
#include "support/random_outages.h"
#include "support/random_relation.h"
#include "support/simulate_support.h"

namespace faultline::testing_support {

inline constexpr std::array buffer_names{"automatic", "input", "output", "both"};
inline constexpr std::array arbitrations{Arbitration::round_robin, Arbitration::matrix, Arbitration::oldest,
                                         Arbitration::random};
inline constexpr std::array arbitration_names{"round robin", "matrix", "oldest", "random"};

struct Configuration {
  std::string name;
  Network built;
  SimulationSpec spec;
};

template <class Values>
auto one_of(RandomStream& random, const Values& values) {
  return values[random.next_below(static_cast<std::uint32_t>(std::size(values)))];
}

inline FaultSet random_faults(const Topology& topology, RandomStream& random, std::uint32_t count) {
  FaultSet faults(topology);
  for (std::uint32_t i = 0; i < count; ++i)
    faults.fail(ChannelId(random.next_below(static_cast<std::uint32_t>(topology.channel_count()))));
  return faults;
}

inline SimulationSpec random_spec(RandomStream& random) {
  SimulationSpec spec;
  spec.injection.packet_flits = one_of(random, std::array{16U, 128U, 16U, 128U, 1U, 2U, 5U});
  spec.injection.load = one_of(random, std::array{0.05, 0.2, 0.4, 0.55, 0.8, 1.2, 2.0});
  spec.injection.load = std::min<double>(spec.injection.load, spec.injection.packet_flits);
  spec.selection = selection(
      one_of(random, std::array{"most-free", "most-free", "any-free", "random", "first", "nearest", "ugal"}));
  spec.cut_through().buffers =
      one_of(random, std::array{Buffering::input, Buffering::output, Buffering::both, Buffering::both});
  spec.cut_through().buffer_packets = one_of(random, std::array{1U, 2U, 2U, 3U, 5U});
  spec.cut_through().routing_cycles = one_of(random, std::array{4U, 4U, 0U, 9U});
  spec.cut_through().crossbar_cycles = one_of(random, std::array{1U, 1U, 0U, 3U});
  spec.arbitration = one_of(random, arbitrations);
  spec.measurement.cycles = 1500 + 12 * spec.injection.packet_flits + random.next_below(100);
  spec.measurement.channel_load = random.next_below(2) == 0;
  if (random.next_below(3) == 0) {
    spec.injection.packet_mix = {
        {1 + random.next_below(9), 1}, {spec.injection.packet_flits, 2}, {1 + random.next_below(90), 0.5}};
    spec.injection.load = std::min(spec.injection.load, mean_flits(spec.injection));
  }
  if (random.next_below(4) == 0) spec.measurement.packets_per_source = 1 + random.next_below(6);
  if (random.next_below(3) == 0) spec.measurement.warmup = random.next_below(700);
  spec.seed = random.next();
  return spec;
}

/// A topology with a routing that it takes.
struct Pairing {
  const char* topology;
  const char* routing;
};

inline std::string named(const Pairing& pairing, const SimulationSpec& spec, std::string_view traffic,
                         std::uint32_t faults, std::uint64_t seed) {
  return fmt::format(
      "seed {}: {} {} {}, {} faults, load {}, {} flits of {} sizes, {} buffers of {}, commits {}, reads "
      "order {} and queues {}, {} arbitration, routing {}, crossbar {}, {} a source",
      seed, pairing.topology, pairing.routing, traffic, faults, spec.injection.load,
      spec.injection.packet_flits, spec.injection.packet_mix.size(),
      buffer_names[static_cast<std::size_t>(spec.cut_through().buffers)], spec.cut_through().buffer_packets,
      spec.selection.commits(), spec.selection.reads_order, spec.selection.reads_queues,
      arbitration_names[static_cast<std::size_t>(spec.arbitration.value())],
      spec.cut_through().routing_cycles, spec.cut_through().crossbar_cycles,
      spec.measurement.packets_per_source);
}

inline Configuration configured(const Pairing& pairing, RandomStream& random, std::uint64_t seed) {
  const std::string_view traffic =
      one_of(random, std::array{"uniform", "uniform", "complement", "hot-spot:share=0.3", "perfect-shuffle"});
  const std::uint32_t faults = one_of(random, std::array{0U, 0U, 1U, 4U});
  const TopologyPtr built = build_topology(parse_compact("topology", pairing.topology));
  const bool power_of_two = std::has_single_bit(built->terminal_count());
  Configuration configuration{"",
                              network(built, random_faults(*built, random, faults), pairing.routing,
                                      power_of_two ? traffic : "uniform", seed),
                              random_spec(random)};
  SimulationSpec& spec = configuration.spec;
  if (configuration.built.relation->virtual_channels() > 1) spec.cut_through().buffers = Buffering::automatic;
  if (!configuration.built.relation->bubble_rings().empty())
    spec.cut_through().buffer_packets = std::max(2U, spec.cut_through().buffer_packets);
  configuration.name = named(pairing, spec, traffic, faults, seed);
  return configuration;
}

/// Everything that the contract of a relation allows, on a network of a few switches.
inline Configuration random_relation(std::uint64_t seed, RandomStream& random) {
  const auto relation = std::make_shared<RandomRelation>(seed);
  return {fmt::format("random relation of seed {}", seed),
          {relation->shared_topology(), relation,
           build_pattern(relation->topology(), 1, parse_compact("traffic", "uniform"))},
          random_spec(random)};
}

inline Configuration one_virtual_channel(std::uint64_t seed) {
  RandomStream random(seed, 0);
  const char* const topology =
      one_of(random, std::array{"fat-tree:k=2,n=3", "ruft:k=2,n=3", "ruft-pl:k=2,n=3", "ft-ruft-212:k=2,n=3",
                                "ft-ruft-222:k=2,n=3", "fat-tree:k=4,n=2", "ft-ruft-222:k=4,n=2",
                                "ruft-pl:k=3,n=2", "ft-ruft-212:k=4,n=2"});
  const char* const routing = one_of(random, std::array{"", "", "", "shortest-path", "up-down"});
  return configured({topology, routing}, random, seed);
}

/// Rings with a bubble and without anything, several virtual channels, switches with up to 63 of them.
inline Configuration grid(std::uint64_t seed) {
  RandomStream random(seed, 1);
  const Pairing pairing = one_of(
      random,
      std::array{Pairing{"torus:radix=4x4", "dimension-order"}, Pairing{"torus:radix=5", "dimension-order"},
                 Pairing{"torus:radix=4x3", "direction-order"},
                 Pairing{"torus:radix=4x4", "dimension-order:ring_rule=none"},
                 Pairing{"torus:radix=4x4", "dimension-order:ring_rule=dateline"},
                 Pairing{"torus:radix=4x4", "duato"}, Pairing{"torus:radix=3x5", "duato:adaptive_vcs=2"},
                 Pairing{"torus:radix=4x4", "duato:ring_rule=dateline"},
                 Pairing{"torus:radix=2x3x2", "duato:adaptive_vcs=8"},
                 Pairing{"torus:radix=4x4", "minimal-adaptive"},
                 Pairing{"torus:radix=4x4", "minimal-adaptive:vcs=2"},
                 Pairing{"mesh:radix=4x4", "duato:adaptive_vcs=3"},
                 Pairing{"mesh:radix=3x4", "minimal-adaptive:vcs=4"}});
  return configured(pairing, random, seed);
}

/// Switches with 65 to 256 virtual channels at their inputs or outputs.
inline Configuration wide_switches(std::uint64_t seed) {
  RandomStream random(seed, 9);
  const Pairing pairing =
      one_of(random, std::array{Pairing{"hypercube:n=3", "duato:adaptive_vcs=20"},
                                Pairing{"hypercube:n=3", "duato:adaptive_vcs=26"},
                                Pairing{"torus:radix=3x3", "duato:adaptive_vcs=17"},
                                Pairing{"torus:radix=4x4", "duato:adaptive_vcs=12"},
                                Pairing{"mesh:radix=3x3", "minimal-adaptive:vcs=30"},
                                Pairing{"mesh:radix=2x2,terminals_per_switch=20", "minimal-adaptive:vcs=4"},
                                Pairing{"mesh:radix=2x2,terminals_per_switch=30", "valiant"},
                                Pairing{"torus:radix=4,terminals_per_switch=68", "dimension-order"},
                                Pairing{"torus:radix=4,terminals_per_switch=150", "minimal-adaptive"},
                                Pairing{"fat-tree:k=70,n=1", "nca-adaptive"},
                                Pairing{"mesh:radix=2x2,terminals_per_switch=25", "drb"},
                                Pairing{"mesh:radix=2x2,terminals_per_switch=15", "ft-drb"}});
  Configuration configuration = configured(pairing, random, seed);
  configuration.spec.measurement.cycles /= 2;
  if (configuration.spec.measurement.warmup) configuration.spec.measurement.warmup = 50;
  return configuration;
}

}  // namespace faultline::testing_support
