// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "faultline/routing/relation.h"

namespace faultline {

/// Options at a switch as RoutingRelation::output_bits() has them.
inline std::uint64_t as_output_bits(const RoutingRelation& relation, SwitchId at,
                                    const RouteOptions& options) {
  const auto outputs = relation.topology().outputs(at);
  std::uint64_t bits = 0;
  for (const RouteOption& option : options) {
    const auto position =
        static_cast<std::size_t>(std::ranges::find(outputs, option.channel) - outputs.begin());
    bits |= std::uint64_t{option.vcs} << (position * relation.virtual_channels());
  }
  return bits;
}

}  // namespace faultline
