// SPDX-License-Identifier: Apache-2.0
// Which of the admissible options a packet takes. Only the simulators use this.
#pragma once

#include <span>

#include "faultline/describe/kind.h"

#pragma GCC visibility push(default)
namespace faultline {

/// An admissible option, as a selection function sees it. A slot holds a packet under cut-through switching,
/// a flit under wormhole switching.
struct Way {
  std::uint32_t cost = 0;  ///< RouteOption::cost; see SelectionRule::reads_cost
  std::uint32_t free = 0;  ///< free slots in the buffers of the virtual channels that it may take
  /// Occupied slots there, and packets whose heads wait at the switch for one of them.
  std::uint32_t queued = 0;
};

/// A selection function as the engines receive it; its file in src/selection/kinds/ holds the code. It either
/// commits each packet to one option at each switch, for which the packet then waits, or requests all options
/// in every cycle until one is granted. Only the latter may wait for an escape channel of another option
/// whenever the others are taken: for a selection that commits, an escape proves freedom of deadlock only
/// where every option of every state has one (VerifySpec::selection_commits).
struct SelectionRule {
  /// The index of one of `ways`, of which there is at least one. `random` is drawn for this packet at this
  /// switch or terminal.
  using Pick = std::size_t (*)(std::span<const Way> ways, std::uint32_t random);
  /// The score of an available option; the highest is taken, ties are broken at random.
  using Score = std::uint32_t (*)(const Way& way);

  Pick pick = nullptr;    ///< commits; null: requests all
  Score score = nullptr;  ///< among those that it requests; null: all have the same score
  /// pick() depends on the order, which must then be the routing's; otherwise an engine may use its own.
  bool reads_order = false;
  /// pick() is always 0: deadlock freedom is verified for the first option of each state alone.
  bool takes_first = false;
  /// pick() or score() needs Way::cost. Where the relation does not know it, simulate() takes the hops of a
  /// shortest path; 0 if there is none.
  bool reads_cost = false;
  /// pick() needs Way::queued, measured when the packet is routed. At a terminal that is 0: packets to be
  /// sent wait before any option.
  bool reads_queues = false;

  [[nodiscard]] bool commits() const { return pick != nullptr; }
  /// pick(). Throws Error("selection") for an index that no way has, or that is not 0 if takes_first.
  [[nodiscard]] std::size_t picked(std::span<const Way> ways, std::uint32_t random) const {
    const std::size_t index = pick(ways, random);
    if (index >= (takes_first ? 1 : ways.size())) [[unlikely]]
      refuse(index, ways.size());
    return index;
  }

 private:
  [[noreturn]] void refuse(std::size_t index, std::size_t ways) const;
};

/// The score that engines have built in (kinds/most_free.cpp). They recognise it by its address, so it is not
/// inline: a shared library would have another copy.
[[nodiscard]] std::uint32_t free_slots(const Way& way);

struct SelectionKind;
[[nodiscard]] std::span<const SelectionKind* const> selection_kinds();

/// A selection function is one file in src/selection/kinds/.
struct SelectionKind {
  static constexpr auto catalogue = &selection_kinds;

  KindInfo info;
  SelectionRule rule;
};

struct NoParams {
  static void fields(auto&) {}
  static std::vector<NoParams> samples() { return {{}}; }
};

[[nodiscard]] consteval SelectionKind selection_kind(std::string_view name, std::string_view summary,
                                                     std::string_view source, SelectionRule rule) {
  return {kind_info<NoParams>(name, summary, source), rule};
}

[[nodiscard]] inline const SelectionRule& selection_rule(const Resolved<SelectionKind>& selection) {
  return selection.kind().rule;
}

}  // namespace faultline
#pragma GCC visibility pop
