// SPDX-License-Identifier: Apache-2.0
#include "verify/deadlock_schedule.h"

#include <algorithm>
#include <map>

#include "base/sort_unique.h"
#include "faultline/routing/states.h"
#include "verify/waiting.h"

namespace faultline {
namespace {

using Move = DestinationStates::Move;
constexpr std::uint32_t nobody = ~std::uint32_t{0};

/// A packet's way into its buffer.
struct Way {
  TerminalId source, destination;
  std::vector<ScheduledStep> steps;      ///< of no packet yet
  std::vector<std::uint32_t> waits_for;  ///< buffers
};

class Filling {
 public:
  Filling(const RoutingRelation& relation, const FaultSet& dead, const Buffers& buffers,
          const std::vector<std::uint32_t>& members, bool commits, StopFlag stop)
      : relation_(relation),
        dead_(dead),
        buffers_(buffers),
        members_(members),
        commits_(commits),
        stop_(stop),
        position_(buffers.count(), nobody),
        taken_(buffers.count()) {
    for (std::uint32_t i = 0; i < members.size(); ++i) {
      position_[members[i]] = i;
      taken_[members[i]] = true;
    }
  }

  std::optional<FilledBuffers> run(const std::vector<TerminalId>& likely) && {
    std::vector<Way> ways(members_.size());
    std::vector<std::uint32_t> last_first;
    while (last_first.size() < members_.size()) {
      const auto member = fill_one(likely, ways);
      if (!member) return std::nullopt;
      last_first.push_back(*member);
      taken_[members_[*member]] = false;
    }
    FilledBuffers filled;
    for (std::uint32_t i = 0; i < members_.size(); ++i) {
      WaitingPacket packet{buffers_.at(members_[i]), ways[i].source, ways[i].destination, {}};
      for (const std::uint32_t buffer : ways[i].waits_for) packet.waits_for.push_back(position_[buffer]);
      filled.packets.push_back(std::move(packet));
    }
    for (std::size_t i = last_first.size(); i-- > 0;)
      for (ScheduledStep step : ways[last_first[i]].steps) {
        step.packet = last_first[i];
        filled.schedule.push_back(step);
      }
    return filled;
  }

 private:
  /// A member that can be filled after all others that are still taken.
  std::optional<std::uint32_t> fill_one(const std::vector<TerminalId>& likely, std::vector<Way>& ways) {
    for (std::uint32_t i = 0; i < members_.size(); ++i)
      if (taken_[members_[i]] && find_way(members_[i], likely[i], ways[i])) return i;
    for (const TerminalId destination : relation_.topology().terminals())
      for (std::uint32_t i = 0; i < members_.size(); ++i)
        if (taken_[members_[i]] && find_way(members_[i], destination, ways[i])) return i;
    return std::nullopt;
  }

  const DestinationStates& states_to(TerminalId destination) {
    const auto [entry, is_new] = states_.try_emplace(destination.value());
    if (is_new) entry->second = enumerate_plays(relation_, destination, dead_);
    return entry->second;
  }

  [[nodiscard]] std::span<const Move> waiting(const DestinationStates& states, std::uint32_t state) const {
    return waits_within(states, state, commits_, [&](const Move& move) {
      return move.enters() && position_[buffers_.number(move.channel, move.vc)] != nobody;
    });
  }

  /// Breadth first from every source, around the buffers that are taken.
  bool find_way(std::uint32_t buffer, TerminalId destination, Way& way) {
    end_if_set(stop_);
    const DestinationStates& states = states_to(destination);
    std::vector<Origin> origins(states.count());
    std::vector<std::uint32_t> queue;
    const auto enter = [&](const Move& move, const Origin& origin) {
      if (origins[move.next].move != nullptr) return;
      origins[move.next] = origin;
      queue.push_back(move.next);
    };
    for (const TerminalId source : relation_.topology().terminals())
      for (const Move& move : states.injections_of(source))
        if (move.enters()) enter(move, {&move, nobody, source});
    for (std::size_t next = 0; next < queue.size(); ++next)
      for (const Move& move : states.moves_of(queue[next])) {
        if (!move.enters()) continue;
        const std::uint32_t into = buffers_.number(move.channel, move.vc);
        if (into == buffer && !waiting(states, move.next).empty()) {
          way = way_of(states, origins, destination, {&move, queue[next], {}});
          return true;
        }
        if (into == buffer || !taken_[into]) enter(move, {&move, queue[next], {}});
      }
    return false;
  }

  struct Origin {
    const Move* move = nullptr;
    std::uint32_t before = nobody;  ///< a state, or nobody behind the source
    TerminalId source;
  };

  Way way_of(const DestinationStates& states, const std::vector<Origin>& origins, TerminalId destination,
             Origin last) const {
    Way way{{}, destination, {}, {}};
    for (const Move& option : waiting(states, last.move->next))
      way.waits_for.push_back(buffers_.number(option.channel, option.vc));
    sort_unique(way.waits_for);
    while (true) {
      const Move& move = *last.move;
      way.steps.push_back({0, move.channel, move.vc, states.keys[move.next].tag});
      if (last.before == nobody) break;
      last = origins[last.before];
    }
    way.source = last.source;
    std::ranges::reverse(way.steps);
    return way;
  }

  const RoutingRelation& relation_;
  const FaultSet& dead_;
  const Buffers& buffers_;
  const std::vector<std::uint32_t>& members_;
  bool commits_;
  StopFlag stop_;
  std::vector<std::uint32_t> position_;  ///< by buffer: in the set
  std::vector<bool> taken_;              ///< by buffer: filled before the packet that is put there now
  std::map<std::uint32_t, DestinationStates> states_;  ///< by destination, as far as they were asked for
};

}  // namespace

std::optional<FilledBuffers> fill_buffers(const RoutingRelation& relation, const FaultSet& dead,
                                          const Buffers& buffers, const std::vector<std::uint32_t>& members,
                                          const std::vector<TerminalId>& likely, bool commits,
                                          StopFlag stop) {
  return Filling(relation, dead, buffers, members, commits, stop).run(likely);
}

}  // namespace faultline
