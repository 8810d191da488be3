// SPDX-License-Identifier: Apache-2.0
// Assignments of switches to spots in which no terminal's cable exceeds a given length.
#pragma once

#include <boost/dynamic_bitset.hpp>
#include <optional>

#include "faultline/design/layout.h"

namespace faultline::design {

using Bits = boost::dynamic_bitset<std::uint64_t>;
/// By switch, the number of its spot.
using Assignment = std::vector<std::uint32_t>;

[[nodiscard]] double distance(const Spot& a, const Spot& b);

/// The spot of a terminal, and the lengths of its cables.
struct Home {
  Spot spot{};
  double longest = 0, total = 0;
};
/// With switches at these spots: where the room places the terminal, or else the spot with the shortest
/// longest cable, and of those the one with the least sum.
[[nodiscard]] Home home_of(std::uint32_t terminal, const Attachments& attachments, const Room& room,
                           const Assignment& spot_of);

/// Distances of the room, and which switches share a terminal.
class Reach {
 public:
  Reach(std::uint32_t switches, const Attachments& attachments, const Room& room, StopFlag stop);

  [[nodiscard]] Home home(std::uint32_t terminal, const Assignment& spot_of) const {
    return home_of(terminal, attachments_, room_, spot_of);
  }
  [[nodiscard]] double longest(const Assignment& spot_of) const;

  /// Every possible length of the longest terminal cable, ascending.
  [[nodiscard]] const std::vector<double>& lengths() const { return lengths_; }

  /// False only if no assignment has terminal cables of at most `length`: too few spots are close enough to
  /// as many others as there are switches that share terminals, in one step or several. True once stopped.
  [[nodiscard]] bool may_fit(double length) const;

  /// Looks for an assignment with terminal cables of at most `length`.
  struct Search {
    std::optional<Assignment> found;
    bool complete = false;  ///< nothing found and complete: no assignment exists
  };
  [[nodiscard]] Search search(double length, std::uint64_t max_nodes) const;

  /// Terminals whose positions are given: exact.
  [[nodiscard]] std::optional<Assignment> match(double length) const;

 private:
  void find_joint();
  /// By spot, those that may hold switches of one terminal together with it.
  [[nodiscard]] std::vector<Bits> near(double length) const;
  [[nodiscard]] bool can_extend(std::uint32_t at, const Assignment& spot_of, double length) const;

  std::uint32_t switches_;
  const Attachments& attachments_;
  const Room& room_;
  StopFlag stop_;
  std::vector<std::vector<double>> apart_;              ///< by two spots
  std::vector<std::vector<double>> joint_;              ///< by two spots: longest cable of a terminal at both
  std::vector<std::vector<std::uint32_t>> neighbours_;  ///< by switch: those that it shares terminals with
  std::vector<std::vector<std::uint32_t>> terminals_;   ///< by switch
  std::vector<double> lengths_;
  /// By steps from one switch to another that shares a terminal with it: how many are within so many steps of
  /// a switch, the most first. Until more steps reach no more.
  std::vector<std::vector<std::size_t>> needed_;
};

}  // namespace faultline::design
