// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace faultline {

/// A word for each index, where few words are different. Tables of all pairs exceed the caches, and a read
/// that misses them costs as much as a hop or two: an index takes one read, of a small number.
class NumberedWords {
 public:
  static constexpr std::uint16_t most = 0xffff;

  /// All words are 0. Up to `max_numbers` different ones get a number.
  explicit NumberedWords(std::size_t size = 0, std::uint16_t max_numbers = most)
      : max_numbers_(max_numbers), numbers_(size), words_{0}, number_of_{{0, 0}} {}

  /// At most once for each index, in ascending order.
  void set(std::size_t index, std::uint64_t word) {
    auto known = number_of_.find(word);
    if (known == number_of_.end() && words_.size() == max_numbers_) {
      numbers_[index] = unnumbered;
      rare_.push_back({index, word});
      return;
    }
    if (known == number_of_.end()) {
      known = number_of_.emplace(word, static_cast<std::uint16_t>(words_.size())).first;
      words_.push_back(word);
    }
    numbers_[index] = known->second;
  }

  [[nodiscard]] std::uint64_t operator[](std::size_t index) const {
    const std::uint16_t number = numbers_[index];
    if (number != unnumbered) [[likely]]
      return words_[number];
    return std::ranges::lower_bound(rare_, index, {}, &Rare::index)->word;
  }

  /// What a read of this index reads first.
  [[nodiscard]] const void* entry(std::size_t index) const { return &numbers_[index]; }

 private:
  static constexpr std::uint16_t unnumbered = most;
  struct Rare {
    std::size_t index;
    std::uint64_t word;
  };

  std::uint16_t max_numbers_;
  std::vector<std::uint16_t> numbers_;  ///< by index: which of words_
  std::vector<std::uint64_t> words_;    ///< each once
  std::vector<Rare> rare_;              ///< without a number, ascending
  std::unordered_map<std::uint64_t, std::uint16_t> number_of_;
};

}  // namespace faultline
