// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "faultline/routing/kind.h"
#include "routing/via.h"

namespace faultline {

inline constexpr std::string_view via_ring_rule =
    "what keeps the rings of a torus free of deadlock; auto: dateline for wormhole, bubble for cut-through";

/// Via an intermediate switch of a grid, or an intermediate group of a dragonfly. Throws Error for other
/// topologies.
[[nodiscard]] RelationPtr build_via(const RoutingContext& context, std::string_view who,
                                    std::string_view ring_rule, ViaChoice choice);

}  // namespace faultline
