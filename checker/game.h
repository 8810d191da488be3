// SPDX-License-Identifier: Apache-2.0
// What switches and sources may do that know some of the dead channels, and whether packets then arrive.
#pragma once

#include <string_view>

#include "relation.h"

namespace checker {

/// Who knows which channels are dead, and who chooses at the sources.
struct Circumstances {
  static constexpr Number all = ~Number{0};
  std::vector<bool> dead;    ///< by channel
  Number knowledge = 0;      ///< 0: none; a radius in hops; or `all`
  bool plans = false;        ///< sources know all dead channels and offer only what arrives
  bool takes_first = false;  ///< switches take the first option that is left to them

  [[nodiscard]] bool alive(const Move& move) const { return !dead[move.channel]; }
};

/// Best first, as the letters of a `classes` line.
enum class Class : char { served = 's', likely = 'p', livelock = 'l', stalled = 't', refused = 'r' };

/// One destination's packets. All members are by state or, if stated, by source.
struct Plays {
  std::vector<std::vector<Move>> admissible;  ///< those onto dead channels included: packets are lost there
  std::vector<std::vector<Move>> starts;      ///< by source: what may happen, losing plays included
  std::vector<Class> classes;                 ///< by source; `refused` for the destination itself
  std::vector<bool> reached;                  ///< by state
  std::vector<std::vector<Number>> entering;  ///< of reached states: the buffers by which packets enter

  /// Living moves of a reached state.
  [[nodiscard]] std::vector<Move> moves(std::size_t state, const Circumstances& given) const;
};

[[nodiscard]] Plays plays_of(const Destination& destination, const Relation& relation,
                             const Circumstances& given);

}  // namespace checker
