// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace faultline::infiniband {

/// Oddities of one sort. A fabric may have thousands of them: they are counted, and the first is described.
class Oddities {
 public:
  /// `describe()` gives the text.
  template <class Describe>
  void add(Describe describe) {
    if (count_++ == 0) first_ = describe();
  }

  /// "FIRST", or "FIRST (2 more like this)"
  void remark(std::vector<std::string>& remarks) const {
    if (count_ == 1) remarks.push_back(first_);
    if (count_ > 1) remarks.push_back(fmt::format("{} ({} more like this)", first_, count_ - 1));
  }
  /// "1 ONE: FIRST", or "3 SEVERAL; the first: FIRST"
  void remark(std::string_view one, std::string_view several, std::vector<std::string>& remarks) const {
    if (count_ == 1) remarks.push_back(fmt::format("1 {}: {}", one, first_));
    if (count_ > 1) remarks.push_back(fmt::format("{} {}; the first: {}", count_, several, first_));
  }

 private:
  std::size_t count_ = 0;
  std::string first_;
};

}  // namespace faultline::infiniband
