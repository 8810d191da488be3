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
      found |= ports_from<PortSet<Ports>>(word * 64,
                                          Narrow::template due<64>(times + std::size_t{word} * 64, now));
    return found;
  }

  template <std::uint32_t Ports>
  [[nodiscard]] static ScanResult<PortSet<Ports>> look(const Time* eligible, const Time* free,
                                                       const PortSet<Ports>* candidates, Time now) {
    ScanResult<PortSet<Ports>> result{due<Ports>(eligible, now), due<Ports>(free, now), 0};
    for (const std::uint32_t input : ports_of(result.ready))
      if ((candidates[input] & result.available) != 0) result.meeting |= only<PortSet<Ports>>(input);
    return result;
  }

  template <std::uint32_t Ports>
  [[nodiscard]] static PortSet<Ports> wanted(const PortSet<Ports>* candidates, const PortSet<Ports>& set) {
    PortSet<Ports> found = 0;
    for (const std::uint32_t input : ports_of(set)) found |= candidates[input];
    return found;
  }

  template <std::uint32_t Ports>
  [[nodiscard]] static Time next(const Time* eligible, Time now, const Time* free,
                                 const PortSet<Ports>& set) {
    Time least = never;
    for (std::uint32_t word = 0; word < words<Ports>; ++word)
      least = std::min(least, Narrow::template next<64>(eligible + std::size_t{word} * 64, now,
                                                        free + std::size_t{word} * 64, word_of(set, word)));
    return least;
  }

 private:
  template <std::uint32_t Ports>
  static constexpr std::uint32_t words = words_of<PortSet<Ports>>;
};

template <std::uint32_t Ports, class Narrow>
using ScanOf = std::conditional_t<(Ports > 64), WideScan<Narrow>, Narrow>;

}  // namespace faultline::cut_through
