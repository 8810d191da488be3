// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>
#include <span>

namespace faultline {

/// Not of nothing.
[[nodiscard]] inline double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The sum of the squares of what values differ from `mean` by.
[[nodiscard]] inline double squared_error(std::span<const double> values, double mean) {
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [mean](double sum, double value) { return sum + (value - mean) * (value - mean); });
}

}  // namespace faultline
