// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "certificate.h"

namespace checker {

/// The rule that proves freedom of deadlock, checked destination by destination.
class Rule {
 public:
  /// Throws Refused for ranks, rings or conditions for which the rule does not hold.
  explicit Rule(const Certificate& certificate);
  void check(const Destination& destination, const Plays& plays) const;
  /// For acyclic dependencies, of all destinations at once.
  void check_acyclic(const Dependencies& dependencies) const;

 private:
  void check_rings();
  void check_any_time(const Destination& destination) const;
  void check_acyclic(const Destination& destination, const Plays& plays) const;
  /// Whichever option a packet commits to.
  void require_escape_of_each_option(const Destination& destination, const Plays& plays) const;
  void check_escape_wormhole(const Destination& destination, const Plays& plays) const;
  void check_descent(const Destination& destination, const Plays& plays) const;
  [[nodiscard]] Number rank(std::size_t line, Number buffer) const;

  const Certificate& certificate_;
  bool commits_ = false;  ///< waiting packets ask for one of their options
  const Relation& relation_;
  std::vector<Number> ring_successor_;  ///< by buffer; itself if it is in no ring
};

/// Replays the schedule of a deadlock from the empty network. Throws Refused if a step is not possible, or if
/// a packet can still move at the end.
void check_schedule(const Certificate& certificate);

}  // namespace checker
