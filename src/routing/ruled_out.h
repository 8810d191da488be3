// SPDX-License-Identifier: Apache-2.0
// What switches that know of dead channels beyond their own outputs rule out, for the packets of one
// destination.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "faultline/routing/admissible.h"
#include "faultline/routing/states.h"

namespace faultline {

using StateKeys = std::unordered_set<StateKey, StateKeyHash>;

/// A set of states that is asked about for every option of every packet: a bit each where that takes less
/// room than a hash set, because hash sets of all destinations exceed the caches.
class StateSet {
 public:
  StateSet() = default;
  /// Of the states of `relation`'s packets.
  explicit StateSet(const RoutingRelation& relation)
      : vcs_(relation.reads_held_channel() ? std::max(relation.virtual_channels(), 1U) : 1),
        tags_(relation.tag_count()) {
    const Topology& topology = relation.topology();
    const std::size_t holders =
        relation.reads_held_channel() ? topology.channel_count() : topology.switch_count();
    if (tags_ <= most_bits / (holders * vcs_ + 1)) words_ = holders * vcs_ * tags_ / 64 + 1;
  }

  void insert(const StateKey& state) {
    if (!bits_.empty()) return set(state);
    keys_.insert(state);
    if (keys_.size() * words_a_key <= words_ || words_ == 0) return;
    bits_.resize(words_);
    for (const StateKey& key : keys_) set(key);
    keys_ = {};
  }
  [[nodiscard]] bool contains(const StateKey& state) const {
    if (bits_.empty()) return !keys_.empty() && keys_.contains(state);
    return (bits_[number_of(state) / 64] >> number_of(state) % 64 & 1) != 0;
  }
  [[nodiscard]] bool empty() const { return bits_.empty() && keys_.empty(); }

 private:
  static constexpr std::uint64_t most_bits = 1 << 16;
  static constexpr std::size_t words_a_key = 6;  ///< of a hash set, with its node and bucket

  void set(const StateKey& state) {
    bits_[number_of(state) / 64] |= std::uint64_t{1} << number_of(state) % 64;
  }
  [[nodiscard]] std::uint64_t number_of(const StateKey& state) const {
    return (std::uint64_t{state.at} * vcs_ + state.vc) * tags_ + state.tag;
  }

  std::uint64_t vcs_ = 1, tags_ = 1;
  std::size_t words_ = 0;            ///< of all states' bits; 0: too many
  std::vector<std::uint64_t> bits_;  ///< by switch or held channel, VC and tag
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
