// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "routing/multistep/base_routes.h"
#include "routing/multistep/neighbourhoods.h"

namespace faultline {

/// A multistep path: the terminals whose switches it passes, invalid if there is none (the second also if
/// there is no first).
struct MultistepPath {
  TerminalId first, second;
  std::uint32_t hops = 0;  ///< network channels
};

/// The first `most` multistep paths of a pair: the direct one, then those via terminals one hop from the
/// source and from the destination, then two hops, and so on (paper 2, section 3); within that the shortest
/// first, and those that share the direct path's first or last channel last. No intermediate lies on the
/// direct path, and no path visits a switch twice.
[[nodiscard]] std::vector<MultistepPath> multistep_paths(const BaseRoutes& routes, const Neighbourhoods& near,
                                                         TerminalId source, TerminalId destination,
                                                         std::size_t most, std::uint32_t intermediates);

}  // namespace faultline
