// SPDX-License-Identifier: Apache-2.0
#include "game.h"

#include <algorithm>

namespace checker {
namespace {

using Table = std::vector<std::vector<Move>>;
using Set = std::vector<bool>;
constexpr std::size_t never = ~std::size_t{0};

std::vector<Move> lowest_tier(std::vector<Move> moves) {
  Number lowest = ~Number{0};
  for (const Move& move : moves) lowest = std::min(lowest, move.tier);
  std::erase_if(moves, [&](const Move& move) { return move.tier > lowest; });
  return moves;
}

/// What is left of a state's moves to a switch that takes the first option: that on all its virtual channels.
void keep_first_option(std::vector<Move>& moves) {
  if (moves.empty()) return;
  const Number first = moves.front().option;
  std::erase_if(moves, [&](const Move& move) { return move.option != first; });
}

/// Calls visit(state) for every state that has a move into one of `todo`, and transitively, as long as visit
/// says that it is new.
template <class Visit>
void spread_backwards(const Table& table, std::vector<std::size_t> todo, Visit visit) {
  std::vector<std::vector<std::size_t>> before(table.size());
  for (std::size_t s = 0; s < table.size(); ++s)
    for (const Move& move : table[s])
      if (!move.ejects) before[move.next].push_back(s);
  while (!todo.empty()) {
    const std::size_t s = todo.back();
    todo.pop_back();
    for (const std::size_t t : before[s])
      if (visit(t)) todo.push_back(t);
  }
}

/// Channels of the shortest path to the terminal over the moves of `table`; `never` if there is none.
std::vector<std::size_t> distances(const Table& table) {
  std::vector<std::vector<std::size_t>> before(table.size());
  std::vector<std::size_t> far(table.size(), never), queue;
  for (std::size_t s = 0; s < table.size(); ++s)
    for (const Move& move : table[s]) {
      if (!move.ejects) before[move.next].push_back(s);
      if (move.ejects && far[s] == never) {
        far[s] = 1;
        queue.push_back(s);
      }
    }
  for (std::size_t next = 0; next < queue.size(); ++next)
    for (const std::size_t t : before[queue[next]]) {
      if (far[t] != never) continue;
      far[t] = far[queue[next]] + 1;
      queue.push_back(t);
    }
  return far;
}

/// Two states have the same number exactly if each leads to the other (Tarjan, 1972), without recursion.
class Components {
 public:
  explicit Components(const Table& table) : table_(table), index_(table.size(), never), low_(table.size()) {
    number_.assign(table.size(), never);
    for (std::size_t s = 0; s < table.size(); ++s)
      if (index_[s] == never) visit(s);
  }
  [[nodiscard]] bool same(std::size_t a, std::size_t b) const { return number_[a] == number_[b]; }

 private:
  struct Frame {
    std::size_t state, move;
  };

  void open(std::size_t s) {
    index_[s] = low_[s] = next_++;
    open_.push_back(s);
    frames_.push_back({s, 0});
  }

  void visit(std::size_t start) {
    open(start);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      const std::size_t s = frame.state;
      if (frame.move < table_[s].size()) {
        const Move& move = table_[s][frame.move++];
        if (move.ejects) continue;
        if (index_[move.next] == never)
          open(move.next);
        else if (number_[move.next] == never)
          low_[s] = std::min(low_[s], index_[move.next]);
        continue;
      }
      frames_.pop_back();
      if (!frames_.empty()) low_[frames_.back().state] = std::min(low_[frames_.back().state], low_[s]);
      if (low_[s] == index_[s]) close(s);
    }
  }

  void close(std::size_t s) {
    while (number_[s] == never) {
      number_[open_.back()] = index_[s];
      open_.pop_back();
    }
  }

  const Table& table_;
  std::vector<std::size_t> index_, low_, number_, open_;
  std::vector<Frame> frames_;
  std::size_t next_ = 0;
};

class Game {
 public:
  Game(const Destination& destination, const Relation& relation, const Circumstances& given)
      : destination_(destination), relation_(relation), given_(given) {}

  Plays run() && {
    if (given_.knowledge == Circumstances::all)
      know_all();
    else
      know_radius();
    for (auto& moves : plays_.admissible) {
      moves = lowest_tier(std::move(moves));
      if (given_.takes_first) keep_first_option(moves);
    }
    find_served();
    find_safe();
    find_likely();
    for (std::size_t source = 0; source < destination_.starts.size(); ++source) judge(source);
    reach();
    return std::move(plays_);
  }

 private:
  [[nodiscard]] std::size_t count() const { return destination_.states.size(); }

  /// Living moves with a living path behind them; where states lead back to each other, only nearer ones.
  void know_all() {
    Table& table = plays_.admissible = destination_.states;
    for (auto& moves : table) std::erase_if(moves, [&](const Move& move) { return !given_.alive(move); });
    const std::vector<std::size_t> far = distances(table);
    for (auto& moves : table)
      std::erase_if(moves, [&](const Move& move) { return !move.ejects && far[move.next] == never; });
    const Components components(table);
    for (std::size_t s = 0; s < count(); ++s)
      std::erase_if(table[s], [&](const Move& move) {
        return !move.ejects && components.same(s, move.next) && far[move.next] >= far[s];
      });
  }

  /// Moves after which some path is alive for that many channels.
  void know_radius() {
    open_.assign(count(), true);
    for (Number length = 1; length < given_.knowledge; ++length) {
      Set longer(count());
      for (std::size_t s = 0; s < count(); ++s)
        longer[s] = std::ranges::any_of(destination_.states[s], [&](const Move& m) { return kept(m); });
      if (longer == open_) break;
      open_ = std::move(longer);
    }
    plays_.admissible = destination_.states;
    for (auto& moves : plays_.admissible) std::erase_if(moves, [&](const Move& m) { return !kept(m); });
  }

  [[nodiscard]] bool kept(const Move& move) const {
    if (given_.knowledge == 0) return true;
    return given_.alive(move) && (move.ejects || open_[move.next]);
  }

  /// The least set of states of which every admissible move is alive and ejects or leads into the set.
  void find_served() {
    served_.assign(count(), false);
    std::vector<std::size_t> todo;
    std::vector<std::size_t> open(count());  // moves that do not yet lead into the set
    for (std::size_t s = 0; s < count(); ++s) {
      const auto& moves = plays_.admissible[s];
      open[s] = static_cast<std::size_t>(std::ranges::count_if(
          moves, [&](const Move& move) { return !given_.alive(move) || !move.ejects; }));
      served_[s] = open[s] == 0 && !moves.empty();
      if (served_[s]) todo.push_back(s);
    }
    Table living = plays_.admissible;
    for (auto& moves : living) std::erase_if(moves, [&](const Move& move) { return !given_.alive(move); });
    spread_backwards(living, todo, [&](std::size_t s) {
      served_[s] = --open[s] == 0;
      return bool{served_[s]};
    });
  }

  /// The greatest such set: all but the states that may come to a stop.
  void find_safe() {
    safe_.assign(count(), true);
    std::vector<std::size_t> todo;
    for (std::size_t s = 0; s < count(); ++s) {
      const auto& moves = plays_.admissible[s];
      safe_[s] = !moves.empty() && std::ranges::all_of(moves, [&](const Move& m) { return given_.alive(m); });
      if (!safe_[s]) todo.push_back(s);
    }
    spread_backwards(plays_.admissible, todo, [&](std::size_t s) {
      const bool is_new = safe_[s];
      safe_[s] = false;
      return is_new;
    });
  }

  /// The largest part of that set that no move leaves and that can reach ejection from each of its states.
  void find_likely() {
    likely_ = safe_;
    const std::vector<std::size_t> far = distances(plays_.admissible);
    std::vector<std::size_t> todo;
    for (std::size_t s = 0; s < count(); ++s)
      if (far[s] == never) {
        likely_[s] = false;
        todo.push_back(s);
      }
    spread_backwards(plays_.admissible, todo, [&](std::size_t s) {
      const bool is_new = likely_[s];
      likely_[s] = false;
      return is_new;
    });
  }

  [[nodiscard]] Class class_after(const Move& move) const {
    if (!given_.alive(move)) return Class::stalled;
    if (served_[move.next]) return Class::served;
    if (likely_[move.next]) return Class::likely;
    return safe_[move.next] ? Class::livelock : Class::stalled;
  }

  void judge(std::size_t source) {
    std::vector<Move> starts = destination_.starts[source];
    if (given_.plans && given_.knowledge != Circumstances::all) {
      // What a source may try while it learns: every living option, of every tier.
      std::erase_if(starts, [&](const Move& move) { return !given_.alive(move); });
      const bool wins =
          std::ranges::any_of(starts, [&](const Move& move) { return bool{served_[move.next]}; });
      plays_.classes.push_back(wins ? Class::served : Class::refused);
    } else {
      const bool knows_all = given_.knowledge == Circumstances::all;
      std::erase_if(starts, [&](const Move& move) {
        return knows_all ? !given_.alive(move) || !served_[move.next] : !kept(move);
      });
      starts = lowest_tier(std::move(starts));
      constexpr std::string_view order = "splt";
      std::size_t worst = 0;
      for (const Move& move : starts)
        worst = std::max(worst, order.find(static_cast<char>(class_after(move))));
      plays_.classes.push_back(starts.empty() ? Class::refused : static_cast<Class>(order[worst]));
    }
    plays_.starts.push_back(std::move(starts));
  }

  void reach() {
    plays_.reached.assign(count(), false);
    plays_.entering.resize(count());
    std::vector<std::size_t> todo;
    const auto enter = [&](const Move& move) {
      if (move.ejects || !given_.alive(move)) return;
      if (!plays_.reached[move.next]) todo.push_back(move.next);
      plays_.reached[move.next] = true;
    };
    for (const auto& starts : plays_.starts) std::ranges::for_each(starts, enter);
    while (!todo.empty()) {
      const std::size_t s = todo.back();
      todo.pop_back();
      for (const Move& move : plays_.admissible[s]) {
        enter(move);
        if (!move.ejects && given_.alive(move)) plays_.entering[move.next].push_back(relation_.buffer(move));
      }
    }
    for (auto& buffers : plays_.entering) {
      std::ranges::sort(buffers);
      buffers.erase(std::unique(buffers.begin(), buffers.end()), buffers.end());
    }
  }

  const Destination& destination_;
  const Relation& relation_;
  const Circumstances& given_;
  Set open_, served_, safe_, likely_;
  Plays plays_;
};

}  // namespace

std::vector<Move> Plays::moves(std::size_t state, const Circumstances& given) const {
  std::vector<Move> living = admissible[state];
  std::erase_if(living, [&](const Move& move) { return !given.alive(move); });
  return living;
}

Plays plays_of(const Destination& destination, const Relation& relation, const Circumstances& given) {
  return Game(destination, relation, given).run();
}

}  // namespace checker
