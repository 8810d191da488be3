// SPDX-License-Identifier: Apache-2.0
// The arbiters of all switches of a network in flat arrays, with the behaviour of
// simulate/switches/arbiter.h.
#pragma once

#include <cstdint>

#include "simulate/switches/arbiter.h"
#include "simulate/switches/huge_pages.h"

namespace faultline::cut_through {

/// Added to the number of an arbiter that chooses among the virtual channels of an input.
inline constexpr std::uint32_t of_input = std::uint32_t{1} << 16;

/// One for each of `ports` ports (at most 256) of each switch, with at most as many contenders.
class Arbiters {
 public:
  Arbiters(Arbitration rule, std::uint64_t seed, std::size_t switches, std::uint32_t ports,
           std::uint32_t first_number)
      : rule_(rule),
        seed_(seed),
        ports_(ports),
        first_number_(first_number),
        next_(has_pointers() ? switches * ports : 0),
        served_at_(rule == Arbitration::matrix ? switches * ports * ports : 0) {}

  /// The contender with the lowest rank goes first; `packet` is its own (of `packets`), read only if age
  /// counts.
  template <class Packets>
  [[nodiscard]] std::uint64_t rank(std::uint32_t arbiter, std::uint32_t contender, const Packets& packets,
                                   std::uint32_t packet, Time now) const {
    switch (rule_) {
      case Arbitration::matrix:
        return ranked(served_at_[std::size_t{arbiter} * ports_ + contender], contender);
      case Arbitration::oldest:
        return ranked(packets[packet].generated, distance(arbiter, contender));
      case Arbitration::random:
        return std::uint64_t{arbitration_draw(key(arbiter), now, contender)} << 8 | contender;
      case Arbitration::round_robin:
        break;
    }
    return distance(arbiter, contender);
  }

  void served(std::uint32_t arbiter, std::uint32_t contender, Time now) {
    if (has_pointers())
      next_[arbiter] = static_cast<std::uint8_t>(contender + 1);
    else if (rule_ == Arbitration::matrix)
      served_at_[std::size_t{arbiter} * ports_ + contender] = now + 1;
  }

  [[nodiscard]] std::size_t bytes() const { return next_.size() + served_at_.size() * sizeof(Time); }

 private:
  [[nodiscard]] bool has_pointers() const {
    return rule_ == Arbitration::round_robin || rule_ == Arbitration::oldest;
  }
  [[nodiscard]] static std::uint64_t ranked(Time first, std::uint32_t second) {
    return std::uint64_t{static_cast<std::uint32_t>(first)} << 8 | second;
  }
  [[nodiscard]] std::uint32_t distance(std::uint32_t arbiter, std::uint32_t contender) const {
    return (contender - next_[arbiter]) & 255U;
  }
  [[nodiscard]] ArbiterKey key(std::uint32_t arbiter) const {
    return {seed_, arbiter / ports_, first_number_ + arbiter % ports_};
  }

  Arbitration rule_;
  std::uint64_t seed_;
  std::uint32_t ports_, first_number_;
  HugeVector<std::uint8_t> next_;  ///< by arbiter: behind the contender that was served last
  /// Matrix, by arbiter and contender: one after the cycle in which it was served last; 0: never.
  HugeVector<Time> served_at_;
};

}  // namespace faultline::cut_through
