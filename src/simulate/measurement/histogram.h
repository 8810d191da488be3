// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace faultline {

/// Counts of non-negative integers, exact: small values by value, the few large ones one by one.
class Histogram {
 public:
  void add(std::uint32_t value) {
    if (value >= small) return large_.push_back(value);
    if (value >= counts_.size()) counts_.resize(std::min<std::size_t>(small, value + 64));
    ++counts_[value];
  }

  void add(const Histogram& other) {
    counts_.resize(std::max(counts_.size(), other.counts_.size()));
    for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
    large_.insert(large_.end(), other.large_.begin(), other.large_.end());
  }

  /// The smallest value that at least `fraction` of all do not exceed; 0 if there are none.
  [[nodiscard]] std::uint32_t quantile(double fraction) const {
    std::uint64_t total = large_.size();
    for (const std::uint32_t count : counts_) total += count;
    if (total == 0) return 0;
    const double rank = std::ceil(fraction * static_cast<double>(total));
    auto left = static_cast<std::uint64_t>(std::clamp(rank, 1.0, static_cast<double>(total)));
    for (std::size_t value = 0; value < counts_.size(); ++value) {
      if (counts_[value] >= left) return static_cast<std::uint32_t>(value);
      left -= counts_[value];
    }
    std::vector<std::uint32_t> large = large_;
    const auto wanted = large.begin() + static_cast<std::ptrdiff_t>(left - 1);
    std::nth_element(large.begin(), wanted, large.end());
    return *wanted;
  }

 private:
  static constexpr std::uint32_t small = 4096;
  std::vector<std::uint32_t> counts_;  ///< by value below `small`
  std::vector<std::uint32_t> large_;   ///< in no order
};

}  // namespace faultline
