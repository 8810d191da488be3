// SPDX-License-Identifier: Apache-2.0
// What switches that know of dead channels beyond their own outputs rule out, for the packets of one
// destination.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "faultline/routing/admissible.h"
#include "faultline/routing/state_numbers.h"

namespace faultline {

using StateKeys = std::unordered_set<StateKey, StateKeyHash>;

/// A set of states that is asked about for every option of every packet: a bit for each state where that
/// takes less room than a hash set, because the hash sets of all destinations exceed the caches.
class StateSet {
 public:
  StateSet() = default;
  /// Of states of `relation`'s packets.
  explicit StateSet(const RoutingRelation& relation) : positions_(StatePositions(relation, max_bits)) {}

  void insert(const StateKey& state) {
    if (!bits_.empty()) return set(state);
    keys_.insert(state);
    const std::size_t words = positions_->entries() / 64 + 1;
    if (!positions_->holds_all() || keys_.size() * words_a_key <= words) return;
    bits_.resize(words);
    for (const StateKey& key : keys_) set(key);
    keys_ = {};
  }
  [[nodiscard]] bool contains(const StateKey& state) const {
    if (bits_.empty()) return !keys_.empty() && keys_.contains(state);
    const std::size_t bit = positions_->of(state);
    return (bits_[bit / 64] >> bit % 64 & 1) != 0;
  }
  [[nodiscard]] bool empty() const { return bits_.empty() && keys_.empty(); }

 private:
  static constexpr std::size_t max_bits = 1 << 16;
  static constexpr std::size_t words_a_key = 6;  ///< of a hash set, with its node and bucket

  void set(const StateKey& state) {
    const std::size_t bit = positions_->of(state);
    bits_[bit / 64] |= std::uint64_t{1} << bit % 64;
  }

  std::optional<StatePositions> positions_;  ///< absent in a set that stays empty
  std::vector<std::uint64_t> bits_;
  StateKeys keys_;
};

struct RuledOut {
  /// For a state of a cycle (states that lead back to each other): which cycle, and how many channels it is
  /// from the terminal.
  struct Rank {
    std::uint32_t round = 0;
    std::uint32_t distance = 0;
  };
  StateSet entered;  ///< states that no packet is sent into
  std::unordered_map<StateKey, Rank, StateKeyHash> rounds;

  /// Whether moving from one state to another stays in a cycle without coming nearer.
  [[nodiscard]] bool leads_back(const StateKey& from, const StateKey& to) const {
    const auto here = rounds.find(from);
    const auto there = rounds.find(to);
    return here != rounds.end() && there != rounds.end() && here->second.round == there->second.round &&
           there->second.distance >= here->second.distance;
  }
};

/// For switches that know all, or within a radius above 1: smaller radii need nothing beyond their outputs.
/// O(radius * moves).
[[nodiscard]] RuledOut ruled_out(const RoutingRelation& relation, TerminalId destination,
                                 const FaultSet& dead, Knowledge knowledge);

/// The states that packets may enter by injection and from which some play of `relation` does not arrive.
[[nodiscard]] StateKeys losing_starts(const RoutingRelation& relation, TerminalId destination,
                                      const FaultSet& dead);

}  // namespace faultline
