// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "faultline/routing/relation.h"

namespace faultline {

/// A tag for each pair of switches, where few tags are different. A table of all pairs exceeds the caches,
/// and a read that misses them costs as much as a hop or two: a pair takes one read, of a small number.
class TagTable {
 public:
  static constexpr std::uint16_t most = 0xffff;

  /// All tags are 0. Up to `most_numbers` different ones get a number.
  explicit TagTable(std::size_t pairs = 0, std::uint16_t most_numbers = most)
      : most_numbers_(most_numbers), numbers_(pairs), tags_{0}, number_of_{{0, 0}} {}

  /// At most once for each pair; pairs in ascending order.
  void set(std::size_t pair, Tag tag) {
    auto known = number_of_.find(tag);
    if (known == number_of_.end() && tags_.size() == most_numbers_) {
      numbers_[pair] = unnumbered;
      rare_.push_back({pair, tag});
      return;
    }
    if (known == number_of_.end()) {
      known = number_of_.emplace(tag, static_cast<std::uint16_t>(tags_.size())).first;
      tags_.push_back(tag);
    }
    numbers_[pair] = known->second;
  }

  [[nodiscard]] Tag operator[](std::size_t pair) const {
    const std::uint16_t number = numbers_[pair];
    if (number != unnumbered) [[likely]]
      return tags_[number];
    return std::ranges::lower_bound(rare_, pair, {}, &Rare::pair)->tag;
  }

  [[nodiscard]] const void* entry(std::size_t pair) const { return &numbers_[pair]; }

 private:
  static constexpr std::uint16_t unnumbered = most;
  struct Rare {
    std::size_t pair;
    Tag tag;
  };

  std::uint16_t most_numbers_;
  std::vector<std::uint16_t> numbers_;  ///< by pair: which of tags_
  std::vector<Tag> tags_;               ///< each once
  std::vector<Rare> rare_;              ///< without a number, ascending
  std::unordered_map<Tag, std::uint16_t> number_of_;
};

}  // namespace faultline
