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

/// Channels that are dead from the start, who knows of them, and who chooses at the sources.
struct Damage {
  FaultSet dead;
  Knowledge knowledge = Knowledge::all();
  SourceRole source = SourceRole::any;
};

enum class SourceOffers : std::uint8_t {
  admissible,   ///< what the source's role says
  every_start,  ///< at a source that plans, every living option of every tier, losing plans too: what it may
                ///< try while it still learns, and what a proof of deadlock freedom therefore counts
};

/// `relation` as switches and sources use it under `damage`: options are narrowed, virtual channel by virtual
/// channel, to what their knowledge keeps. The admissible options of a state are those of the lowest tier
/// that is still offered; tiers are left in place because channels may go down later. With Knowledge::none()
/// dead channels are still offered: whoever takes one is lost. What has to be known about a destination is
/// worked out when its packets are first asked for, and kept.
[[nodiscard]] RelationPtr admissible_relation(RelationPtr relation, Damage damage,
                                              SourceOffers offers = SourceOffers::admissible);

}  // namespace faultline
