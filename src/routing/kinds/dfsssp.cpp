// SPDX-License-Identifier: Apache-2.0
#include "routing/layered_relation.h"

namespace faultline::routings {
using Dfsssp = Layered<balanced_trees, cycle_breaking_layers, TreesFor::terminals>;

extern constinit const RoutingKind dfsssp = routing_kind<Dfsssp>(
    "dfsssp",
    "any topology: shortest paths balanced over the links, and moved to other virtual channels where they "
    "close cycles; free of deadlock",
    "Domke, Hoefler & Nagel, Deadlock-Free Oblivious Routing for Arbitrary Topologies, IPDPS 2011",
    Survival::any_path, "first");

}  // namespace faultline::routings
