// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulate/ideal/concurrent_flow.h"

namespace faultline {

/// Narrows the bracket until its gap is at most `gap` (a fraction of its lower end), or `rounds` rounds over
/// all destinations are spent. A channel's weight grows exponentially with its load; destination after
/// destination is moved towards its shortest paths under these weights, by the step that lowers the sum of
/// the weights most, and the weights are updated at once (Fleischer, 2000, groups commodities in this way;
/// the line search instead of fixed steps is Bienstock's, 2002). Needs networks that are kept.
void narrow_by_weights(LoadBracket& bracket, const FlowNetworks& networks, double gap, int rounds);

}  // namespace faultline
