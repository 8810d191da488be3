// SPDX-License-Identifier: Apache-2.0
// Go-back in a MiKANT (paper 3; PAPERS.md, section 3): a depth-first search for a path that switches carry
// out with what they know of their own neighbours.
#pragma once

#include "faultline/routing/searching.h"
#include "routing/mirrored_tree_relation.h"

namespace faultline {

/// Where a hop leads. Between the groups it keeps the switch's order or changes a digit of it.
enum class Hop : std::uint8_t { up, cross_changing, cross_keeping, down };

/// What a head remembers, packed into its tag.
///
/// Every hop replaces one digit of the switch's order, and which one follows from level and hop count, so
/// that the replaced digits of all hops determine the path back.
struct SearchHead {
  std::uint32_t hops = 0;      ///< of the path so far; hops taken back do not count
  std::uint64_t replaced = 0;  ///< base k, the last hop's digit first
  std::uint32_t tried = 0;     ///< ports tried here that failed; 0: it has just come forward
  std::uint32_t retreat = 0;   ///< goes back past switches from this level on; 0: tries again at any
  std::uint32_t vc_class = 0;  ///< the virtual channel of the last hop
  Hop last = Hop::up;          ///< the last hop, forward or back
};

/// With one virtual channel: plain backtracking. A head goes back one hop at a time and tries every other
/// port; hops forward and back share the channel, and may deadlock.
///
/// With more, two things are added.
/// - Every packet takes virtual channels in ascending order: within one it goes up, changes groups, and goes
///   down; a hop against that order takes the next. A search that needs more of them fails.
/// - To need few, a head learns from the dead switches that it meets. A dead switch on the path down, at
///   level l, has digits l - 1 … 0 of the path up: the head goes back to a level where it can choose another
///   value of one of these digits, past those where every other port leads to the same dead switch. As in the
///   paper, it assumes that a dead neighbour is a dead switch, except for the destination's own switch.
class BacktrackingRelation final : public MirroredTreeRelation, public Searching {
 public:
  /// Throws Error if the topology is not a MiKANT, or too large for the tag.
  BacktrackingRelation(TopologyPtr topology, std::string_view who, std::uint32_t vcs);

  void route(const RouteState& state, RouteOptions& options) const override;
  [[nodiscard]] std::uint32_t virtual_channels() const override { return vcs_; }
  [[nodiscard]] std::uint64_t tag_count() const override { return tag_count_; }
  [[nodiscard]] Claim claim() const override {
    return {.minimal = true,
            .deadlock_free = true,
            .deadlock_free_cut_through = true,
            .while_channels_fail = vcs_ == 1 ? WhileChannelsFail::no : WhileChannelsFail::without_escapes,
            .tolerates = {}};
  }

  /// Not if virtual channels may run out.
  [[nodiscard]] RelationPtr searched() const override;

  /// Changes of group on one path of a head that does not learn. Two lead to another switch of the same
  /// group, and two more make up for a digit that had to deviate.
  static constexpr std::uint32_t max_crossings = 4;
  /// Of one that learns: a third would lead to a switch of which it has seen that it is dead.
  static constexpr std::uint32_t max_learned_crossings = 2;

 private:
  [[nodiscard]] SearchHead unpack(Tag tag) const;
  [[nodiscard]] Tag pack(const SearchHead& head) const;
  void go_forward(const RouteState& state, const SearchHead& head, RouteOptions& options) const;
  void go_back(const RouteState& state, const SearchHead& head, RouteOptions& options) const;
  /// Up ports that are worth trying, in cyclic order from the destination's digit.
  [[nodiscard]] std::uint32_t ways_up(const RouteState& state, const SearchHead& head) const;
  /// The level from which on nothing is left to try, if nothing is left at this switch.
  [[nodiscard]] std::uint32_t retreat_from(const RouteState& state, const SearchHead& head) const;
  void offer(SwitchId at, ChannelId channel, const SearchHead& from, SearchHead next,
             RouteOptions& options) const;
  [[nodiscard]] SearchHead after(const SearchHead& head, std::uint32_t replaced_digit) const;
  /// Ports that the previous switch has tried when its hop to `order` with digit `position` fails.
  [[nodiscard]] std::uint32_t tried_before(SwitchId at, TerminalId destination, std::uint32_t position) const;
  [[nodiscard]] Hop hop(SwitchId from, SwitchId to) const;

  [[nodiscard]] bool learns() const { return vcs_ > 1; }
  [[nodiscard]] std::uint32_t top() const { return labels().levels() - 1; }

  std::uint32_t vcs_;
  std::uint32_t crossings_;
  std::uint32_t max_hops_;
  std::uint64_t tag_count_ = 1;
};

}  // namespace faultline
