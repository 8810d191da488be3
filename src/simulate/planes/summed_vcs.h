// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "faultline/routing/relation.h"
#include "faultline/selection/selection.h"

namespace faultline::wormhole::planes {

/// The VCs of an output whose credits are worth a sum, because nearly all heads may take all or none of them:
/// with escape channels, the others. Bit w: VC w of `vcs`. None unless the selection function compares
/// credits.
[[nodiscard]] std::uint32_t summed_vcs(const RoutingRelation& relation, const SelectionRule& selection,
                                       std::uint32_t vcs);

}  // namespace faultline::wormhole::planes
