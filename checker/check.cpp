// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "rules.h"
#include "switches.h"

namespace checker {
namespace {

/// The injection, or ejection, channels of a terminal; a terminal may have none.
struct Ends {
  Number living = 0, dead = 0;
  void add(bool is_dead) { ++(is_dead ? dead : living); }
  [[nodiscard]] bool all_dead() const { return living == 0 && dead != 0; }
};

/// Adds up what the certificate states, destination by destination.
class Totals {
 public:
  explicit Totals(const Certificate& certificate)
      : certificate_(certificate),
        relation_(certificate.relation),
        asked_(relation_),
        at_any_time_(relation_) {
    injections_.resize(relation_.terminals);
    injection_.resize(relation_.terminals);
    ejection_.resize(relation_.terminals);
    for (Number c = 0; c < relation_.channels.size(); ++c) {
      const Channel& channel = relation_.channels[c];
      const bool is_dead = certificate.given.dead[c];
      if (channel.role == Role::injection) injection_[channel.from].add(is_dead);
      if (channel.role == Role::ejection) ejection_[channel.to].add(is_dead);
      if (channel.role == Role::injection && !is_dead) injections_[channel.from].push_back(c);
    }
  }

  /// `position`: among the destinations stated.
  void add(const Destination& destination, const Plays& plays, std::size_t position) {
    check_classes(destination, plays, certificate_.classes[position]);
    check_unused(destination);
    count(plays);
    count_hops(plays);
    if (certificate_.by_classes && certificate_.time == "any") count_at_any_time(destination);
  }

  /// What holds for the stated destinations holds for their images.
  void carry_to_all() {
    asked_.close_under(certificate_.orbits);
    at_any_time_.close_under(certificate_.orbits);
  }
  [[nodiscard]] const Dependencies& dependencies() const { return asked_; }
  [[nodiscard]] const Dependencies& dependencies_at_any_time() const { return at_any_time_; }

  void compare() const {
    const Number words = certificate_.orbits.words();
    same(states_ * words, certificate_.states, "states");
    same(moves_ * words, certificate_.moves, "moves");
    same(asked_.count(), certificate_.dependencies, "dependencies");
    same(unreachable_ * words, certificate_.unreachable_pairs, "unreachable pairs");
    constexpr std::array<const char*, 5> names{"served", "likely", "livelock", "stalled", "refused"};
    for (std::size_t i = 0; i < names.size(); ++i)
      same(pairs_[i] * words, certificate_.pairs[i], (std::string(names[i]) + " pairs").c_str());
    if (bounded_ != certificate_.max_hops.has_value())
      throw Refused(certificate_.relation_line, "whether the number of hops is bounded is stated wrongly");
    if (bounded_) same(max_hops_, *certificate_.max_hops, "hops at most");
  }

 private:
  void same(Number ours, Number stated, const char* what) const {
    if (ours != stated)
      throw Refused(certificate_.relation_line,
                    "there are " + std::to_string(ours) + " " + what + ", not " + std::to_string(stated));
  }

  void check_classes(const Destination& destination, const Plays& plays, const std::string& stated) {
    constexpr std::string_view letters = "spltr";
    for (Number source = 0; source < relation_.terminals; ++source) {
      if (source == destination.terminal) {
        if (stated[source] != '-')
          throw Refused(destination.line, "the pair of a terminal with itself has a class");
        continue;
      }
      const Class found = plays.classes[source];
      if (stated[source] != static_cast<char>(found))
        throw Refused(destination.line, "the pair of source " + std::to_string(source) + " is of class " +
                                            static_cast<char>(found) + ", not " + stated[source]);
      ++pairs_[letters.find(static_cast<char>(found))];
      if (found != Class::served && found != Class::likely && !injection_[source].all_dead() &&
          !ejection_[destination.terminal].all_dead())
        ++unreachable_;
    }
  }

  /// Every living injection channel is offered, or named as unused.
  void check_unused(const Destination& destination) const {
    for (Number source = 0; source < relation_.terminals; ++source) {
      std::vector<Number> left = source == destination.terminal ? std::vector<Number>{} : injections_[source];
      for (const Move& move : destination.starts[source]) std::erase(left, move.channel);
      const auto stated = certificate_.unused.find({destination.terminal, source});
      if (stated == certificate_.unused.end() ? !left.empty() : stated->second != left)
        throw Refused(destination.line,
                      "source " + std::to_string(source) + " offers other injection channels than stated");
    }
  }

  void count(const Plays& plays) {
    for (std::size_t s = 0; s < plays.reached.size(); ++s) {
      if (!plays.reached[s]) continue;
      const std::vector<Move> moves = plays.moves(s, certificate_.given);
      ++states_;
      moves_ += moves.size();
      for (const Number held : plays.entering[s])
        for (const Move& move : moves)
          if (!move.ejects) asked_.add(held, relation_.buffer(move));
    }
  }

  /// All options of all tiers, in every state.
  void count_at_any_time(const Destination& destination) {
    for (const auto& moves : destination.states)
      for (const Move& into : moves) {
        if (into.ejects) continue;
        for (const Move& move : destination.states[into.next])
          if (!move.ejects) at_any_time_.add(relation_.buffer(into), relation_.buffer(move));
      }
  }

  /// Maximum switches that packets traverse: states are settled from their last ones on.
  void count_hops(const Plays& plays) {
    const std::size_t count = plays.reached.size();
    std::vector<std::vector<std::size_t>> before(count);
    std::vector<Number> hops(count, 1), waiting(count);
    std::vector<std::size_t> settled;
    std::size_t reached = 0;
    for (std::size_t s = 0; s < count; ++s) {
      if (!plays.reached[s]) continue;
      ++reached;
      for (const Move& move : plays.moves(s, certificate_.given)) {
        if (move.ejects) continue;
        before[move.next].push_back(s);
        ++waiting[s];
      }
      if (waiting[s] == 0) settled.push_back(s);
    }
    for (std::size_t next = 0; next < settled.size(); ++next)
      for (const std::size_t s : before[settled[next]]) {
        hops[s] = std::max(hops[s], hops[settled[next]] + 1);
        if (--waiting[s] == 0) settled.push_back(s);
      }
    bounded_ = bounded_ && settled.size() == reached;
    for (const auto& starts : plays.starts)
      for (const Move& move : starts)
        if (certificate_.given.alive(move)) max_hops_ = std::max(max_hops_, hops[move.next]);
  }

  const Certificate& certificate_;
  const Relation& relation_;
  Dependencies asked_;                           ///< so far
  Dependencies at_any_time_;                     ///< collected if the relation is stated by classes
  std::vector<std::vector<Number>> injections_;  ///< by terminal: living channels
  std::vector<Ends> injection_, ejection_;       ///< by terminal
  std::array<Number, 5> pairs_{};
  Number states_ = 0, moves_ = 0, unreachable_ = 0, max_hops_ = 0;
  bool bounded_ = true;
};

std::string summary(const Certificate& certificate) {
  std::string text =
      certificate.refutes()
          ? "a deadlock, by a schedule of " + std::to_string(certificate.steps.size()) + " steps"
          : "free of deadlock under " + certificate.switching + " switching (" + certificate.verdict + ")";
  text += certificate.unreachable_pairs == 0
              ? "; connected"
              : "; " + std::to_string(certificate.unreachable_pairs) + " pairs unreachable";
  return text + (certificate.max_hops ? "; at most " + std::to_string(*certificate.max_hops) + " hops"
                                      : "; hops unbounded");
}

}  // namespace

std::string check(const Certificate& certificate) {
  if (certificate.refutes() && !certificate.ranks.empty())
    throw Refused(certificate.relation_line, "a deadlock needs no ranks");
  if (!certificate.refutes() && !certificate.packets.empty())
    throw Refused(certificate.relation_line, "only a deadlock has packets");
  if (certificate.refutes() && certificate.time == "any")
    throw Refused(certificate.relation_line, "a deadlock is shown for what is dead now");
  std::optional<Rule> rule;
  if (!certificate.refutes()) rule.emplace(certificate);
  Totals totals(certificate);
  for (std::size_t i = 0; i < certificate.stated.size(); ++i) {
    Lines lines = certificate.destinations[i];
    const Destination destination = read_destination(lines, certificate.relation, certificate.stated[i]);
    if (!lines.take("destination") && !lines.take("end"))
      lines.refuse("must be a line of a destination, or its end");
    const Plays plays = plays_of(destination, certificate.relation, certificate.given);
    totals.add(destination, plays, i);
    if (rule) rule->check(destination, plays);
  }
  if (certificate.by_classes) {
    totals.carry_to_all();
    rule->check_acyclic(totals.dependencies());
    rule->check_acyclic(totals.dependencies_at_any_time());
  }
  totals.compare();
  if (certificate.refutes()) check_schedule(certificate);
  return summary(certificate);
}

std::string check(std::string_view text) {
  return text.starts_with(switches_keyword) ? check_switches(text) : check(read_certificate(text));
}

}  // namespace checker
