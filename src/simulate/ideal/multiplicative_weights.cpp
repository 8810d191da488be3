// SPDX-License-Identifier: Apache-2.0
#include "simulate/ideal/multiplicative_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/sort_unique.h"

namespace faultline {
namespace {

/// The load that one destination's packets add to the channels that they can use.
struct Portion {
  std::vector<std::uint32_t> channels;
  std::vector<double> loads;
};

class Descent {
 public:
  explicit Descent(const FlowNetworks& networks) : networks_(networks), loads_(networks.channel_count()) {
    std::vector<double> all(networks.channel_count());
    const std::vector<double> hops(networks.channel_count(), 1);
    for (const FlowNetwork& network : networks.kept()) {
      Portion portion;
      for (const FlowNetwork::Arc& arc : network.arcs) portion.channels.push_back(arc.channel);
      sort_unique(portion.channels);
      std::ranges::fill(all, 0);
      const double arrived = spread_evenly(network, all);
      const double sent = std::accumulate(network.demands.begin(), network.demands.end(), 0.0);
      if (arrived < sent * (1 - 1e-9)) {  // packets that choose obliviously run into dead ends
        std::ranges::fill(all, 0);
        (void)send_shortest(network, hops, all);
      }
      for (const std::uint32_t channel : portion.channels) {
        portion.loads.push_back(all[channel]);
        loads_[channel] += all[channel];
      }
      portions_.push_back(std::move(portion));
    }
  }

  [[nodiscard]] const std::vector<double>& loads() const { return loads_; }

  /// `weights` are exp(steepness * loads()), up to a factor.
  void sweep(std::vector<double> weights, double steepness) {
    std::vector<double> shortest(loads_.size());
    for (std::size_t d = 0; d < portions_.size(); ++d) {
      Portion& portion = portions_[d];
      (void)send_shortest(networks_.kept()[d], weights, shortest);
      moves_.clear();
      for (std::size_t i = 0; i < portion.channels.size(); ++i) {
        const double target = std::exchange(shortest[portion.channels[i]], 0);
        moves_.push_back({portion.channels[i], steepness * (target - portion.loads[i])});
      }
      const double step = best_step(weights);
      for (std::size_t i = 0; step > 0 && i < moves_.size(); ++i) {
        const auto [channel, growth] = moves_[i];
        portion.loads[i] += step * growth / steepness;
        loads_[channel] += step * growth / steepness;
        weights[channel] *= std::exp(step * growth);
      }
    }
  }

 private:
  struct Move {
    std::uint32_t channel;
    double growth;  ///< of the weight's logarithm, when the whole move is made
  };

  [[nodiscard]] double slope(std::span<const double> weights, double step) const {
    double sum = 0;
    for (const auto [channel, growth] : moves_)
      if (growth != 0) sum += weights[channel] * growth * std::exp(step * growth);
    return sum;
  }

  /// The sum of the weights is convex in the step: where its slope turns, from below, so that it never grows.
  [[nodiscard]] double best_step(std::span<const double> weights) const {
    constexpr double precision = 0.1, least = 1e-9;
    if (slope(weights, 0) >= 0) return 0;
    if (slope(weights, 1) <= 0) return 1;
    double low = 0, high = 1;
    while (high - low > precision * high && high > least) {
      const double middle = (low + high) / 2;
      (slope(weights, middle) < 0 ? low : high) = middle;
    }
    return low;
  }

  const FlowNetworks& networks_;
  std::vector<Portion> portions_;
  std::vector<double> loads_;
  std::vector<Move> moves_;
};

}  // namespace

void narrow_by_weights(LoadBracket& bracket, const FlowNetworks& networks, double gap, int rounds) {
  Descent descent(networks);
  const double channels = static_cast<double>(networks.channel_count());
  for (int round = 0; round < rounds && !bracket.is_closed(gap); ++round) {
    // The logarithm of the sum of the weights approximates the busiest load up to ln(channels) / steepness:
    // half of the gap.
    const double steepness =
        2 * std::log(channels) / std::max(bracket.high - bracket.low, 1e-9 * bracket.high);
    std::vector<double> lengths = weights(descent.loads(), steepness);
    (void)raise(bracket, networks, lengths);
    descent.sweep(std::move(lengths), steepness);
    if (const double busiest = std::ranges::max(descent.loads()); busiest < bracket.high) {
      bracket.high = busiest;
      bracket.best = descent.loads();
    }
  }
}

}  // namespace faultline
