// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>

#include "faultline/routing/states.h"

namespace faultline {

/// The moves that a packet in `state` can wait for while a set of buffers is full, of which in_set(move) says
/// whether the move leads into one: all of its moves or, where the selection function commits, those of one
/// option, the fewest. None where it has a way out.
template <class InSet>
std::span<const DestinationStates::Move> waits_within(const DestinationStates& states, std::uint32_t state,
                                                      bool commits, InSet in_set) {
  const auto moves = states.moves_of(state);
  if (!commits)
    return std::ranges::all_of(moves, in_set) ? moves : std::span<const DestinationStates::Move>{};
  std::span<const DestinationStates::Move> fewest;
  for (std::size_t begin = 0, end = 0; begin < moves.size(); begin = end) {
    while (end < moves.size() && moves[end].option == moves[begin].option) ++end;
    const auto option = moves.subspan(begin, end - begin);
    if (std::ranges::all_of(option, in_set) && (fewest.empty() || option.size() < fewest.size()))
      fewest = option;
  }
  return fewest;
}

}  // namespace faultline
