// SPDX-License-Identifier: Apache-2.0
// The scans of switches with more than 64 ports: 64 at a time.
#pragma once

#include "simulate/cut_through/fastest_scan.h"

namespace faultline::cut_through {

/// With the narrow one for each word.
template <class Narrow>
struct WideScan {
  template <class Set>
  [[nodiscard]] static unsigned count(const Set& set) {
    unsigned ports = 0;
    for (std::uint32_t i = 0; i < words_of<Set>; ++i) ports += Narrow::count(word_of(set, i));
    return ports;
  }
  template <class Set>
  [[nodiscard]] static unsigned nth(const Set& set, std::uint32_t rank) {
    std::uint32_t i = 0;
    for (; i + 1 < words_of<Set>; ++i) {
      const unsigned below = Narrow::count(word_of(set, i));
      if (rank < below) break;
      rank -= below;
    }
    return i * 64 + Narrow::nth(word_of(set, i), rank);
  }

  template <std::uint32_t Ports>
  [[nodiscard]] static PortSet<Ports> due(const Time* times, Time now) {
    PortSet<Ports> found = 0;
    for (std::uint32_t word = 0; word < words<Ports>; ++word)
      found |= ports_from<PortSet<Ports>>(
          word * 64, word + 1 < words<Ports>
                         ? Narrow::template due<64>(times + std::size_t{word} * 64, now)
                         : Narrow::template due<last<Ports>>(times + std::size_t{word} * 64, now));
    return found;
  }

  /// `candidates[input]` is read for ready inputs only.
  template <std::uint32_t Ports, class Candidates>
  [[nodiscard]] static ScanResult<PortSet<Ports>> look(const Time* eligible, const Time* free,
                                                       const Candidates& candidates, Time now) {
    ScanResult<PortSet<Ports>> result{due<Ports>(eligible, now), due<Ports>(free, now), 0};
    for (std::uint32_t word = 0; word < words<Ports>; ++word) {
      std::uint64_t found = 0;  // stays in a register, in which a set with a variable port does not
      for (std::uint64_t rest = word_of(result.ready, word); rest != 0; rest &= rest - 1) {
        const PortSet<Ports> met = candidates[word * 64 + lowest(rest)] & result.available;
        found |= met != 0 ? rest & -rest : 0;
      }
      result.meeting |= ports_from<PortSet<Ports>>(word * 64, found);
    }
    return result;
  }

  template <std::uint32_t Ports, class Candidates>
  [[nodiscard]] static PortSet<Ports> wanted(const Candidates& candidates, const PortSet<Ports>& set) {
    PortSet<Ports> found = 0;
    for (const std::uint32_t input : ports_of(set)) found |= candidates[input];
    return found;
  }

  template <std::uint32_t Ports>
  [[nodiscard]] static Time next(const Time* eligible, Time now, const Time* free,
                                 const PortSet<Ports>& set) {
    Time least = never;
    for (std::uint32_t word = 0; word < words<Ports>; ++word) {
      const Time* const heads = eligible + std::size_t{word} * 64;
      const Time* const outputs = free + std::size_t{word} * 64;
      least =
          std::min(least, word + 1 < words<Ports>
                              ? Narrow::template next<64>(heads, now, outputs, word_of(set, word))
                              : Narrow::template next<last<Ports>>(heads, now, outputs, word_of(set, word)));
    }
    return least;
  }

 private:
  template <std::uint32_t Ports>
  static constexpr std::uint32_t words = words_of<PortSet<Ports>>;
  /// Ports of the last word.
  template <std::uint32_t Ports>
  static constexpr std::uint32_t last = Ports - (words<Ports> - 1) * 64;
};

template <std::uint32_t Ports, class Narrow>
using ScanOf = std::conditional_t<(Ports > 64), WideScan<Narrow>, Narrow>;

}  // namespace faultline::cut_through
