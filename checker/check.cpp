// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "certificate.h"
#include "rules.h"
#include "switches.h"

namespace checker {
namespace {

/// Adds up what the header states, destination by destination.
class Totals {
 public:
  explicit Totals(const Header& header) : header_(header) {}

  void add(const Destination& destination) {
    line_ = destination.line;
    check_places(destination);
    find_entering(destination);
    check_reached(destination);
    count_dependencies(destination);
    states_ += destination.states.size();
    for (const State& state : destination.states) moves_ += state.moves.size();
    judge(destination);
  }
  [[nodiscard]] const std::vector<std::vector<Number>>& entering() const { return entering_; }

  void compare(std::size_t line) const {
    const auto same = [&](Number ours, Number stated, const char* what) {
      if (ours != stated)
        throw Refused(line,
                      "there are " + std::to_string(ours) + " " + what + ", not " + std::to_string(stated));
    };
    same(states_, header_.states, "states");
    same(moves_, header_.moves, "moves");
    same(dependencies_, header_.dependencies, "dependencies");
    same(unreachable_, header_.unreachable_pairs, "unreachable pairs");
    if (bounded_ != header_.bounded)
      throw Refused(line, "the number of hops is bounded, or not, unlike stated");
    if (bounded_) same(max_hops_, header_.max_hops, "hops at most");
  }

 private:
  [[noreturn]] void refuse(const char* reason) const { throw Refused(line_, reason); }

  /// Moves lead from where their state is to where the next one is.
  void check_places(const Destination& destination) const {
    const Terminal& end = header_.terminals[destination.terminal];
    for (const State& state : destination.states)
      for (const Move& move : state.moves) {
        if (move.ejects) {
          if (!end.out.contains(state.at)) refuse("ejection where the destination is not");
          continue;
        }
        const Channel& channel = header_.channel_of(move.buffer);
        if (channel.from != state.at) refuse("a move does not leave from its state's switch");
        if (move.next >= destination.states.size() || channel.to != destination.states[move.next].at)
          refuse("a move does not lead to its next state's switch");
      }
    std::set<Number> senders;
    for (const Injection& injection : destination.injections)
      for (const Number terminal : injection.terminals) {
        if (terminal == destination.terminal || !senders.insert(terminal).second)
          refuse("a terminal injects twice, or to itself");
        for (const Number state : injection.states)
          if (state >= destination.states.size() ||
              !header_.terminals[terminal].in.contains(destination.states[state].at))
            refuse("injection where the terminal is not");
      }
  }

  void find_entering(const Destination& destination) {
    entering_.assign(destination.states.size(), {});
    before_.assign(destination.states.size(), {});
    for (std::size_t s = 0; s < destination.states.size(); ++s)
      for (const Move& move : destination.states[s].moves) {
        if (move.ejects) continue;
        entering_[move.next].push_back(move.buffer);
        before_[move.next].push_back(s);
      }
    for (auto& buffers : entering_) {
      std::ranges::sort(buffers);
      buffers.erase(std::unique(buffers.begin(), buffers.end()), buffers.end());
    }
  }

  void check_reached(const Destination& destination) const {
    std::vector<bool> reached(destination.states.size());
    std::vector<Number> todo;
    for (const Injection& injection : destination.injections) {
      if (injection.terminals.empty()) refuse("a line of injections names no terminal");
      todo.insert(todo.end(), injection.states.begin(), injection.states.end());
    }
    while (!todo.empty()) {
      const Number s = todo.back();
      todo.pop_back();
      if (reached[s]) continue;
      reached[s] = true;
      for (const Move& move : destination.states[s].moves)
        if (!move.ejects) todo.push_back(move.next);
    }
    if (std::ranges::find(reached, false) != reached.end()) refuse("a state is never reached");
  }

  void count_dependencies(const Destination& destination) {
    for (std::size_t s = 0; s < destination.states.size(); ++s)
      for (const Move& move : destination.states[s].moves)
        for (const Number held : entering_[s])
          if (!move.ejects && asked_[held].insert(move.buffer).second) ++dependencies_;
  }

  /// Which packets may fail, and how far they travel: backwards from ejection.
  void judge(const Destination& destination) {
    const std::size_t count = destination.states.size();
    std::vector<bool> fails(count, true);
    std::vector<Number> todo;
    for (std::size_t s = 0; s < count; ++s)
      if (std::ranges::any_of(destination.states[s].moves, &Move::ejects)) todo.push_back(s);
    spread(todo, fails, false);
    for (std::size_t s = 0; s < count; ++s)
      if (fails[s]) todo.insert(todo.end(), before_[s].begin(), before_[s].end());
    spread(todo, fails, true);
    const std::vector<Number> hops = most_hops(destination);
    std::vector<bool> served(header_.terminals.size());
    for (const Injection& injection : destination.injections)
      for (const Number terminal : injection.terminals) {
        served[terminal] = std::ranges::none_of(injection.states, [&](Number s) { return fails[s]; });
        for (const Number s : injection.states) max_hops_ = std::max(max_hops_, hops[s]);
      }
    if (header_.terminals[destination.terminal].out.empty()) return;
    for (Number terminal = 0; terminal < served.size(); ++terminal)
      if (terminal != destination.terminal && !served[terminal] && !header_.terminals[terminal].in.empty())
        ++unreachable_;
  }

  /// Gives `value` to the states of `todo` and to all that may come to them.
  void spread(std::vector<Number>& todo, std::vector<bool>& values, bool value) const {
    while (!todo.empty()) {
      const Number s = todo.back();
      todo.pop_back();
      if (values[s] == value) continue;
      values[s] = value;
      todo.insert(todo.end(), before_[s].begin(), before_[s].end());
    }
  }

  std::vector<Number> most_hops(const Destination& destination) {
    std::vector<Number> hops(destination.states.size(), 1);
    std::vector<Number> waiting(destination.states.size());
    std::vector<Number> settled;
    for (std::size_t s = 0; s < destination.states.size(); ++s) {
      waiting[s] = static_cast<Number>(std::ranges::count(destination.states[s].moves, false, &Move::ejects));
      if (waiting[s] == 0) settled.push_back(s);
    }
    for (std::size_t next = 0; next < settled.size(); ++next)
      for (const Number s : before_[settled[next]]) {
        hops[s] = std::max(hops[s], hops[settled[next]] + 1);
        if (--waiting[s] == 0) settled.push_back(s);
      }
    bounded_ = bounded_ && settled.size() == destination.states.size();
    return hops;
  }

  const Header& header_;
  std::size_t line_ = 0;
  /// By buffer: the dependencies so far. Only those that occur: a short text may name a high number.
  std::unordered_map<Number, std::unordered_set<Number>> asked_;
  std::vector<std::vector<Number>> entering_, before_;
  Number states_ = 0, moves_ = 0, dependencies_ = 0, unreachable_ = 0, max_hops_ = 0;
  bool bounded_ = true;
};

std::string summary(const Header& header) {
  std::string text =
      header.verdict == "deadlock"
          ? "a deadlock of " + std::to_string(header.packets.size()) + " packets"
          : "free of deadlock under " + header.switching + " switching (" + header.verdict + ")";
  text += header.unreachable_pairs == 0
              ? "; connected"
              : "; " + std::to_string(header.unreachable_pairs) + " pairs unreachable";
  return text +
         (header.bounded ? "; at most " + std::to_string(header.max_hops) + " hops" : "; hops unbounded");
}

}  // namespace

std::string check(std::string_view text) {
  if (text.starts_with(switches_keyword)) return check_switches(text);
  Reader reader(text);
  const Header header = reader.header();
  Rule rule(header, reader.line());
  Totals totals(header);
  Destination destination;
  Number expected = 0;
  while (reader.next_destination(header, destination)) {
    if (destination.terminal != expected++) throw Refused(destination.line, "destinations are not in order");
    totals.add(destination);
    rule.check(destination, totals.entering());
  }
  if (expected != header.terminals.size()) throw Refused(reader.line(), "a destination is missing");
  totals.compare(reader.line());
  rule.finish(reader.line());
  return summary(header);
}

}  // namespace checker
