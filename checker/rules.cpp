// SPDX-License-Identifier: Apache-2.0
#include "rules.h"

#include <algorithm>

namespace checker {

Rule::Rule(const Header& header, std::size_t line) : header_(header), confirmed_(header.packets.size()) {
  const bool refutes = header.verdict == "deadlock";
  if (!refutes && header.verdict != "acyclic-dependencies" && header.verdict != "escape" &&
      header.verdict != "bubble")
    throw Refused(line, "the verdict is none that a certificate can have");
  if (refutes == header.packets.empty())
    throw Refused(line, "a deadlock needs packets, and only a deadlock has any");
  if (header.ranks.size() != (refutes ? 0 : header.buffers()))
    throw Refused(line, "the ranks are not as many as the buffers");
  if (header.rings.empty() != (header.verdict != "bubble"))
    throw Refused(line, "rings belong to the verdict bubble");
  if (header.verdict == "bubble" && header.switching != "cut-through")
    throw Refused(line, "a bubble needs cut-through switching");
  check_rings(line);
}

void Rule::check_rings(std::size_t line) {
  // Without rings nothing bounds the number of buffers; with them, all are ranked.
  for (Number buffer = 0; buffer < header_.ranks.size(); ++buffer) ring_successor_.push_back(buffer);
  for (const auto& ring : header_.rings)
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const Number next = ring[(i + 1) % ring.size()];
      if (header_.channel_of(ring[i]).to != header_.channel_of(next).from)
        throw Refused(line, "a ring is not closed");
      if (header_.ranks[ring[i]] != header_.ranks[next])
        throw Refused(line, "the members of a ring differ in rank");
      if (ring.size() < 2 || ring_successor_[ring[i]] != ring[i])
        throw Refused(line, "rings overlap, or have one member");
      ring_successor_[ring[i]] = next;
    }
}

Number Rule::rank(const Destination& destination, Number buffer) const {
  if (header_.ranks[buffer] == Header::unranked)
    throw Refused(destination.line, "a buffer that matters has no rank");
  return header_.ranks[buffer];
}

void Rule::check(const Destination& destination, const std::vector<std::vector<Number>>& entering) {
  if (header_.verdict == "deadlock")
    check_packets(destination);
  else if (header_.verdict == "acyclic-dependencies")
    check_acyclic(destination, entering);
  else if (header_.switching == "wormhole")
    check_escape_wormhole(destination, entering);
  else
    check_descent(destination, entering);
}

void Rule::check_acyclic(const Destination& destination,
                         const std::vector<std::vector<Number>>& entering) const {
  for (std::size_t s = 0; s < destination.states.size(); ++s)
    for (const Move& move : destination.states[s].moves)
      for (const Number held : entering[s])
        if (!move.ejects && rank(destination, move.buffer) >= rank(destination, held))
          throw Refused(destination.line, "a dependency goes up in rank");
}

void Rule::check_escape_wormhole(const Destination& destination,
                                 const std::vector<std::vector<Number>>& entering) const {
  const std::size_t count = destination.states.size();
  // bound[s]: one above the highest escape buffer that is asked for in s or after more moves that are no
  // escapes.
  std::vector<Number> bound(count, 0);
  for (std::size_t s = 0; s < count; ++s) {
    bool open = false;
    for (const Move& move : destination.states[s].moves) {
      open = open || move.escape;
      if (move.escape && !move.ejects) bound[s] = std::max(bound[s], rank(destination, move.buffer) + 1);
    }
    if (!open) throw Refused(destination.line, "a state has no escape");
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t s = count; s-- > 0;)
      for (const Move& move : destination.states[s].moves)
        if (!move.escape && bound[move.next] > bound[s]) {
          bound[s] = bound[move.next];
          changed = true;
        }
  }
  for (std::size_t s = 0; s < count; ++s)
    for (const Number held : entering[s])
      if (header_.ranks[held] != Header::unranked && bound[s] > header_.ranks[held])
        throw Refused(destination.line, "an extended dependency goes up in rank");
}

void Rule::check_descent(const Destination& destination,
                         const std::vector<std::vector<Number>>& entering) const {
  for (std::size_t s = 0; s < destination.states.size(); ++s) {
    const auto& moves = destination.states[s].moves;
    for (const Number held : entering[s]) {
      const bool descends = std::ranges::any_of(moves, [&](const Move& move) {
        if (move.ejects || rank(destination, move.buffer) < rank(destination, held)) return true;
        return ring_successor_[held] == move.buffer && move.buffer != held;
      });
      if (!descends && !moves.empty())
        throw Refused(destination.line, "a packet has no option of lower rank");
    }
  }
}

void Rule::check_packets(const Destination& destination) {
  for (std::size_t p = 0; p < header_.packets.size(); ++p) {
    const Packet& packet = header_.packets[p];
    if (packet.destination != destination.terminal) continue;
    std::vector<bool> seen(destination.states.size());
    std::vector<Number> todo;
    for (const Injection& injection : destination.injections)
      if (std::ranges::find(injection.terminals, packet.source) != injection.terminals.end())
        todo.insert(todo.end(), injection.states.begin(), injection.states.end());
    while (!todo.empty()) {
      const Number s = todo.back();
      todo.pop_back();
      if (seen[s]) continue;
      seen[s] = true;
      for (const Move& move : destination.states[s].moves) {
        if (move.ejects) continue;
        todo.push_back(move.next);
        if (move.buffer != packet.buffer) continue;
        std::set<Number> options;
        bool ejects = false;
        for (const Move& option : destination.states[move.next].moves) {
          ejects = ejects || option.ejects;
          if (!option.ejects) options.insert(option.buffer);
        }
        if (!ejects && !options.empty() && options == packet.waits) confirmed_[p] = true;
      }
    }
  }
}

void Rule::finish(std::size_t line) const {
  std::set<Number> filled;
  for (const Packet& packet : header_.packets)
    if (!filled.insert(packet.buffer).second)
      throw Refused(line, "two packets of the deadlock fill one buffer");
  for (std::size_t p = 0; p < header_.packets.size(); ++p) {
    if (!confirmed_[p])
      throw Refused(line, "packet " + std::to_string(p) + " of the deadlock does not wait as stated");
    if (!std::ranges::includes(filled, header_.packets[p].waits))
      throw Refused(line, "packet " + std::to_string(p) + " of the deadlock has a way out");
  }
}

}  // namespace checker
