// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simulate/ideal/concurrent_flow.h"

namespace faultline {

/// Narrows the bracket to the optimum by a linear program (Clp, simplex) over the flow on every arc. Its
/// flows and prices are only proposals: both ends of the bracket are recomputed from them. Needs networks
/// that are kept. False if the solver gave up, or its optimum does not withstand the recomputation.
bool narrow_by_linear_program(LoadBracket& bracket, const FlowNetworks& networks);

}  // namespace faultline
