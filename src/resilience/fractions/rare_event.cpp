// SPDX-License-Identifier: Apache-2.0
#include "resilience/fractions/rare_event.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>

#include "base/sort_unique.h"
#include "resilience/fractions/derivation_choices.h"

namespace faultline::survival {
namespace {

constexpr std::uint64_t samples_a_chunk = 256;

/// The share of the sets of `faults` of n components that contain k given ones.
double containing(std::uint32_t k, std::uint32_t n, std::uint32_t faults) {
  double share = 1;
  for (std::uint32_t i = 0; i < std::min(k, faults); ++i)
    share *= static_cast<double>(faults - i) / static_cast<double>(n - i);
  return share;
}

/// Derivations by size are as likely as a set of so many faults contains given components.
std::vector<double> weights(const Derivations& derivations, std::uint32_t faults) {
  std::vector<double> result;
  for (std::uint32_t size = 0; size <= derivations.largest(); ++size)
    result.push_back(containing(size, derivations.circuit().components(), faults));
  return result;
}

class Estimator {
 public:
  Estimator(const Derivations& derivations, const DerivationChoices& choices, std::uint32_t faults)
      : derivations_(derivations),
        choices_(choices),
        faults_(faults),
        contained_(derivations),
        failed_(derivations.circuit().components()) {}

  double sample(RandomStream random) {
    const auto& choice = choices_.pick(random.next_unit());
    set_.clear();
    derivations_.draw(choice.output, choice.size, random, set_);
    sort_unique(set_);
    const auto distinct = static_cast<std::uint32_t>(set_.size());
    if (distinct > faults_) return 0;
    fill_up(random);
    const std::uint32_t n = derivations_.circuit().components();
    return choices_.total() * containing(distinct, n, faults_) / choices_.weight(choice.size) /
           contained_.count(set_);
  }

 private:
  void fill_up(RandomStream& random) {
    for (const std::uint32_t component : set_) failed_[component] = true;
    while (set_.size() < faults_) {
      const std::uint32_t component = random.next_below(derivations_.circuit().components());
      if (failed_[component]) continue;
      failed_[component] = true;
      set_.push_back(component);
    }
    for (const std::uint32_t component : set_) failed_[component] = false;
  }

  const Derivations& derivations_;
  const DerivationChoices& choices_;
  std::uint32_t faults_;
  Derivations::Contained contained_;
  std::vector<bool> failed_;
  std::vector<std::uint32_t> set_;
};

struct Sums {
  double values = 0, squares = 0;
};

}  // namespace

std::uint32_t largest_derivation(std::uint32_t faults) { return faults + 8; }

RareEstimate estimate_rare(const Derivations& derivations, std::uint32_t faults, std::uint64_t samples,
                           std::uint64_t seed, std::uint32_t threads) {
  const DerivationChoices choices(derivations, weights(derivations, faults));
  if (choices.total() == 0) return {};
  std::vector<Sums> chunks((samples + samples_a_chunk - 1) / samples_a_chunk);
  tbb::task_arena arena(static_cast<int>(std::max(1U, threads)));
  arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, chunks.size(), 16), [&](const auto& range) {
      Estimator estimator(derivations, choices, faults);
      for (std::size_t chunk = range.begin(); chunk != range.end(); ++chunk)
        for (std::uint64_t i = chunk * samples_a_chunk; i < std::min(samples, (chunk + 1) * samples_a_chunk);
             ++i) {
          const double value = estimator.sample(RandomStream(seed, (std::uint64_t{faults} << 40) | i));
          chunks[chunk].values += value;
          chunks[chunk].squares += value * value;
        }
    });
  });
  Sums all;
  for (const Sums& chunk : chunks) {
    all.values += chunk.values;
    all.squares += chunk.squares;
  }
  const auto n = static_cast<double>(samples);
  const double mean = all.values / n;
  const double error = std::sqrt(std::max(0.0, all.squares / n - mean * mean) / std::max(1.0, n - 1));
  // Where every sample has the same value only rounding is left.
  const double half = 1.96 * error + 1e-12 * mean;
  return {mean, {std::max(0.0, mean - half), std::min(1.0, mean + half)}, mean > 0 ? error / mean : 0};
}

}  // namespace faultline::survival
