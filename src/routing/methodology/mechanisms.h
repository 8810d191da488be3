// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace faultline {

/// The mechanisms of the methodology besides minimal adaptive routing (paper 5, section 2).
struct Mechanisms {
  bool intermediate = true;   ///< i: two legs, via an intermediate switch
  bool deterministic = true;  ///< d: legs in direction order, adaptivity off
  bool misrouting = true;     ///< m: legs that begin with up to three runs of given directions
  bool tie_choice = false;    ///< a leg may go either way if both are half-way round a ring
};

/// "idm" or a part of it, in any order; "none" for none of them. Throws Error("routing.mechanisms").
[[nodiscard]] Mechanisms parse_mechanisms(std::string_view letters);

}  // namespace faultline
