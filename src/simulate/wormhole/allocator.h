// SPDX-License-Identifier: Apache-2.0
// Matches requests of inputs with outputs, each at most once (Dally & Towles, chapters 18 and 19).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "faultline/simulate/simulate.h"
#include "simulate/clock.h"

namespace faultline::wormhole {

struct Request {
  std::uint32_t input = 0, output = 0;
  Time age = 0;  ///< when the packet was generated; looked at by oldest-first arbitration
};

/// Who goes first among several contenders, given whom it served before.
class Arbiter {
 public:
  Arbiter(Arbitration rule, std::uint32_t contenders);

  struct Contender {
    std::uint32_t number = 0;
    Time age = 0;
  };
  [[nodiscard]] bool before(const Contender& a, const Contender& b) const;
  void served(std::uint32_t contender);

 private:
  /// How far a contender is from the pointer, which stands behind the one served last.
  [[nodiscard]] std::uint32_t distance(std::uint32_t contender) const {
    return contender >= pointer_ ? contender - pointer_ : contender + count_ - pointer_;
  }

  Arbitration rule_;
  std::uint32_t count_;
  std::uint32_t pointer_ = 0;
  std::vector<bool> wins_;  ///< matrix: a * count + b, whether a goes before b
};

class Allocator {
 public:
  Allocator(std::uint32_t inputs, std::uint32_t outputs, const SimulationSpec& spec);

  /// The matched requests, valid until the next call. No (input, output) comes twice in `requests`. Arbiters
  /// learn what was matched in the first iteration, and nothing else.
  std::span<const Request> match(std::span<const Request> requests);

 private:
  /// One side of the crossbar.
  struct Side {
    std::uint32_t Request::*here;   ///< the end of a request at this side
    std::uint32_t Request::*there;  ///< and at the other
    std::vector<Arbiter> arbiters;
    std::vector<std::uint32_t> best;  ///< of each place: index of its request among the chosen ones, or none
    std::vector<Request> chosen;
  };
  /// Of all requests that share a place of `side`, the one that its arbiter chooses.
  static const std::vector<Request>& choose(Side& side, const std::vector<Request>& requests);

  Side first_, second_;
  std::uint32_t iterations_;
  std::vector<Request> open_, matched_;
};

}  // namespace faultline::wormhole
