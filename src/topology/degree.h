// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "faultline/base/error.h"

namespace faultline {

/// Throws Error("topology.degree") for terminals without ports, or with more than there are switches. `of`:
/// what these are the switches of.
inline void require_degree(std::uint32_t degree, std::uint32_t switches, std::string_view of = {}) {
  if (degree > switches || degree == 0)
    throw Error("topology.degree", std::to_string(degree),
                degree == 0 ? "must be at least 1"
                            : fmt::format("must be at most {}, the number of switches{}", switches, of));
}

}  // namespace faultline
