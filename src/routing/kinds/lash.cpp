// SPDX-License-Identifier: Apache-2.0
#include "routing/layered_relation.h"

namespace faultline::routings {
using Lash = Layered<lowest_port_trees, first_fitting_layers, TreesFor::ejection_classes>;

extern constinit const RoutingKind lash = routing_kind<Lash>(
    "lash",
    "any topology: one shortest path per pair, spread over virtual channels until each is free of cycles; "
    "free of deadlock",
    "Skeie, Lysne & Theiss, Layered Shortest Path (LASH), IPDPS 2002", Survival::any_path, "first");

}  // namespace faultline::routings
