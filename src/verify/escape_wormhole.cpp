// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "faultline/routing/walk.h"
#include "verify/drain_order.h"
#include "verify/escape.h"

namespace faultline {
namespace {

using Words = std::span<std::uint64_t>;
using Move = DestinationStates::Move;

/// A matrix of bits.
class BitRows {
 public:
  void clear(std::size_t rows, std::size_t columns) {
    words_ = (columns + 63) / 64;
    bits_.assign(rows * words_, 0);
  }
  [[nodiscard]] Words row(std::size_t index) { return Words(bits_).subspan(index * words_, words_); }

 private:
  std::size_t words_ = 0;
  std::vector<std::uint64_t> bits_;
};

void set_bit(Words row, std::uint32_t bit) { row[bit / 64] |= std::uint64_t{1} << (bit % 64); }

/// visit(bit)
template <class Visit>
void for_each_bit(Words row, Visit visit) {
  for (std::size_t word = 0; word < row.size(); ++word)
    for (std::uint64_t rest = row[word]; rest != 0; rest &= rest - 1)
      visit(static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(rest)));
}

class ExtendedDependencies {
 public:
  ExtendedDependencies(const Buffers& buffers, const std::vector<bool>& escape_buffers)
      : buffers_(buffers),
        column_(buffers.count(), Verdict::unranked),
        local_column_(count(escape_buffers), Verdict::unranked) {
    rows_.clear(members_.size(), members_.size());
  }

  void add(const DestinationStates& states) {
    gather_asked(states);
    for (const Move& move : states.moves) {
      if (move.next == DestinationStates::ejected) continue;
      const std::uint32_t held = column_[buffers_.number(move.channel, move.vc)];
      if (held == Verdict::unranked) continue;
      const Words row = rows_.row(held);
      for_each_bit(asked_.row(move.next), [&](std::uint32_t local) { set_bit(row, columns_[local]); });
    }
  }

  [[nodiscard]] DependencyGraph graph() {
    DependencyGraph graph;
    for (std::size_t held = 0; held < members_.size(); ++held) {
      for_each_bit(rows_.row(held), [&](std::uint32_t asked) { graph.successors.push_back(asked); });
      graph.offsets.push_back(graph.successors.size());
    }
    return graph;
  }

  /// By buffer, from the order of the graph's nodes.
  [[nodiscard]] std::vector<std::uint32_t> by_buffer(const std::vector<std::uint32_t>& ranks) const {
    std::vector<std::uint32_t> result(buffers_.count(), Verdict::unranked);
    for (std::size_t i = 0; i < members_.size(); ++i) result[members_[i]] = ranks[i];
    return result;
  }

 private:
  /// Numbers the escape buffers; their count.
  std::size_t count(const std::vector<bool>& escape_buffers) {
    for (std::uint32_t buffer = 0; buffer < escape_buffers.size(); ++buffer) {
      if (!escape_buffers[buffer]) continue;
      column_[buffer] = static_cast<std::uint32_t>(members_.size());
      members_.push_back(buffer);
    }
    return members_.size();
  }

  /// Numbers the escape buffers that packets to this destination may ask for. They are few: with a column for
  /// every escape buffer, a hypercube of 1024 switches took six times as long.
  void number_columns(const DestinationStates& states) {
    for (const std::uint32_t column : columns_) local_column_[column] = Verdict::unranked;
    columns_.clear();
    for (const Move& move : states.moves) {
      if (!move.escape || move.next == DestinationStates::ejected) continue;
      const std::uint32_t column = column_[buffers_.number(move.channel, move.vc)];
      if (local_column_[column] != Verdict::unranked) continue;
      local_column_[column] = static_cast<std::uint32_t>(columns_.size());
      columns_.push_back(column);
    }
  }

  /// For each state, the escape buffers that a packet may ask for there or after more adaptive hops.
  void gather_asked(const DestinationStates& states) {
    number_columns(states);
    asked_.clear(states.count(), columns_.size());
    // A state's own escapes come first: a pass over a cycle that adds none has then passed on all of them.
    for (std::uint32_t state = 0; state < states.count(); ++state) gather_asked_at_once(states, state);
    const StateOrder order = order_states(states, [](const Move& move) { return !move.escape; });
    for (bool again = true; again;) {
      again = false;
      for (const std::uint32_t state : order.last_first) {
        const bool adds = gather_asked_later(states, state);
        again = again || (adds && !order.cycle.empty());
      }
    }
  }

  void gather_asked_at_once(const DestinationStates& states, std::uint32_t state) {
    const Words to = asked_.row(state);
    for (const Move& move : states.moves_of(state)) {
      if (!move.escape || move.next == DestinationStates::ejected) continue;
      set_bit(to, local_column_[column_[buffers_.number(move.channel, move.vc)]]);
    }
  }

  /// From the states that follow, as far as they are known. True if these added any.
  bool gather_asked_later(const DestinationStates& states, std::uint32_t state) {
    const Words to = asked_.row(state);
    std::uint32_t done = state;  // the virtual channels of an option mostly lead to one state
    std::uint64_t added = 0;
    for (const Move& move : states.moves_of(state)) {
      if (move.escape || move.next == DestinationStates::ejected || move.next == done) continue;
      done = move.next;
      const Words from = asked_.row(done);
      for (std::size_t i = 0; i < to.size(); ++i) {
        added |= from[i] & ~to[i];
        to[i] |= from[i];
      }
    }
    return added != 0;
  }

  const Buffers& buffers_;
  std::vector<std::uint32_t> members_;  ///< escape buffers
  std::vector<std::uint32_t> column_;   ///< by buffer: its index among them
  BitRows rows_;                        ///< extended dependencies
  // Scratch, of one destination:
  std::vector<std::uint32_t> columns_;       ///< those that packets may ask for
  std::vector<std::uint32_t> local_column_;  ///< by column: its index among those
  BitRows asked_;                            ///< by state
};

}  // namespace

std::optional<std::vector<std::uint32_t>> escape_order_wormhole(const RoutingRelation& relation,
                                                                const FaultSet& dead, const Buffers& buffers,
                                                                const Survey& survey, StopFlag stop) {
  ExtendedDependencies dependencies(buffers, survey.escape_buffers);
  for (const TerminalId destination : relation.topology().terminals()) {
    end_if_set(stop);
    dependencies.add(enumerate_states(relation, destination, dead));
  }
  const DrainOrder order = drain_order(dependencies.graph());
  if (!order.complete()) return std::nullopt;
  return dependencies.by_buffer(order.ranks);
}

}  // namespace faultline
