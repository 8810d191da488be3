// SPDX-License-Identifier: Apache-2.0
// Which of a relation's options remain when channels are dead and switches know more or less of it. Every
// consumer asks here: what the lowest living tier means is written once.
#pragma once

#include "faultline/routing/knowledge.h"
#include "faultline/routing/relation.h"

namespace faultline {

/// Keeps, of the options of one state, those of the lowest tier.
void keep_lowest_tier(RouteOptions& options);

/// Keeps what a switch offers that sees its own outputs: the living options of the lowest tier that has any.
void keep_living(RouteOptions& options, const FaultSet& dead);

}  // namespace faultline
