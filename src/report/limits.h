// SPDX-License-Identifier: Apache-2.0
// How much is drawn of one network, to keep the page small.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

namespace faultline::report {

inline constexpr std::size_t max_sets = 16;          // of each sort: failed, worst, watched
inline constexpr std::size_t max_numbers = 300'000;  // in all sets of one sort

/// Sets of one sort, up to these limits.
class Limited {
 public:
  /// Whether every further set is left out.
  [[nodiscard]] bool is_full() const { return kept_.size() == max_sets; }
  void add(nlohmann::json set);
  void leave_out() { ++left_out_; }
  /// {"sets": those that fit, "left_out": how many do not}.
  [[nodiscard]] nlohmann::json result() &&;

 private:
  nlohmann::json kept_ = nlohmann::json::array();
  std::size_t numbers_ = 0, left_out_ = 0;
};

}  // namespace faultline::report
