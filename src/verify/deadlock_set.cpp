// SPDX-License-Identifier: Apache-2.0
#include "verify/deadlock_set.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "base/sort_unique.h"
#include "verify/deadlock_schedule.h"
#include "verify/waiting.h"

namespace faultline {
namespace {

using Move = DestinationStates::Move;

/// A packet that may sit in a buffer and find all its options within the set.
struct Candidate {
  TerminalId source, destination;
  std::uint32_t hops = 0;  ///< channels from the source
  std::vector<std::uint32_t> options;
};

/// The fewer buffers it waits for and the nearer its source, the smaller and plainer the deadlock.
bool plainer(const Candidate& a, const Candidate& b) {
  return std::pair(a.options.size(), a.hops) < std::pair(b.options.size(), b.hops);
}

/// Which terminal's packets reach each state in the fewest hops.
struct Nearest {
  std::vector<TerminalId> source;
  std::vector<std::uint32_t> hops;
};

Nearest nearest_sources(const DestinationStates& states, const Topology& topology) {
  Nearest nearest{std::vector<TerminalId>(states.count()), std::vector<std::uint32_t>(states.count(), 0)};
  std::vector<std::uint32_t> queue;
  const auto reach = [&](std::uint32_t state, TerminalId source, std::uint32_t hops) {
    if (nearest.source[state].valid()) return;
    nearest.source[state] = source;
    nearest.hops[state] = hops;
    queue.push_back(state);
  };
  for (const TerminalId source : topology.terminals())
    for (const Move& move : states.injections_of(source))
      if (move.enters()) reach(move.next, source, 0);
  for (std::size_t next = 0; next < queue.size(); ++next)
    for (const Move& move : states.moves_of(queue[next]))
      if (move.enters()) reach(move.next, nearest.source[queue[next]], nearest.hops[queue[next]] + 1);
  return nearest;
}

class Search {
 public:
  Search(const RoutingRelation& relation, const FaultSet& dead, const Buffers& buffers,
         const DrainOrder& order, bool commits, StopFlag stop)
      : relation_(relation),
        dead_(dead),
        buffers_(buffers),
        commits_(commits),
        stop_(stop),
        ranks_(order.ranks),
        next_rank_(order.ranked) {}

  DeadlockSet run() && {
    const bool is_empty = gives_up_all();
    DeadlockSet result{ranks_, {}, {}};
    if (is_empty) return result;
    // A packet that is lost on a dead channel releases its buffer: no proof may rely on that, but a packet
    // that asks for such a channel does not wait for ever.
    lost_leave_ = true;
    if (!dead_.empty() && gives_up_all()) return result;
    const auto packets = candidates();
    if (auto filled = fill(packets)) {
      result.packets = std::move(filled->packets);
      result.schedule = std::move(filled->schedule);
    }
    return result;
  }

 private:
  /// All rounds.
  [[nodiscard]] bool gives_up_all() {
    while (shrink()) {
    }
    return std::ranges::find(ranks_, Verdict::unranked) == ranks_.end();
  }
  [[nodiscard]] DestinationStates states_to(TerminalId destination) const {
    end_if_set(stop_);
    DestinationStates states = enumerate_plays(relation_, destination, dead_);
    if (!lost_leave_) drop_lost(states);
    return states;
  }

  /// What a state's packets wait for while they can do nothing but wait for buffers of the set.
  [[nodiscard]] std::span<const Move> waiting(const DestinationStates& states, std::uint32_t state) const {
    return waits_within(states, state, commits_,
                        [&](const Move& move) { return move.enters() && in_set(move); });
  }
  [[nodiscard]] bool in_set(const Move& move) const {
    return ranks_[buffers_.number(move.channel, move.vc)] == Verdict::unranked;
  }

  /// One round; true when it gave up a buffer and some are left.
  bool shrink() {
    std::vector<bool> held(ranks_.size());
    for (const TerminalId destination : relation_.topology().terminals()) {
      const DestinationStates states = states_to(destination);
      std::vector<bool> waits(states.count());
      for (std::uint32_t state = 0; state < states.count(); ++state)
        waits[state] = !waiting(states, state).empty();
      for (const Move& move : states.moves)
        if (move.enters() && waits[move.next] && in_set(move))
          held[buffers_.number(move.channel, move.vc)] = true;
    }
    bool gave_up = false, left = false;
    for (std::size_t buffer = 0; buffer < ranks_.size(); ++buffer) {
      if (ranks_[buffer] != Verdict::unranked) continue;
      if (held[buffer]) {
        left = true;
      } else {
        ranks_[buffer] = next_rank_;
        gave_up = true;
      }
    }
    ++next_rank_;
    return gave_up && left;
  }

  /// The plainest packet for each buffer of the set.
  std::map<std::uint32_t, Candidate> candidates() const {
    std::map<std::uint32_t, Candidate> best;
    for (const TerminalId destination : relation_.topology().terminals()) {
      const DestinationStates states = states_to(destination);
      const Nearest nearest = nearest_sources(states, relation_.topology());
      for (std::uint32_t state = 0; state < states.count(); ++state)
        for (const Move& move : states.moves_of(state)) {
          if (!move.enters() || !in_set(move)) continue;
          Candidate candidate{nearest.source[state], destination, nearest.hops[state] + 1, {}};
          for (const Move& option : waiting(states, move.next))
            candidate.options.push_back(buffers_.number(option.channel, option.vc));
          if (candidate.options.empty()) continue;
          sort_unique(candidate.options);
          const auto [entry, is_new] = best.try_emplace(buffers_.number(move.channel, move.vc), candidate);
          if (!is_new && plainer(candidate, entry->second)) entry->second = std::move(candidate);
        }
    }
    return best;
  }

  /// The buffers that must be filled when `start` is, in the order in which packets wait for them; stops at
  /// `limit`.
  static std::vector<std::uint32_t> closure(std::uint32_t start,
                                            const std::map<std::uint32_t, Candidate>& packets,
                                            std::size_t limit) {
    std::vector<std::uint32_t> members{start};
    std::unordered_set<std::uint32_t> known{start};
    for (std::size_t next = 0; next < members.size() && members.size() < limit; ++next)
      for (const std::uint32_t option : packets.at(members[next]).options)
        if (known.insert(option).second) members.push_back(option);
    return members;
  }

  using Candidates = std::map<std::uint32_t, Candidate>;

  static std::vector<std::uint32_t> smallest_closed(const Candidates& packets) {
    std::vector<std::uint32_t> smallest;
    for (const auto& [start, candidate] : packets) {
      std::vector<std::uint32_t> members =
          closure(start, packets, smallest.empty() ? packets.size() + 1 : smallest.size());
      if (smallest.empty() || members.size() < smallest.size()) smallest = std::move(members);
    }
    return smallest;
  }

  /// Of small sets only: each closed part, the smallest first. One may be out of reach where another is not.
  static std::vector<std::vector<std::uint32_t>> all_closed(const Candidates& packets) {
    constexpr std::size_t small = 256;
    std::vector<std::vector<std::uint32_t>> parts;
    if (packets.size() > small) return parts;
    for (const auto& [start, candidate] : packets) parts.push_back(closure(start, packets, small));
    std::ranges::stable_sort(parts, {}, &std::vector<std::uint32_t>::size);
    return parts;
  }

  static std::vector<std::uint32_t> everything(const Candidates& packets) {
    std::vector<std::uint32_t> members;
    for (const auto& [buffer, candidate] : packets) members.push_back(buffer);
    return members;
  }

  /// Some closed part of the set, first with packets that go all the way one after the other.
  [[nodiscard]] std::optional<FilledBuffers> fill(const Candidates& packets) const {
    constexpr std::uint64_t about_a_second = 100'000'000;
    std::vector<std::vector<std::uint32_t>> parts{smallest_closed(packets)};
    std::ranges::move(all_closed(packets), std::back_inserter(parts));
    parts.push_back(everything(packets));
    for (std::uint64_t effort : {std::uint64_t{0}, about_a_second})
      for (const std::vector<std::uint32_t>& members : parts)
        if (auto filled = fill(members, packets, effort)) return filled;
    return std::nullopt;
  }

  [[nodiscard]] std::optional<FilledBuffers> fill(const std::vector<std::uint32_t>& members,
                                                  const Candidates& packets, std::uint64_t& effort) const {
    std::vector<TerminalId> likely;
    for (const std::uint32_t buffer : members) likely.push_back(packets.at(buffer).destination);
    return fill_buffers(relation_, dead_, buffers_, members, likely, commits_, effort, stop_);
  }

  const RoutingRelation& relation_;
  const FaultSet& dead_;
  const Buffers& buffers_;
  bool commits_;
  StopFlag stop_;
  bool lost_leave_ = false;           ///< packets that are lost on dead channels release their buffers
  std::vector<std::uint32_t> ranks_;  ///< unranked: still in the set
  std::uint32_t next_rank_;
};

}  // namespace

DeadlockSet find_deadlock_set(const RoutingRelation& relation, const FaultSet& dead, const Buffers& buffers,
                              const DrainOrder& order, bool commits, StopFlag stop) {
  return Search(relation, dead, buffers, order, commits, stop).run();
}

}  // namespace faultline
