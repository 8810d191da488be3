// SPDX-License-Identifier: Apache-2.0
// Which of a relation's options remain when channels are dead, depending on what switches know of it.
// All consumers but the circuits of resilience and their reference, which have rules of their own, use these
// functions (tests/differential/knowledge_test.cpp compares them).
#pragma once

#include "faultline/routing/knowledge.h"
#include "faultline/routing/relation.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Keeps, of the options of one state, those of the lowest tier.
void keep_lowest_tier(RouteOptions& options);

/// Channels that are dead from the start, who knows about them, and who chooses at the sources.
struct Damage {
  FaultSet dead;
  Knowledge knowledge = Knowledge::all();
  SourceRole source = SourceRole::any;
};

enum class SourceOffers : std::uint8_t {
  admissible,   ///< as the source's role says
  every_start,  ///< at a source that plans, every living option of every tier, even of plans that fail: a
                ///< source may try them before it has learned of the faults, so a proof of deadlock freedom
                ///< counts them
};

/// `relation` as switches and sources use it under `damage`: options are narrowed, virtual channel by virtual
/// channel, to what their knowledge keeps. The admissible options of a state are those of the lowest tier
/// that is still offered; higher tiers stay because channels may go down later. With Knowledge::none() dead
/// channels are still offered: a packet that takes one is lost. The tables of a destination are computed on
/// first use, and kept.
[[nodiscard]] RelationPtr admissible_relation(RelationPtr relation, Damage damage,
                                              SourceOffers offers = SourceOffers::admissible);

}  // namespace faultline
#pragma GCC visibility pop
