// SPDX-License-Identifier: Apache-2.0
// A MiKANT and its algorithms, written down from the text of paper 3 (PAPERS.md, section 3) only: addresses
// are lists of digits, a packet is moved by hand. Shares no code with the library.
#pragma once

#include <algorithm>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace faultline::paper3 {

struct Switch {
  unsigned group = 0, level = 0;
  std::vector<unsigned> d;  ///< d[i] is D_i

  friend auto operator<=>(const Switch&, const Switch&) = default;
};

struct Node {
  unsigned group = 0;
  std::vector<unsigned> c;  ///< c[i] is C_i
};

/// Dead switches, and links that are dead both ways.
struct Dead {
  std::set<Switch> switches;
  std::set<std::pair<Switch, Switch>> links;

  [[nodiscard]] bool between(const Switch& from, const Switch& to) const {
    return switches.contains(to) || links.contains({from, to}) || links.contains({to, from});
  }
};

enum class End { arrived, stuck, for_ever, not_sent };

struct Journey {
  End end = End::stuck;
  std::vector<Switch> switches;
};

class Mikant {
 public:
  Mikant(unsigned k, unsigned n) : k_(k), n_(n) {}

  [[nodiscard]] std::vector<Switch> switches() const {
    std::vector<Switch> all;
    for (unsigned group = 0; group < 2; ++group)
      for (unsigned level = 0; level + 1 < n_; ++level)
        for (unsigned number = 0; number < power(n_ - 1); ++number)
          all.push_back({group, level, digits(number, n_ - 1)});
    return all;
  }
  [[nodiscard]] std::vector<Node> nodes() const {
    std::vector<Node> all;
    for (unsigned group = 0; group < 2; ++group)
      for (unsigned number = 0; number < power(n_); ++number) all.push_back({group, digits(number, n_)});
    return all;
  }
  [[nodiscard]] Switch of(const Node& node) const {
    return {node.group, 0, {node.c.begin(), node.c.end() - 1}};
  }
  [[nodiscard]] unsigned number(const std::vector<unsigned>& digits) const {
    unsigned value = 0;
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) value = value * k_ + *digit;
    return value;
  }

  /// Algorithm 2's three cases at W for T.
  enum class Case { increasing, decreasing, here };
  [[nodiscard]] Case look(const Switch& w, const Node& t) const {
    if (w.group != t.group) return Case::increasing;
    for (unsigned i = w.level; i + 1 < n_; ++i)
      if (w.d[i] != t.c[i]) return Case::increasing;
    return w.level > 0 ? Case::decreasing : Case::here;
  }
  /// The neighbour by the digit+ port of level L.
  [[nodiscard]] Switch increasing(Switch w, unsigned digit) const {
    w.d[w.level] = digit;
    if (w.level == n_ - 2)
      w.group = 1 - w.group;
    else
      ++w.level;
    return w;
  }
  [[nodiscard]] Switch decreasing(Switch w, const Node& t) const {
    --w.level;
    w.d[w.level] = t.c[w.level];
    return w;
  }

  /// Minimal (0 alternatives), one-port (1), all-port (k - 1): memoryless, so that a packet that meets a
  /// switch again circles for ever.
  [[nodiscard]] Journey walk(const Node& s, const Node& t, const Dead& dead, unsigned alternatives) const {
    Journey journey{End::not_sent, {}};
    if (dead.switches.contains(of(s))) return journey;
    Switch w = of(s);
    for (std::set<Switch> met; met.insert(w).second;) {
      journey.switches.push_back(w);
      const Case now = look(w, t);
      if (now == Case::here) return {End::arrived, journey.switches};
      bool moved = false;
      if (now == Case::decreasing) {
        moved = take(w, decreasing(w, t), dead);
      } else {
        const unsigned wanted = t.c[w.level];
        for (unsigned other = 0; other <= alternatives && other < k_ && !moved; ++other)
          moved = take(w, increasing(w, (wanted + other) % k_), dead);
      }
      if (!moved) return {End::stuck, journey.switches};
    }
    return {End::for_ever, journey.switches};
  }

  /// Where a head may go forward when it goes back to try others: up by any port, down by the one.
  [[nodiscard]] std::vector<Switch> forward(const Switch& w, const Node& t) const {
    const Case now = look(w, t);
    if (now == Case::here) return {};
    if (now == Case::decreasing) return {decreasing(w, t)};
    std::vector<Switch> ways;
    for (unsigned digit = 0; digit < k_; ++digit) ways.push_back(increasing(w, digit));
    return ways;
  }
  /// Go-back: where nothing forward is healthy, back one hop and on by another port. The journey has the hops
  /// back too. The paper does not say how often a packet may change groups; here at most `crossings` times.
  [[nodiscard]] Journey backtrack(const Node& s, const Node& t, const Dead& dead, unsigned crossings) const {
    if (dead.switches.contains(of(s))) return {End::not_sent, {}};
    Journey journey{End::stuck, {of(s)}};
    if (search(of(s), t, dead, crossings, journey)) journey.end = End::arrived;
    return journey;
  }
  /// Whether any forward path is alive as far as T: a plain breadth-first search.
  [[nodiscard]] bool has_way(const Node& s, const Node& t, const Dead& dead) const {
    if (dead.switches.contains(of(s))) return false;
    std::set<Switch> met{of(s)};
    std::deque<Switch> open{of(s)};
    for (; !open.empty(); open.pop_front()) {
      if (look(open.front(), t) == Case::here) return true;
      for (const Switch& next : forward(open.front(), t))
        if (!dead.between(open.front(), next) && met.insert(next).second) open.push_back(next);
    }
    return false;
  }
  /// Whether any path at all is alive, whatever the algorithm.
  [[nodiscard]] bool connected(const Node& s, const Node& t, const Dead& dead) const {
    if (dead.switches.contains(of(s)) || dead.switches.contains(of(t))) return false;
    std::set<Switch> met{of(s)};
    std::deque<Switch> open{of(s)};
    for (; !open.empty(); open.pop_front())
      for (const Switch& next : neighbours(open.front()))
        if (!dead.between(open.front(), next) && met.insert(next).second) open.push_back(next);
    return met.contains(of(t));
  }
  [[nodiscard]] std::vector<Switch> neighbours(const Switch& w) const {
    std::vector<Switch> all;
    for (unsigned digit = 0; digit < k_; ++digit) {
      all.push_back(increasing(w, digit));
      if (w.level == 0) continue;
      Switch below = w;
      below.d[--below.level] = digit;
      all.push_back(below);
    }
    return all;
  }

 private:
  bool search(const Switch& w, const Node& t, const Dead& dead, unsigned crossings, Journey& journey) const {
    const Case now = look(w, t);
    if (now == Case::here) return true;
    std::vector<Switch> ways = forward(w, t);
    if (now == Case::increasing) std::ranges::rotate(ways, ways.begin() + t.c[w.level]);
    for (const Switch& next : ways) {
      const bool crosses = next.group != w.group;
      if (dead.between(w, next) || (crosses && crossings == 0)) continue;
      journey.switches.push_back(next);
      if (search(next, t, dead, crossings - (crosses ? 1 : 0), journey)) return true;
      journey.switches.push_back(w);
    }
    return false;
  }
  static bool take(Switch& w, const Switch& next, const Dead& dead) {
    if (dead.between(w, next)) return false;
    w = next;
    return true;
  }
  [[nodiscard]] unsigned power(unsigned exponent) const {
    unsigned value = 1;
    for (; exponent > 0; --exponent) value *= k_;
    return value;
  }
  [[nodiscard]] std::vector<unsigned> digits(unsigned number, unsigned count) const {
    std::vector<unsigned> result(count);
    for (unsigned& digit : result) {
      digit = number % k_;
      number /= k_;
    }
    return result;
  }

  unsigned k_, n_;
};

}  // namespace faultline::paper3
