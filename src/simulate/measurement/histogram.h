// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace faultline {

/// Counts of non-negative integers: those below 4096 by value, others in classes, 1024 from each power of two
/// to the next. What it holds depends neither on how many were added nor on their order.
class Histogram {
 public:
  void add(std::uint32_t value) {
    const std::size_t index = index_of(value);
    if (index >= counts_.size()) counts_.resize(index + 64);
    if (++counts_[index] == 0) [[unlikely]]
      wrapped_.push_back(index);
  }

  void add(const Histogram& other) {
    counts_.resize(std::max(counts_.size(), other.counts_.size()));
    wrapped_.insert(wrapped_.end(), other.wrapped_.begin(), other.wrapped_.end());
    for (std::size_t index = 0; index < other.counts_.size(); ++index) {
      const std::uint32_t before = counts_[index];
      counts_[index] += other.counts_[index];
      if (counts_[index] < before) wrapped_.push_back(index);
    }
  }

  /// The smallest value that at least `fraction` of all do not exceed; 0 if there are none. Of a class, whose
  /// values are taken to be at equal distances: less than a thousandth from the exact one.
  [[nodiscard]] std::uint32_t quantile(double fraction) const {
    std::vector<std::uint64_t> counts(counts_.begin(), counts_.end());
    for (const std::size_t index : wrapped_) counts[index] += std::uint64_t{1} << 32;
    std::uint64_t total = 0;
    for (const std::uint64_t count : counts) total += count;
    if (total == 0) return 0;
    const double rank = std::ceil(fraction * static_cast<double>(total));
    auto left = static_cast<std::uint64_t>(std::clamp(rank, 1.0, static_cast<double>(total)));
    std::size_t index = 0;
    for (; counts[index] < left; ++index) left -= counts[index];
    const double part = (static_cast<double>(left) - 0.5) / static_cast<double>(counts[index]);
    return least_at(index) + static_cast<std::uint32_t>(part * (least_at(index + 1) - least_at(index)));
  }

  /// Counters in use.
  [[nodiscard]] std::size_t size() const { return counts_.size() + wrapped_.size(); }

 private:
  static constexpr std::uint32_t small = 4096, classes = 1024;  ///< of a power of two
  static constexpr int first_power = std::bit_width(small) - 1, class_bits = std::bit_width(classes) - 1;

  static std::size_t index_of(std::uint32_t value) {
    if (value < small) return value;
    const int power = static_cast<int>(std::bit_width(value)) - 1;
    return small + static_cast<std::size_t>(power - first_power) * classes +
           ((value >> (power - class_bits)) - classes);
  }
  static std::uint32_t least_at(std::size_t index) {
    if (index < small) return static_cast<std::uint32_t>(index);
    const std::size_t power = (index - small) / classes, number = (index - small) % classes;
    return static_cast<std::uint32_t>((classes + number) << (power + first_power - class_bits));
  }

  std::vector<std::uint32_t> counts_;
  std::vector<std::size_t> wrapped_;  ///< indices of counts that passed 2^32, once for each time
};

}  // namespace faultline
