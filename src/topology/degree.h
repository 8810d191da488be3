// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "faultline/base/error.h"
#include "faultline/topology/limits.h"

namespace faultline {

/// Throws Error("topology.degree") for terminals without ports, or with more than there are switches. `of`:
/// what these are the switches of.
inline void require_degree(std::uint32_t degree, std::uint32_t switches, std::string_view of = {}) {
  if (degree > switches || degree == 0)
    throw Error("topology.degree", std::to_string(degree),
                degree == 0 ? "must be at least 1"
                            : fmt::format("must be at most {}, the number of switches{}", switches, of));
}

/// Throws Error("topology.degree") for terminals with more ports than the intended machines have room for, as
/// many as a dragonfly may have channels between its switches.
inline void require_fitting_ports(std::uint64_t degree, std::uint64_t terminals) {
  constexpr std::uint64_t most = 16 * max_terminals;
  if (terminals != 0 && degree > most / terminals)
    throw Error("topology.degree", std::to_string(degree),
                fmt::format("must be at most {} at each of {} terminals", most / terminals, terminals));
}

}  // namespace faultline
