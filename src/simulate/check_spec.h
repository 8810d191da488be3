// SPDX-License-Identifier: Apache-2.0
// What a spec has to be, whichever engine runs it. All throw Error with field paths "simulate.…".
#pragma once

#include "faultline/routing/relation.h"
#include "faultline/simulate/spec.h"
#include "faultline/traffic/pattern.h"

namespace faultline {

/// Of packets, before the spec is resolved().
void check_sizes(const InjectionSpec& injection);

/// Of a spec that is resolved(), all but the sizes.
void check_spec(const RoutingRelation& relation, const TrafficPattern& pattern, const SimulationSpec& spec);

/// Only the switches, and how fast they are inside.
void check_switches(const RoutingRelation& relation, const SimulationSpec& spec);

}  // namespace faultline
