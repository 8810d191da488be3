// SPDX-License-Identifier: Apache-2.0
// What one fault set does to a network of switches: the connected components that remain, and the largest set
// of terminals of which every two share a component.
#pragma once

#include <span>

#include "faultline/resilience/switch_graph.h"

#pragma GCC visibility push(default)
namespace faultline::survival {

struct Loss {
  std::uint32_t terminals = 0;        ///< outside the largest pairwise connected set
  bool exact = true;                  ///< otherwise an upper bound
  std::uint64_t connected_pairs = 0;  ///< ordered pairs of different terminals
  std::uint64_t live_pairs = 0;       ///< whose own switches are alive
};

/// Used by one thread at a time.
class LossCounter {
 public:
  /// Pieces are the bits of a word.
  static constexpr std::uint32_t max_pieces = 64;

  /// Refers to the network.
  LossCounter(const SwitchGraph& network, std::vector<FailedPart> failed_parts);
  LossCounter(SwitchGraph&&, std::vector<FailedPart>) = delete;

  /// True if no set of `faults` faults leaves more than max_pieces connected components.
  [[nodiscard]] bool fits(std::uint32_t faults) const;
  [[nodiscard]] Loss loss(std::span<const std::uint32_t> set);
  /// The terminals outside one of the largest sets under `set`.
  [[nodiscard]] std::vector<std::uint32_t> lost(std::span<const std::uint32_t> set);

 private:
  using Pieces = std::uint64_t;  ///< that a terminal is attached to
  struct Family {
    Pieces pieces = 0;
    std::uint32_t members = 0;
  };
  /// Terminals with the same switches.
  struct Type {
    std::vector<std::uint32_t> at;
    std::uint32_t members = 0;
  };

  void apply(std::span<const std::uint32_t> set);
  void find_pieces();
  /// Numbers the connected components, and counts them; one more than max_pieces if there are more.
  std::uint32_t mark_pieces();
  [[nodiscard]] Pieces pieces_of(std::uint32_t terminal) const;
  void find_families();
  void count(Pieces pieces, std::uint32_t members);
  [[nodiscard]] std::uint64_t connected_pairs() const;
  /// The most terminals of families that meet pairwise.
  [[nodiscard]] std::uint64_t largest(std::span<const Family> families, bool& exact) const;

  const SwitchGraph& network_;
  std::vector<FailedPart> failed_parts_;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> neighbours_;  ///< switch and link
  std::vector<Type> types_;
  std::vector<std::uint32_t> type_of_;  ///< by terminal
  std::uint32_t parts_without_faults_ = 0;

  // The fault set at hand.
  std::vector<std::uint32_t> dead_links_;
  std::vector<std::uint32_t> affected_terminals_;  ///< with failures of their own
  std::vector<bool> dead_terminal_, dead_switch_, dead_link_;
  std::vector<std::uint8_t> piece_;  ///< by switch
  static constexpr std::uint8_t no_piece = 255;
  std::uint32_t piece_count_ = 0;
  std::vector<std::uint32_t> queue_, healthy_members_, small_counts_;
  std::vector<Family> families_;
  std::uint64_t live_terminals_ = 0;
};

}  // namespace faultline::survival
#pragma GCC visibility pop
