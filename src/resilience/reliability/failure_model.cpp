// SPDX-License-Identifier: Apache-2.0
#include "resilience/reliability/failure_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace faultline::survival {
namespace {

/// Probabilities of 0, 1, … faults, up to where the remainder is below the precision of a double.
std::vector<double> binomial_probabilities(std::uint32_t count, double failed) {
  std::vector<double> result;
  const double odds = std::log(failed) - std::log1p(-failed);
  double logarithm = static_cast<double>(count) * std::log1p(-failed);
  const double mean = static_cast<double>(count) * failed;
  for (std::uint32_t faults = 0; faults <= count; ++faults) {
    result.push_back(std::exp(logarithm));
    if (faults > mean && result.back() < 1e-300) break;
    logarithm += odds + std::log(static_cast<double>(count - faults) / static_cast<double>(faults + 1));
  }
  return result;
}

std::vector<double> convolution(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) result[i + j] += a[i] * b[j];
  return result;
}

}  // namespace

FailureModel::FailureModel(std::vector<Class> classes, std::uint32_t least)
    : classes_(std::move(classes)), least_(least), onward_(classes_.size()) {
  for (const Class& one : classes_) {
    class_of_.insert(class_of_.end(), one.count, static_cast<std::uint32_t>(of_.size()));
    of_.push_back(binomial_probabilities(one.count, one.failed));
  }
  std::vector<double> behind{1.0};
  for (std::size_t i = classes_.size(); i-- > 0;) onward_[i] = behind = convolution(of_[i], behind);
  taken_.resize(class_of_.size());
}

double FailureModel::at_least(std::uint32_t faults) const {
  const std::vector<double>& total = onward_.front();
  if (faults == 0) return 1;
  if (faults >= total.size()) return 0;
  // The smallest first.
  return std::accumulate(total.rbegin(), total.rend() - static_cast<std::ptrdiff_t>(faults), 0.0);
}

double FailureModel::exactly(std::uint32_t faults) const {
  const std::vector<double>& total = onward_.front();
  return faults < total.size() ? total[faults] : 0;
}

double FailureModel::probability_of_not_drawing() const {
  double sum = 0;
  for (std::uint32_t faults = 0; faults < least_; ++faults) sum += exactly(faults);
  return sum;
}

double FailureModel::not_drawn_left_per_hour() const {
  double sum = 0;
  for (std::size_t number = 0; number < classes_.size() && least_ > 0; ++number) {
    const Class& one = classes_[number];
    sum += one.failure_rate * one.count * (1 - one.failed) * others(number).exactly(least_ - 1);
  }
  return sum;
}

FailureModel FailureModel::others(std::size_t number) const {
  std::vector<Class> others = classes_;
  for (std::size_t later = number + 1; later < others.size(); ++later) --others[later].first;
  --others[number].count;
  return {std::move(others), 0};
}

std::vector<double> FailureModel::probabilities_of_drawing_with() const {
  std::vector<double> probabilities;
  for (std::size_t number = 0; number < classes_.size(); ++number) {
    if (least_ < 2) {
      probabilities.push_back(1);
      continue;
    }
    probabilities.push_back(others(number).at_least(least_ - 1));
  }
  return probabilities;
}

std::uint32_t FailureModel::pick(const std::vector<double>& weights, std::uint32_t first,
                                 RandomStream& random) const {
  double left = random.next_unit() *
                std::accumulate(weights.rbegin(), weights.rend() - static_cast<std::ptrdiff_t>(first), 0.0);
  auto last = first;
  for (auto i = first; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    last = i;
    left -= weights[i];
    if (left < 0) break;
  }
  return last;
}

void FailureModel::draw(RandomStream& random, std::vector<std::uint32_t>& failed) {
  failed.clear();
  std::uint32_t left = pick(onward_.front(), least_, random);
  std::vector<double> weights;
  for (std::uint32_t number = 0; number < classes_.size(); ++number) {
    std::uint32_t here = left;
    if (number + 1 < classes_.size()) {
      const auto& behind = onward_[number + 1];
      weights.assign(left + 1, 0.0);
      for (std::uint32_t faults = 0; faults <= left; ++faults)
        if (faults < of_[number].size() && left - faults < behind.size())
          weights[faults] = of_[number][faults] * behind[left - faults];
      here = pick(weights, 0, random);
    }
    draw_of_class(number, here, random, failed);
    left -= here;
  }
  for (const std::uint32_t component : failed) taken_[component] = false;
}

void FailureModel::draw_others(RandomStream& random, std::vector<std::uint32_t>& failed) {
  std::vector<std::uint32_t> given(classes_.size());
  for (const std::uint32_t component : failed) {
    taken_[component] = true;
    ++given[class_of_[component]];
  }
  for (std::uint32_t number = 0; number < classes_.size(); ++number) {
    // The number of other failures is binomial: drawn by geometric steps from one to the next.
    const std::uint32_t others = classes_[number].count - given[number];
    const double silent = std::log1p(-classes_[number].failed);
    std::uint32_t faults = 0;
    for (double position = 0;;) {
      position += std::floor(std::log1p(-random.next_unit()) / silent) + 1;
      if (position > others) break;
      ++faults;
    }
    draw_of_class(number, faults, random, failed);
  }
  for (const std::uint32_t component : failed) taken_[component] = false;
}

/// Of those that are not taken, and takes them.
void FailureModel::draw_of_class(std::uint32_t number, std::uint32_t faults, RandomStream& random,
                                 std::vector<std::uint32_t>& failed) {
  const Class& one = classes_[number];
  while (faults > 0) {
    const std::uint32_t component = one.first + random.next_below(one.count);
    if (taken_[component]) continue;
    taken_[component] = true;
    failed.push_back(component);
    --faults;
  }
}

}  // namespace faultline::survival
