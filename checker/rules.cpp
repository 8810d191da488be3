// SPDX-License-Identifier: Apache-2.0
#include "rules.h"

#include <algorithm>

namespace checker {
namespace {

/// The moves of a state, option by option.
std::vector<std::vector<Move>> options_of(const std::vector<Move>& moves) {
  std::vector<std::vector<Move>> options;
  for (const Move& move : moves) {
    if (options.empty() || options.back().front().option != move.option) options.emplace_back();
    options.back().push_back(move);
  }
  return options;
}

}  // namespace

Rule::Rule(const Certificate& certificate) : certificate_(certificate), relation_(certificate.relation) {
  const std::size_t line = certificate.relation_line;
  const bool acyclic = certificate.verdict == "acyclic-dependencies";
  if (certificate.ranks.size() != relation_.buffers())
    throw Refused(line, "the number of ranks differs from the number of buffers");
  commits_ = certificate.selection == "commits";
  if (certificate.time == "any" && (!acyclic || !certificate.dead.empty()))
    throw Refused(line, "only acyclic dependencies with nothing dead hold at any time");
  if (certificate.time == "any" && certificate.stuck == "waits")
    throw Refused(line, "a packet whose channels fail at any time may be stuck, and waits for ever");
  if (certificate.verdict == "bubble" && certificate.switching != "cut-through")
    throw Refused(line, "a bubble needs cut-through switching");
  if (certificate.verdict == "bubble" && relation_.rings.empty())
    throw Refused(line, "a bubble needs a ring");
  for (Number buffer = 0; buffer < relation_.buffers(); ++buffer) ring_successor_.push_back(buffer);
  if (certificate.verdict == "bubble") check_rings();
}

void Rule::check_rings() {
  for (const auto& ring : relation_.rings)
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const Number next = ring[(i + 1) % ring.size()];
      if (certificate_.ranks[ring[i]] != certificate_.ranks[next])
        throw Refused(certificate_.relation_line, "the members of a ring differ in rank");
      ring_successor_[ring[i]] = next;
    }
}

Number Rule::rank(std::size_t line, Number buffer) const {
  if (certificate_.ranks[buffer] == Certificate::unranked)
    throw Refused(line, "a buffer that matters has no rank");
  return certificate_.ranks[buffer];
}

void Rule::check(const Destination& destination, const Plays& plays) const {
  if (certificate_.stuck == "waits")
    for (std::size_t s = 0; s < plays.reached.size(); ++s)
      if (plays.reached[s] && plays.moves(s, certificate_.given).empty())
        throw Refused(destination.line, "a packet may be stuck, and waits for ever");
  if (certificate_.time == "any") check_any_time(destination);
  if (certificate_.verdict == "acyclic-dependencies")
    check_acyclic(destination, plays);
  else if (certificate_.verdict == "escape" && certificate_.switching == "wormhole")
    check_escape_wormhole(destination, plays);
  else
    check_descent(destination, plays);
}

/// All options of all tiers, in every state.
void Rule::check_any_time(const Destination& destination) const {
  for (const auto& moves : destination.states)
    for (const Move& into : moves) {
      if (into.ejects) continue;
      for (const Move& move : destination.states[into.next])
        if (!move.ejects &&
            rank(destination.line, relation_.buffer(move)) >= rank(destination.line, relation_.buffer(into)))
          throw Refused(destination.line, "a dependency between options of some tier goes up in rank");
    }
}

void Rule::check_acyclic(const Destination& destination, const Plays& plays) const {
  for (std::size_t s = 0; s < plays.reached.size(); ++s) {
    if (plays.entering[s].empty()) continue;
    for (const Move& move : plays.moves(s, certificate_.given))
      for (const Number held : plays.entering[s])
        if (!move.ejects && rank(destination.line, relation_.buffer(move)) >= rank(destination.line, held))
          throw Refused(destination.line, "a dependency goes up in rank");
  }
}

void Rule::check_acyclic(const Dependencies& dependencies) const {
  const std::size_t line = certificate_.relation_line;
  for (Number held = 0; held < dependencies.asked().size(); ++held)
    for (const Number asked : dependencies.asked()[held])
      if (rank(line, asked) >= rank(line, held))
        throw Refused(line, "a dependency of some destination that is not stated goes up in rank");
}

void Rule::require_escape_of_each_option(const Destination& destination, const Plays& plays) const {
  for (std::size_t s = 0; s < plays.reached.size(); ++s) {
    if (!plays.reached[s]) continue;
    for (const std::vector<Move>& option : options_of(plays.moves(s, certificate_.given)))
      if (std::ranges::none_of(option, &Move::escape))
        throw Refused(destination.line, "a packet may commit to an option without an escape");
  }
}

void Rule::check_escape_wormhole(const Destination& destination, const Plays& plays) const {
  const std::size_t count = plays.reached.size();
  if (commits_) require_escape_of_each_option(destination, plays);
  // bound[s]: one above the highest escape buffer that may be requested in s or after further non-escape
  // moves.
  std::vector<Number> bound(count, 0);
  std::vector<std::vector<Move>> moves(count);
  for (std::size_t s = 0; s < count; ++s) {
    if (!plays.reached[s]) continue;
    moves[s] = plays.moves(s, certificate_.given);
    for (const Move& move : moves[s])
      if (move.escape && !move.ejects)
        bound[s] = std::max(bound[s], rank(destination.line, relation_.buffer(move)) + 1);
    if (!moves[s].empty() && std::ranges::none_of(moves[s], &Move::escape))
      throw Refused(destination.line, "a state has no escape");
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t s = count; s-- > 0;)
      for (const Move& move : moves[s])
        if (!move.escape && bound[move.next] > bound[s]) {
          bound[s] = bound[move.next];
          changed = true;
        }
  }
  for (std::size_t s = 0; s < count; ++s)
    for (const Number held : plays.entering[s])
      if (certificate_.ranks[held] != Certificate::unranked && bound[s] > certificate_.ranks[held])
        throw Refused(destination.line, "an extended dependency goes up in rank");
}

void Rule::check_descent(const Destination& destination, const Plays& plays) const {
  for (std::size_t s = 0; s < plays.reached.size(); ++s) {
    if (plays.entering[s].empty()) continue;
    const std::vector<Move> moves = plays.moves(s, certificate_.given);
    for (const Number held : plays.entering[s]) {
      const auto descends = [&](const Move& move) {
        if (move.ejects) return true;
        const Number buffer = relation_.buffer(move);
        return rank(destination.line, buffer) < rank(destination.line, held) ||
               (ring_successor_[held] == buffer && buffer != held);
      };
      if (!moves.empty() && std::ranges::none_of(moves, descends))
        throw Refused(destination.line, "a packet has no option of lower rank");
      if (!commits_) continue;
      for (const std::vector<Move>& option : options_of(moves))
        if (std::ranges::none_of(option, descends))
          throw Refused(destination.line, "a packet may commit to an option that is of no lower rank");
    }
  }
}

}  // namespace checker
