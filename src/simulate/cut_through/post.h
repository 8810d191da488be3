// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace faultline::cut_through {

/// A vector whose push_back() is a few instructions if there is capacity.
template <class T>
class Post {
 public:
  void push_back(const T& entry) {
    if (size_ == entries_.size()) [[unlikely]]
      grow();
    entries_[size_++] = entry;
  }
  void clear() { size_ = 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return entries_[i]; }

 private:
  [[gnu::noinline]] void grow() { entries_.resize(std::max<std::size_t>(64, 2 * size_)); }

  std::size_t size_ = 0;
  std::vector<T> entries_;
};

}  // namespace faultline::cut_through
