// SPDX-License-Identifier: Apache-2.0
// Ideal throughput against a list of all paths and a small dense simplex, which share no code with it; and
// against what simulations accept.
#include "faultline/simulate/ideal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "faultline/base/random.h"
#include "simulate/cut_through/model.h"
#include "simulate/wormhole/model.h"
#include "support/effort.h"
#include "support/simulate_support.h"

namespace faultline {
namespace {

using testing_support::Network;
using testing_support::network;

/// The largest x[0] of all x >= 0 with rows * x <= rights, where all rights are >= 0: a dense tableau, pivots
/// by Bland's rule.
double maximum(std::vector<std::vector<double>> rows, std::vector<double> rights) {
  constexpr double zero = 1e-11;
  const std::size_t count = rows.size(), columns = rows.front().size();
  std::vector<double> gain(columns + count);
  gain[0] = 1;
  std::vector<std::size_t> basis(count);
  for (std::size_t r = 0; r < count; ++r) {
    rows[r].resize(columns + count);
    rows[r][columns + r] = 1;
    basis[r] = columns + r;
  }
  double value = 0;
  for (;;) {
    const auto enters = static_cast<std::size_t>(
        std::ranges::find_if(gain, [](double g) { return g > zero; }) - gain.begin());
    if (enters == gain.size()) return value;
    std::size_t leaves = count;
    for (std::size_t r = 0; r < count; ++r) {
      if (rows[r][enters] <= zero) continue;
      if (leaves == count) leaves = r;
      const double here = rights[r] / rows[r][enters], best = rights[leaves] / rows[leaves][enters];
      if (here < best - zero || (here < best + zero && basis[r] < basis[leaves])) leaves = r;
    }
    if (leaves == count) return HUGE_VAL;
    const double pivot = rows[leaves][enters];
    for (double& entry : rows[leaves]) entry /= pivot;
    rights[leaves] /= pivot;
    basis[leaves] = enters;
    const auto subtract = [&](std::vector<double>& row, double& right, double sign) {
      const double factor = row[enters];
      if (factor == 0) return;
      for (std::size_t c = 0; c < row.size(); ++c) row[c] -= factor * rows[leaves][c];
      right -= sign * factor * rights[leaves];
    };
    for (std::size_t r = 0; r < count; ++r)
      if (r != leaves) subtract(rows[r], rights[r], 1);
    subtract(gain, value, -1);
  }
}

using Path = std::vector<ChannelId>;

/// All paths of a pair, by trying every option at every step.
void extend(const RoutingRelation& relation, const RouteState& state, Path& path, std::vector<Path>& all) {
  RouteOptions options;
  relation.route(state, options);
  for (const RouteOption& option : options)
    for (std::uint32_t vcs = option.vcs; vcs != 0; vcs &= vcs - 1) {
      path.push_back(option.channel);
      if (relation.topology().role(option.channel) == ChannelRole::ejection)
        all.push_back(path);
      else
        extend(relation,
               {relation.topology().target(option.channel), state.destination, option.channel,
                static_cast<std::uint8_t>(std::countr_zero(vcs)), option.tag},
               path, all);
      path.pop_back();
    }
}

std::vector<Path> all_paths(const RoutingRelation& relation, TerminalId source, TerminalId destination) {
  RouteOptions options;
  relation.inject(source, destination, options);
  std::vector<Path> all;
  for (const RouteOption& option : options) {
    Path path{option.channel};
    extend(relation, {relation.topology().target(option.channel), destination, option.channel, 0, option.tag},
           path, all);
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Throughput of the maximum concurrent flow over explicit paths.
double best_throughput(const RoutingRelation& relation, const TrafficPattern& pattern) {
  const Topology& topology = relation.topology();
  struct Pair {
    double share;
    std::vector<Path> paths;
  };
  std::vector<Pair> pairs;
  std::size_t columns = 1;
  double served = 0;
  for (const TerminalId source : topology.terminals()) {
    if (pattern.silent(source)) continue;
    for (const TerminalId destination : topology.terminals()) {
      const double share = pattern.share(source, destination);
      if (share == 0) continue;
      pairs.push_back({share, all_paths(relation, source, destination)});
      if (pairs.back().paths.empty())
        pairs.pop_back();
      else {
        columns += pairs.back().paths.size();
        served += share;
      }
    }
  }
  std::vector<std::vector<double>> rows(topology.channel_count(), std::vector<double>(columns));
  std::vector<double> rights(topology.channel_count(), 1);
  std::size_t column = 1;
  for (const Pair& pair : pairs) {
    std::vector<double> demand(columns);
    demand[0] = pair.share;
    for (const Path& path : pair.paths) {
      for (const ChannelId channel : path) rows[channel.index()][column] += 1;
      demand[column++] = -1;
    }
    rows.push_back(std::move(demand));
    rights.push_back(0);
  }
  return maximum(std::move(rows), std::move(rights)) * served /
         static_cast<double>(topology.terminal_count());
}

/// Some sources send to a few destinations in unequal shares.
class RandomShares final : public TrafficPattern {
 public:
  RandomShares(std::size_t terminals, std::uint64_t seed)
      : shares_(terminals, std::vector<double>(terminals)) {
    for (std::size_t s = 0; s < terminals; ++s) {
      if (mix(seed, s, 1) % 5 == 0) continue;
      double sum = 0;
      for (std::size_t d = 0; d < terminals; ++d)
        if (d != s && mix(seed, s, 100 + d) % 3 == 0)
          sum += shares_[s][d] = static_cast<double>(1 + mix(seed, s, 200 + d) % 4);
      for (double& share : shares_[s]) share = sum > 0 ? share / sum : 0;
    }
  }
  [[nodiscard]] TerminalId destination(TerminalId, std::uint64_t) const override { return TerminalId(0); }
  [[nodiscard]] bool silent(TerminalId source) const override {
    return std::ranges::all_of(shares_[source.index()], [](double share) { return share == 0; });
  }
  [[nodiscard]] double share(TerminalId source, TerminalId destination) const override {
    return shares_[source.index()][destination.index()];
  }

 private:
  std::vector<std::vector<double>> shares_;
};

void expect_best(const RoutingRelation& relation, const TrafficPattern& pattern, const std::string& what) {
  const double best = best_throughput(relation, pattern);
  if (!(best > 0)) return;  // nobody sends
  const std::optional<IdealThroughput> exact = ideal_throughput(relation, pattern);
  ASSERT_TRUE(exact) << what;
  EXPECT_NEAR(exact->bound, best, 1e-6 * best) << what;
  EXPECT_NEAR(exact->reached, best, 1e-6 * best) << what;
  EXPECT_LE(exact->even_split, best * (1 + 1e-9)) << what;
  const IdealThroughput weighed = *ideal_throughput(relation, pattern, {.gap = 0.002, .lp_arcs = 0});
  EXPECT_NE(weighed.method, "linear program");
  EXPECT_LE(weighed.reached, best * (1 + 1e-9)) << what;
  EXPECT_GE(weighed.bound, best * (1 - 1e-9)) << what;
  EXPECT_LE(weighed.bound, weighed.reached * 1.0021) << what;
}

TEST(IdealThroughput, IsTheBestOfAllPathsOfSmallNetworks) {
  constexpr struct {
    const char *topology, *routing;
  } networks[] = {{"mesh:radix=3x3", "minimal-adaptive"},
                  {"mesh:radix=3x3", "duato"},
                  {"mesh:radix=3x3", "dimension-order"},
                  {"torus:radix=4x3", "minimal-adaptive"},
                  {"torus:radix=4x3", "duato"},
                  {"hypercube:n=3", "minimal-adaptive"},
                  {"hypercube:n=3", "shortest-path"},
                  {"fat-tree:k=2,n=3", "fta"},
                  {"fat-tree:k=2,n=3", "destro"},
                  {"ruft-pl:k=2,n=3", ""},
                  {"ft-ruft-212:k=2,n=3", ""},
                  {"ft-ruft-222:k=2,n=2", ""},
                  {"mesh:radix=3x3", "up-down"}};
  for (const auto& [topology, routing] : networks)
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const Network built = network(topology, routing);
      expect_best(*built.relation, RandomShares(built.topology->terminal_count(), seed),
                  fmt::format("{} {} seed {}", topology, routing, seed));
    }
}

TEST(IdealThroughput, IsTheBestOfAllPathsAfterFaults) {
  for (const char* topology : {"ft-ruft-212:k=2,n=3", "ft-ruft-222:k=2,n=2", "fat-tree:k=2,n=3"})
    for (std::uint64_t seed = 1; seed <= effort(5U, 2U); ++seed) {
      const TopologyPtr built = build_topology(parse_compact("topology", topology));
      FaultSet faults(*built);
      for (std::uint64_t i = 0; i < 2; ++i)
        faults.fail(ChannelId(mix(seed, i, 7) % built->network_channel_count()));
      const Network after = network(built, faults);
      expect_best(*after.relation, RandomShares(built->terminal_count(), seed),
                  fmt::format("{} seed {}", topology, seed));
    }
}

/// The rate of the source that had least delivered in the second half of the run, in flits a cycle.
double least_served(const std::vector<Delivery>& log, const TrafficPattern& pattern, const Topology& topology,
                    std::uint64_t cycles) {
  std::map<std::uint32_t, double> rates;
  for (const TerminalId source : topology.terminals())
    if (!pattern.silent(source)) rates[source.value()] = 0;
  const std::uint64_t half = cycles / 2;
  for (const Delivery& packet : log)
    if (const auto at = static_cast<std::uint64_t>(packet.delivered); at >= half && at < cycles)
      rates[packet.source] += packet.flits / static_cast<double>(cycles - half);
  return std::ranges::min_element(rates, {}, [](const auto& rate) { return rate.second; })->second;
}

struct Run {
  SimulationResult result;
  std::vector<Delivery> log;
};

Run run(const Network& network, const SimulationSpec& spec) {
  Run run;
  run.result =
      spec.switching() == Switching::wormhole
          ? wormhole::run_scalar(*network.relation, *network.pattern, spec, {}, &run.log).result
          : cut_through::run_event_driven(*network.relation, *network.pattern, spec, {}, &run.log).result;
  return run;
}

/// Below the bound everything may be accepted, above it never; beyond it, the source that is served least.
void expect_bounded(const Network& network, Switching switching, const std::string& what) {
  const IdealThroughput ideal = ideal_throughput(*network.relation, *network.pattern).value();
  const auto sources = static_cast<double>(std::ranges::count_if(
      network.topology->terminals(), [&](TerminalId source) { return !network.pattern->silent(source); }));
  const double all = static_cast<double>(network.topology->terminal_count());
  SimulationSpec spec;
  spec.switches = switches_of(switching);
  spec.injection.packet_flits = 8;
  spec.measurement.cycles = 12'000;
  for (const double load : {0.6 * ideal.bound, 0.95 * ideal.bound, 2.0}) {
    spec.injection.load = load * all / sources;
    const Run one = run(network, spec);
    if (!one.result.saturated) {
      EXPECT_LE(one.result.accepted_interval.low, ideal.bound) << what << " load " << load;
    }
    EXPECT_LE(least_served(one.log, *network.pattern, *network.topology, spec.measurement.cycles),
              1.01 * ideal.bound * all / sources)
        << what << " load " << load;
  }
}

TEST(IdealThroughput, IsNotExceededBySimulations) {
  constexpr struct {
    const char *topology, *routing;
  } networks[] = {{"mesh:radix=8x8", "duato"},          {"mesh:radix=8x8", "dimension-order"},
                  {"torus:radix=4x4", "duato"},         {"fat-tree:k=4,n=2", "fta"},
                  {"fat-tree:k=4,n=2", "nca-adaptive"}, {"ft-ruft-222:k=4,n=2", ""},
                  {"ft-ruft-212:k=4,n=2", ""},          {"hypercube:n=4", "duato"}};
  std::size_t number = 0;
  for (const auto& [topology, routing] : networks)
    for (const char* traffic :
         {"uniform", "bit-reversal", "transpose", "perfect-shuffle", "hot-spot:share=0.15"})
      for (const Switching switching : {Switching::cut_through, Switching::wormhole}) {
        if (number++ % effort(1U, 41U) != 0) continue;
        const TopologyPtr built = build_topology(parse_compact("topology", topology));
        const RelationPtr relation = build_relation(
            built, FaultSet(*built),
            *routing == '\0' ? Description{"routing", "", {}, {}} : parse_compact("routing", routing),
            switching);
        expect_bounded({built, relation, build_pattern(*built, 1, parse_compact("traffic", traffic))},
                       switching,
                       fmt::format("{} {} {} {}", topology, routing, traffic,
                                   switching == Switching::wormhole ? "wormhole" : "vct"));
      }
}

}  // namespace
}  // namespace faultline
