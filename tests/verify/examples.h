// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <certificate.h>

#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"
#include "faultline/verify/verify.h"

namespace faultline {

/// A relation before switches rule out anything, the dead channels and who knows them, and the verdict.
struct Example {
  RelationPtr offered, relation;
  Damage damage;
  Verdict verdict;
};

inline Example verified_under(const TopologyPtr& topology, const Damage& damage, const Description& routing,
                              Switching switching) {
  OfferedRelation offered = build_offered_relation(topology, damage, routing, switching);
  RelationPtr relation = build_relation(topology, damage, routing, switching, SourceOffers::every_start);
  Verdict verdict = verify(*relation, damage.dead, {.switching = switching, .source = damage.source});
  return {std::move(offered.relation), std::move(relation), std::move(offered.damage), std::move(verdict)};
}

inline Example verified_on(const TopologyPtr& topology, const FaultSet& dead, std::string_view routing,
                           Switching switching) {
  return verified_under(topology, {dead}, parse_compact("routing", routing), switching);
}

inline Example verified(std::string_view topology, std::string_view routing, Switching switching) {
  const TopologyPtr built = build_topology(parse_compact("topology", topology));
  return verified_on(built, FaultSet(*built), routing, switching);
}

inline std::string certificate_of(const Example& example, Switching switching) {
  return certificate_text(example.offered, example.damage, example.verdict, {.switching = switching});
}

/// Why the independent checker refuses `certificate`; empty if it accepts it.
inline std::string rejection(const std::string& certificate) {
  try {
    (void)checker::check(certificate);
    return {};
  } catch (const checker::Refused& refused) {
    return refused.what();
  }
}

}  // namespace faultline
