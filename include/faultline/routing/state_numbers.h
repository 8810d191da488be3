// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "faultline/routing/states.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Where the states of a relation's packets stand in an array that has room for the first tags: of all, if it
/// then has at most `max_entries`, else of tag 0.
class StatePositions {
 public:
  StatePositions(const RoutingRelation& relation, std::size_t max_entries)
      : vcs_(relation.reads_held_channel() ? relation.virtual_channels() : 1) {
    const Topology& topology = relation.topology();
    entries_a_tag_ =
        (relation.reads_held_channel() ? topology.channel_count() : topology.switch_count()) * vcs_;
    holds_all_ = relation.tag_count() <= max_entries / std::max<std::size_t>(entries_a_tag_, 1);
    if (holds_all_) tags_ = relation.tag_count();
  }

  [[nodiscard]] bool holds_all() const { return holds_all_; }
  [[nodiscard]] bool holds(const StateKey& key) const { return key.tag < tags_; }
  [[nodiscard]] std::size_t entries() const { return entries_a_tag_ * tags_; }
  [[nodiscard]] std::size_t of(const StateKey& key) const {
    return (key.at * vcs_ + key.vc) * tags_ + key.tag;
  }

 private:
  std::size_t vcs_, entries_a_tag_;
  std::uint64_t tags_ = 1;  ///< those in the array
  bool holds_all_;
};

/// The numbers of the states of one destination that have been found so far, by key. An array holds those of
/// the first tags: of all if that array is small, else of tag 0, which most states have.
class StateNumbers {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  explicit StateNumbers(const RoutingRelation& relation)
      : positions_(relation, std::size_t{1} << 20), by_key_(positions_.entries(), none) {}

  /// The number of `key`, or none: it is then `next`.
  std::uint32_t find_or_add(const StateKey& key, std::uint32_t next) {
    std::uint32_t& number = positions_.holds(key) ? by_key_[positions_.of(key)] : entry_of(key);
    return number == none ? (number = next, none) : number;
  }

 private:
  struct Entry {
    StateKey key;
    std::uint32_t number = none;
  };

  /// By open addressing: with std::unordered_map the search for ideal_throughput took 1.8 times as long in a
  /// torus of 32 x 32 with drb, where nearly all states have tags other than 0.
  std::uint32_t& entry_of(const StateKey& key) {
    if (2 * (others_count_ + 1) > others_.size()) grow();
    Entry& entry = slot_of(key);
    if (entry.number == none) {
      entry.key = key;
      ++others_count_;
    }
    return entry.number;
  }
  [[nodiscard]] Entry& slot_of(const StateKey& key) {
    const std::size_t mask = others_.size() - 1;
    std::size_t slot = StateKeyHash()(key) & mask;
    while (others_[slot].number != none && others_[slot].key != key) slot = (slot + 1) & mask;
    return others_[slot];
  }
  void grow() {
    std::vector<Entry> before(std::max<std::size_t>(64, 4 * others_.size()));
    before.swap(others_);
    for (const Entry& entry : before)
      if (entry.number != none) slot_of(entry.key) = entry;
  }

  StatePositions positions_;
  std::vector<std::uint32_t> by_key_;
  std::vector<Entry> others_;  ///< at most half full; their number is a power of two
  std::size_t others_count_ = 0;
};

}  // namespace faultline
#pragma GCC visibility pop
