// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "faultline/routing/relation.h"

namespace faultline {

/// The channels of the path that begins with `option`, an option of inject(), from the first network channel
/// to the ejection channel, in a network without faults: where the relation offers several channels, the
/// first of the lowest tier. Empty if the relation leads nowhere, or into a cycle.
[[nodiscard]] std::vector<ChannelId> path_of(const RoutingRelation& relation, const RouteOption& option,
                                             TerminalId destination);

}  // namespace faultline
