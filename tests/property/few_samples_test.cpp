// SPDX-License-Identifier: Apache-2.0
// Intervals of the mean fraction of connected pairs where few fault sets are drawn, against all fault sets,
// which the test enumerates itself: from the paths of every pair, as bit sets of channels.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "faultline/resilience/resilience.h"
#include "resilience/evaluate/evaluator.h"
#include "resilience/fractions/points.h"
#include "support/sample_networks.h"

namespace faultline {
namespace {

using Bits = std::uint64_t;

/// Of a network with at most 64 network channels, each of which may fail.
class PlainNetwork {
 public:
  explicit PlainNetwork(const std::string& topology)
      : network_(make_network(topology)),
        components_(network_.relation->shared_topology(), FaultUnit::channel, FaultScope::network) {
    const Topology& built = components_.topology();
    for (const TerminalId source : built.terminals())
      for (const TerminalId destination : built.terminals())
        if (source != destination) add_pair(source, destination);
  }

  [[nodiscard]] const RelationPtr& relation() const { return network_.relation; }
  [[nodiscard]] Survival survival() const { return network_.survival; }
  [[nodiscard]] const FaultComponents& components() const { return components_; }

  /// Fraction of the pairs without a living path.
  [[nodiscard]] double lost(Bits dead) const {
    std::size_t lost = 0;
    for (const std::vector<Bits>& paths : pairs_)
      lost += std::ranges::all_of(paths, [&](Bits path) { return (path & dead) != 0; }) ? 1 : 0;
    return static_cast<double>(lost) / static_cast<double>(pairs_.size());
  }

 private:
  void add_pair(TerminalId source, TerminalId destination) {
    RouteOptions starts;
    relation()->inject(source, destination, starts);
    pairs_.emplace_back();
    for (const RouteOption& start : starts) follow(start, destination, 0);
  }

  void follow(const RouteOption& taken, TerminalId destination, Bits path) {
    const Topology& built = components_.topology();
    const SwitchId at = built.target(taken.channel);
    if (!at.valid()) {
      pairs_.back().push_back(path);
      return;
    }
    const auto vc = static_cast<std::uint8_t>(std::countr_zero(taken.vcs));
    RouteOptions options;
    relation()->route({at, destination, taken.channel, vc, taken.tag}, options);
    for (const RouteOption& next : options) follow(next, destination, path | bit(next.channel));
  }

  [[nodiscard]] Bits bit(ChannelId channel) const {
    for (std::uint32_t i = 0; i < components_.count(); ++i)
      if (components_.fault_set(std::vector{i}).failed(channel)) return Bits{1} << i;
    return 0;
  }

  SampleNetwork network_;
  FaultComponents components_;
  std::vector<std::vector<Bits>> pairs_;
};

struct Moments {
  double mean = 0, deviation = 0;
};

/// Of the fraction of lost pairs, over all sets of `faults` channels.
Moments over_all_sets(const PlainNetwork& network, std::uint32_t faults) {
  const std::size_t count = network.components().count();
  double sets = 0, sum = 0, squares = 0;
  const std::function<void(std::size_t, std::uint32_t, Bits)> choose = [&](std::size_t from,
                                                                           std::uint32_t left, Bits dead) {
    if (left == 0) {
      const double lost = network.lost(dead);
      ++sets;
      sum += lost;
      squares += lost * lost;
      return;
    }
    for (std::size_t i = from; i + left <= count; ++i) choose(i + 1, left - 1, dead | Bits{1} << i);
  };
  choose(0, faults, 0);
  const double mean = sum / sets;
  return {mean, std::sqrt(squares / sets - mean * mean)};
}

bool holds(const Interval& interval, double value) {
  return interval.low <= value + 1e-12 && value <= interval.high + 1e-12;
}

// 5 % of these are 10; that there are more than 20 has a probability of 1e-3.
constexpr std::uint64_t seeds = 200;
constexpr int max_missed = 20;

struct AskedFraction {
  const char* topology;
  std::uint32_t faults;
};

void PrintTo(const AskedFraction& asked, std::ostream* out) { *out << asked.topology << ' ' << asked.faults; }

class FewSamples : public testing::TestWithParam<AskedFraction> {
 protected:
  FaultPoint drawn(std::uint64_t samples, std::uint64_t seed) {
    if (!evaluator_)
      evaluator_ =
          survival::make_evaluator({network_.relation(), network_.survival(), network_.components()}, "word");
    return survival::measure(*evaluator_, network_.components(), GetParam().faults,
                             {.method = ResilienceMethod::sampled, .samples = samples}, {.seed = seed}, {})
        .point;
  }

  PlainNetwork network_{GetParam().topology};
  Moments exact_ = over_all_sets(network_, GetParam().faults);

 private:
  std::unique_ptr<survival::Evaluator> evaluator_;
};

/// Five sets often lose the same number of pairs: their variance, which is 0, says nothing of the others.
TEST_P(FewSamples, IntervalsCoverTheExactMean) {
  for (const std::uint64_t samples : {1U, 5U, 20U, 50U, 200U}) {
    int missed = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
      missed += holds(drawn(samples, seed).connected_pairs_interval, 1 - exact_.mean) ? 0 : 1;
    EXPECT_LE(missed, max_missed) << samples;
  }
}

/// In n draws, a share of 3 / n of all sets goes unseen in one case of 20, and may lose every pair.
TEST_P(FewSamples, ManySamplesGiveAnIntervalThatIsHardlyWider) {
  constexpr std::uint64_t samples = 100'000;
  const FaultPoint point = drawn(samples, 1);
  const double normal = 2 * 1.96 * exact_.deviation / std::sqrt(samples);
  const double width = point.connected_pairs_interval.high - point.connected_pairs_interval.low;
  EXPECT_LT(width, 1.05 * normal + 3.0 / samples);
  EXPECT_GT(width, 0.95 * normal);
}

INSTANTIATE_TEST_SUITE_P(Networks, FewSamples,
                         testing::Values(AskedFraction{"torus:radix=4x4", 2},
                                         AskedFraction{"mesh:radix=4x4", 3},
                                         AskedFraction{"mesh:radix=4x4", 1},
                                         AskedFraction{"torus:radix=5", 2}));

/// Every channel fails alike: sets of one fault, which are most of them, all lose the same number of pairs.
TEST(FewSamplesOfFailures, IntervalsCoverTheExactMean) {
  const PlainNetwork network("torus:radix=5");
  constexpr double rate = 0.001, repair = 50, down = rate * repair / (1 + rate * repair);
  double exact = 0;
  const std::size_t count = network.components().count();
  for (Bits dead = 0; dead < Bits{1} << count; ++dead) {
    const auto failed = static_cast<double>(std::popcount(dead));
    exact +=
        std::pow(down, failed) * std::pow(1 - down, static_cast<double>(count) - failed) * network.lost(dead);
  }
  for (const std::uint64_t samples : {5U, 20U}) {
    int missed = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      ResilienceStudy study(network.relation(), network.survival(), network.components(), {.seed = seed});
      const auto found = study.reliability({.rates = {{FaultUnit::channel, rate, repair}},
                                            .method = ResilienceMethod::sampled,
                                            .samples = samples});
      missed += holds(found->steady->disconnected_pairs.interval, exact) ? 0 : 1;
    }
    EXPECT_LE(missed, max_missed) << samples;
  }
}

}  // namespace
}  // namespace faultline
