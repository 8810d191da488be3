// SPDX-License-Identifier: Apache-2.0
#include "verify/deadlock_schedule.h"

#include <algorithm>
#include <deque>
#include <map>
#include <ranges>
#include <set>
#include <utility>

#include "base/sort_unique.h"
#include "faultline/routing/states.h"
#include "verify/waiting.h"

namespace faultline {
namespace {

using Move = DestinationStates::Move;
constexpr std::uint32_t nobody = ~std::uint32_t{0};

/// A way into a state.
struct Entry {
  std::uint32_t from = nobody;  ///< a state, or nobody behind the source
  std::uint32_t to = 0;         ///< a state
  std::uint32_t buffer = 0;     ///< that the packet then holds; a number of none behind the source
  const Move* move = nullptr;
  TerminalId source;  ///< of an injection
};

/// The states of a destination's packets, to be searched backwards. CSR: the entries of state s are
/// entries[offsets[s]] … entries[offsets[s + 1] - 1].
struct Destination {
  DestinationStates states;
  std::vector<std::uint32_t> offsets;
  std::vector<Entry> entries;

  [[nodiscard]] std::span<const Entry> entries_of(std::uint32_t state) const {
    return std::span(entries).subspan(offsets[state], offsets[state + 1] - offsets[state]);
  }
};

Destination destination_of(DestinationStates states, const Topology& topology, const Buffers& buffers) {
  std::vector<Entry> entries;
  const auto add = [&](std::uint32_t from, std::span<const Move> moves, TerminalId source) {
    for (const Move& move : moves)
      if (move.enters())
        entries.push_back({from, move.next, buffers.number(move.channel, move.vc), &move, source});
  };
  for (const TerminalId source : topology.terminals()) add(nobody, states.injections_of(source), source);
  for (std::uint32_t state = 0; state < states.count(); ++state) add(state, states.moves_of(state), {});
  std::ranges::stable_sort(entries, {}, &Entry::to);
  std::vector<std::uint32_t> offsets(states.count() + 1);
  for (const Entry& entry : entries) ++offsets[entry.to + 1];
  for (std::size_t state = 0; state < states.count(); ++state) offsets[state + 1] += offsets[state];
  return {std::move(states), std::move(offsets), std::move(entries)};
}

/// One packet of the set while time runs backwards: at first in its buffer, in any state in which it waits
/// there; once it went back, in one state of another buffer; at last gone behind its source.
struct Packet {
  std::uint32_t buffer = 0;
  std::uint32_t state = nobody;  ///< nobody: any
  bool gone = false;
  TerminalId source, destination;
  std::vector<std::uint32_t> waits_for;  ///< buffers

  [[nodiscard]] bool is_free_to_choose() const { return state == nobody && !gone; }
};

struct Filling {
  std::vector<Packet> packets;
  std::vector<std::vector<ScheduledStep>> last_first;  ///< what one packet does at a time
  [[nodiscard]] bool is_done() const { return std::ranges::all_of(packets, &Packet::gone); }
};

class Filler {
 public:
  Filler(const RoutingRelation& relation, const FaultSet& dead, const Buffers& buffers,
         const std::vector<std::uint32_t>& members, const std::vector<TerminalId>& likely, bool commits,
         StopFlag stop)
      : relation_(relation),
        dead_(dead),
        buffers_(buffers),
        members_(members),
        likely_(likely),
        commits_(commits),
        stop_(stop),
        position_(buffers.count(), nobody),
        taken_(buffers.count()) {
    for (std::uint32_t i = 0; i < members.size(); ++i) position_[members[i]] = i;
  }

  std::optional<FilledBuffers> run(std::uint64_t& effort) && {
    Filling start;
    for (const std::uint32_t buffer : members_) start.packets.push_back({.buffer = buffer});
    send_back_all(start);
    effort_ = std::exchange(effort, 0);
    auto filled = start.is_done() ? result_of(start) : with_waits_midway(std::move(start));
    effort = effort_;
    return filled;
  }

 private:
  using Then = std::vector<const Entry*>;  ///< by state: how a packet goes on from there

  /// Breadth first over the ways to let packets wait in other buffers until others have passed.
  [[nodiscard]] std::optional<FilledBuffers> with_waits_midway(Filling start) {
    std::set<std::vector<std::uint32_t>> known;
    std::deque<Filling> queue{std::move(start)};
    for (; !queue.empty(); queue.pop_front())
      for (std::uint32_t i = 0; i < members_.size(); ++i)
        for (Filling& next : partly_back(queue.front(), i)) {
          send_back_all(next);
          if (next.is_done()) return result_of(next);
          if (known.insert(configuration_of(next)).second) queue.push_back(std::move(next));
        }
    return std::nullopt;
  }

  static std::vector<std::uint32_t> configuration_of(const Filling& filling) {
    std::vector<std::uint32_t> configuration;
    for (const Packet& packet : filling.packets)
      configuration.insert(configuration.end(),
                           {packet.gone ? nobody : packet.buffer, packet.gone ? nobody : packet.state,
                            packet.gone ? nobody : packet.destination.value()});
    return configuration;
  }

  [[nodiscard]] FilledBuffers result_of(const Filling& filling) const {
    FilledBuffers filled;
    for (std::uint32_t i = 0; i < members_.size(); ++i) {
      const Packet& packet = filling.packets[i];
      WaitingPacket waits{buffers_.at(members_[i]), packet.source, packet.destination, {}};
      for (const std::uint32_t buffer : packet.waits_for) waits.waits_for.push_back(position_[buffer]);
      filled.packets.push_back(std::move(waits));
    }
    for (const auto& steps : filling.last_first | std::views::reverse)
      filled.schedule.insert(filled.schedule.end(), steps.begin(), steps.end());
    return filled;
  }

  /// Sends packets back behind their sources while any can go. Each leaves the others more room, so that the
  /// order does not matter.
  void send_back_all(Filling& filling) {
    while (send_back_one(filling)) {
    }
  }
  [[nodiscard]] bool send_back_one(Filling& filling) {
    take(filling);
    for (std::uint32_t i = 0; i < members_.size(); ++i) {
      const Packet& packet = filling.packets[i];
      if (!packet.gone && send_back(filling, i, packet.is_free_to_choose() ? likely_[i] : packet.destination))
        return true;
    }
    for (const TerminalId destination : relation_.topology().terminals())
      for (std::uint32_t i = 0; i < members_.size(); ++i)
        if (filling.packets[i].is_free_to_choose() && send_back(filling, i, destination)) return true;
    return false;
  }

  [[nodiscard]] bool send_back(Filling& filling, std::uint32_t member, TerminalId to) {
    const Destination& destination = states_to(to);
    const Entry* first = nullptr;
    const Then then = search_back(filling.packets[member], destination, [&](const Entry& entry) {
      if (entry.from == nobody) first = &entry;
      return first != nullptr;
    });
    if (first == nullptr) return false;
    std::vector<ScheduledStep> steps{step_of(destination, member, *first)};
    const Entry& last = follow(destination, then, filling.packets[member], member, *first, steps);
    Packet& packet = filling.packets[member];
    settle(packet, destination, to, last);
    packet.source = first->source;
    packet.gone = true;
    filling.last_first.push_back(std::move(steps));
    return true;
  }

  /// Each way to let one packet wait in another buffer, so that others can pass.
  [[nodiscard]] std::vector<Filling> partly_back(const Filling& filling, std::uint32_t member) {
    std::vector<Filling> found;
    const Packet& packet = filling.packets[member];
    if (packet.gone) return found;
    take(filling);
    for (const TerminalId to : relation_.topology().terminals()) {
      if (!packet.is_free_to_choose() && to != packet.destination) continue;
      const Destination& destination = states_to(to);
      std::vector<const Entry*> halts;
      const Then then = search_back(packet, destination, [&](const Entry& entry) {
        if (entry.buffer != packet.buffer) halts.push_back(&entry);
        return false;
      });
      for (const Entry* const halt : halts) {
        if (!spend(members_.size())) return found;
        Filling& next = found.emplace_back(filling);
        std::vector<ScheduledStep> steps;
        const Entry& last = follow(destination, then, packet, member, *halt, steps);
        settle(next.packets[member], destination, to, last);
        next.packets[member].buffer = halt->buffer;
        next.packets[member].state = halt->to;
        next.last_first.push_back(std::move(steps));
      }
    }
    return found;
  }

  /// Breadth first from where the packet is, backwards through the buffers that are not taken; shows
  /// is_enough each entry, and ends when it says so. Finds nothing without effort left.
  template <class IsEnough>
  Then search_back(const Packet& packet, const Destination& destination, IsEnough is_enough) {
    end_if_set(stop_);
    if (!spend(destination.entries.size())) return {};
    Then then(destination.states.count());
    std::vector<const Entry*> queue;
    for (const Entry& entry : destination.entries)
      if (is_at(packet, destination, entry)) queue.push_back(&entry);
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const Entry& entry = *queue[next];
      if (is_enough(entry)) break;
      if (entry.from == nobody || then[entry.from] != nullptr) continue;
      then[entry.from] = &entry;
      for (const Entry& before : destination.entries_of(entry.from))
        if (before.from == nobody || before.buffer == packet.buffer || !taken_[before.buffer])
          queue.push_back(&before);
    }
    return then;
  }

  /// Whether a packet that made this move is where `packet` is.
  [[nodiscard]] bool is_at(const Packet& packet, const Destination& destination, const Entry& entry) const {
    if (entry.buffer != packet.buffer) return false;
    return packet.is_free_to_choose() ? !waiting(destination.states, entry.to).empty()
                                      : entry.to == packet.state;
  }

  /// Adds the steps behind `entry` up to where the packet is; the last entry.
  const Entry& follow(const Destination& destination, const Then& then, const Packet& packet,
                      std::uint32_t member, const Entry& entry, std::vector<ScheduledStep>& steps) const {
    const Entry* at = &entry;
    while (!is_at(packet, destination, *at)) {
      at = then[at->to];
      steps.push_back(step_of(destination, member, *at));
    }
    return *at;
  }

  static ScheduledStep step_of(const Destination& destination, std::uint32_t member, const Entry& entry) {
    return {member, entry.move->channel, entry.move->vc, destination.states.keys[entry.to].tag};
  }

  /// Fixes the state in which a packet waits in the end, if it was free.
  void settle(Packet& packet, const Destination& destination, TerminalId to, const Entry& last) const {
    if (!packet.is_free_to_choose()) return;
    packet.destination = to;
    for (const Move& option : waiting(destination.states, last.to))
      packet.waits_for.push_back(buffers_.number(option.channel, option.vc));
    sort_unique(packet.waits_for);
  }

  void take(const Filling& filling) {
    taken_.assign(taken_.size(), false);
    for (const Packet& packet : filling.packets)
      if (!packet.gone) taken_[packet.buffer] = true;
  }

  [[nodiscard]] bool spend(std::uint64_t effort) {
    if (effort_ < effort) return false;
    effort_ -= effort;
    return true;
  }

  const Destination& states_to(TerminalId destination) {
    const auto entry = states_.find(destination.value());
    if (entry != states_.end()) return entry->second;
    return states_
        .emplace(destination.value(), destination_of(enumerate_plays(relation_, destination, dead_),
                                                     relation_.topology(), buffers_))
        .first->second;
  }

  [[nodiscard]] std::span<const Move> waiting(const DestinationStates& states, std::uint32_t state) const {
    return waits_within(states, state, commits_, [&](const Move& move) {
      return move.enters() && position_[buffers_.number(move.channel, move.vc)] != nobody;
    });
  }

  const RoutingRelation& relation_;
  const FaultSet& dead_;
  const Buffers& buffers_;
  const std::vector<std::uint32_t>& members_;
  const std::vector<TerminalId>& likely_;
  bool commits_;
  StopFlag stop_;
  std::uint64_t effort_ = ~std::uint64_t{0};     ///< left; no bound as long as no packet waits midway
  std::vector<std::uint32_t> position_;          ///< by buffer: in the set
  std::vector<bool> taken_;                      ///< by buffer: a packet of the filling at hand is there
  std::map<std::uint32_t, Destination> states_;  ///< by destination, as far as they were asked for
};

}  // namespace

std::optional<FilledBuffers> fill_buffers(const RoutingRelation& relation, const FaultSet& dead,
                                          const Buffers& buffers, const std::vector<std::uint32_t>& members,
                                          const std::vector<TerminalId>& likely, bool commits,
                                          std::uint64_t& effort, StopFlag stop) {
  return Filler(relation, dead, buffers, members, likely, commits, stop).run(effort);
}

}  // namespace faultline
