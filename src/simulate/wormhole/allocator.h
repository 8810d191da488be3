// SPDX-License-Identifier: Apache-2.0
// Matches requests of inputs with outputs, each at most once (Dally & Towles, chapters 18 and 19).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulate/switches/arbiter.h"
#include "simulate/switches/waiting.h"

namespace faultline::wormhole {

struct Request {
  std::uint32_t input = 0, output = 0;
  Time age = 0;          ///< when the packet was generated; read by oldest-first arbitration
  VcIndex from = no_vc;  ///< who asks; not read
};

class Allocator {
 public:
  /// `first`: the number of its first arbiter, among those of the switch; those of outputs come before those
  /// of inputs.
  Allocator(std::uint32_t inputs, std::uint32_t outputs, const SimulationSpec& spec, ArbiterKey first = {});

  /// The matched requests of cycle `now`, valid until the next call. No (input, output) occurs twice in
  /// `requests`. Arbiters are updated by the first iteration only.
  std::span<const Request> match(std::span<const Request> requests, Time now);

 private:
  /// One side of the crossbar.
  struct Side {
    std::uint32_t Request::*here;   ///< the end of a request at this side
    std::uint32_t Request::*there;  ///< and at the other
    std::vector<Arbiter> arbiters;
    std::vector<std::uint32_t>
        best;  ///< by input or output: index of its request among the chosen ones, or none
    std::vector<Request> chosen;
  };
  /// Of all requests that share an input or output of `side`, the one that its arbiter chooses.
  static const std::vector<Request>& choose(Side& side, const std::vector<Request>& requests, Time now);

  Side first_, second_;
  std::uint32_t iterations_;
  std::vector<Request> open_, matched_;
};

}  // namespace faultline::wormhole
