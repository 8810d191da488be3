// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "faultline/routing/states.h"

#pragma GCC visibility push(default)
namespace faultline {

/// The numbers of the states of one destination that have been found so far, by key. An array holds those of
/// the first tags: of all if that array is small, else of tag 0, which most states have.
class StateNumbers {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  explicit StateNumbers(const RoutingRelation& relation)
      : vcs_(relation.reads_held_channel() ? relation.virtual_channels() : 1) {
    const std::size_t values_of_at = relation.reads_held_channel() ? relation.topology().channel_count()
                                                                   : relation.topology().switch_count();
    constexpr std::size_t most_entries = std::size_t{1} << 20;
    const std::size_t entries_a_tag = values_of_at * vcs_;
    tags_ = relation.tag_count() <= most_entries / entries_a_tag ? relation.tag_count() : 1;
    by_key_.assign(entries_a_tag * tags_, none);
  }

  /// The number of `key`, or none: it is then `next`.
  std::uint32_t find_or_add(const StateKey& key, std::uint32_t next) {
    if (key.tag >= tags_) {
      const auto [entry, is_new] = others_.emplace(key, next);
      return is_new ? none : entry->second;
    }
    std::uint32_t& number = by_key_[(key.at * vcs_ + key.vc) * tags_ + key.tag];
    return number == none ? (number = next, none) : number;
  }

 private:
  std::size_t vcs_;
  std::uint64_t tags_ = 1;  ///< those in the array
  std::vector<std::uint32_t> by_key_;
  std::unordered_map<StateKey, std::uint32_t, StateKeyHash> others_;
};

}  // namespace faultline
#pragma GCC visibility pop
