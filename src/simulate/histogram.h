// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace faultline {

/// Counts of non-negative integers: exact below 128, then in 64 steps an octave (within 0.8 % of the middle).
class Histogram {
 public:
  void add(std::uint32_t value) {
    const std::size_t bucket = bucket_of(value);
    if (bucket >= counts_.size()) counts_.resize(bucket + 64);
    ++counts_[bucket];
  }

  void add(const Histogram& other) {
    counts_.resize(std::max(counts_.size(), other.counts_.size()));
    for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
  }

  /// The smallest value that at least `fraction` of all are not above; 0 when there is none.
  [[nodiscard]] double quantile(double fraction) const {
    std::uint64_t total = 0;
    for (const std::uint64_t count : counts_) total += count;
    const double wanted = fraction * static_cast<double>(total);
    std::uint64_t seen = 0;
    for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
      seen += counts_[bucket];
      if (seen != 0 && static_cast<double>(seen) >= wanted) return middle_of(bucket);
    }
    return 0;
  }

 private:
  static constexpr unsigned step_bits = 6;

  static std::size_t bucket_of(std::uint32_t value) {
    const auto width = static_cast<unsigned>(std::bit_width(value));
    const unsigned octave = width > step_bits + 1 ? width - (step_bits + 1) : 0;
    return (std::size_t{octave} << step_bits) + (value >> octave);
  }
  static double middle_of(std::size_t bucket) {
    if (bucket < (std::size_t{2} << step_bits)) return static_cast<double>(bucket);
    const std::size_t octave = (bucket >> step_bits) - 1;
    const std::size_t first = (bucket - (octave << step_bits)) << octave;
    return static_cast<double>(first) + static_cast<double>((std::size_t{1} << octave) - 1) / 2;
  }

  std::vector<std::uint64_t> counts_;
};

}  // namespace faultline
