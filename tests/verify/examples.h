// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <certificate.h>

#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"
#include "faultline/verify/verify.h"

namespace faultline {

/// A relation, the channels that are dead, and what was found about them.
struct Example {
  RelationPtr relation;
  FaultSet dead;
  Verdict verdict;
};

inline Example verified_on(const TopologyPtr& topology, const FaultSet& dead, std::string_view routing,
                           Switching switching) {
  RelationPtr relation = build_relation(topology, dead, parse_compact("routing", routing), switching);
  Verdict verdict = verify(*relation, dead, {.switching = switching});
  return {std::move(relation), dead, std::move(verdict)};
}

inline Example verified(std::string_view topology, std::string_view routing, Switching switching) {
  const TopologyPtr built = build_topology(parse_compact("topology", topology));
  return verified_on(built, FaultSet(*built), routing, switching);
}

inline std::string certificate_of(const Example& example, Switching switching) {
  return certificate_text(*example.relation, example.dead, switching, example.verdict);
}

/// Why the independent checker refuses `certificate`; empty where it accepts it.
inline std::string rejection(const std::string& certificate) {
  try {
    (void)checker::check(certificate);
    return {};
  } catch (const checker::Refused& refused) {
    return refused.what();
  }
}

}  // namespace faultline
