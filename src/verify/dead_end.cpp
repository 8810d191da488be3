// SPDX-License-Identifier: Apache-2.0
#include "verify/dead_end.h"

#include <algorithm>

namespace faultline {
namespace {

using Move = DestinationStates::Move;

/// A move taken, and the position in the search of the one before it.
struct Taken {
  const Move* move;
  std::size_t before;
};
constexpr std::size_t source_itself = ~std::size_t{0};

std::vector<ChannelId> walk_to(const std::vector<Taken>& taken, std::size_t last) {
  std::vector<ChannelId> walk;
  for (; last != source_itself; last = taken[last].before) walk.push_back(taken[last].move->channel);
  std::ranges::reverse(walk);
  return walk;
}

}  // namespace

std::optional<DeadEnd> find_dead_end(const DestinationStates& plays, TerminalId source,
                                     TerminalId destination) {
  std::vector<Taken> taken;
  std::vector<bool> is_found(plays.count());
  const auto take = [&](std::span<const Move> moves, std::size_t before) {
    for (const Move& move : moves) {
      if (move.next == DestinationStates::ejected || (move.enters() && is_found[move.next])) continue;
      if (move.enters()) is_found[move.next] = true;
      taken.push_back({&move, before});
    }
  };
  const std::span<const Move> offered = plays.injections_of(source);
  if (offered.empty()) return DeadEnd{.source = source, .destination = destination};
  take(offered, source_itself);
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const Move& move = *taken[i].move;
    const bool is_dead = move.next == DestinationStates::lost;
    if (is_dead || plays.moves_of(move.next).empty())
      return DeadEnd{.source = source,
                     .destination = destination,
                     .walk = walk_to(taken, i),
                     .on_dead_channel = is_dead,
                     .vc = move.vc,
                     .tag = is_dead ? Tag{0} : plays.keys[move.next].tag};
    take(plays.moves_of(move.next), i);
  }
  return std::nullopt;
}

}  // namespace faultline
