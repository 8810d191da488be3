// SPDX-License-Identifier: Apache-2.0
#include "study/relation_output.h"

#include <nlohmann/json.hpp>

#include "faultline/base/file.h"
#include "faultline/routing/relation_text.h"

namespace faultline {

RelationPtr build_offered_relation(const TopologyPtr& topology, const Damage& damage, Description routing,
                                   Switching switching) {
  const bool computed_anew = find_routing(*topology, routing).survival != Survival::fixed_paths;
  if (computed_anew && damage.knowledge.is_all())
    return build_relation(topology, damage, std::move(routing), switching);
  return build_healthy_relation(topology, std::move(routing), switching);
}

void report_relation(const RoutingRelation& offered, const std::optional<std::string>& path,
                     std::string_view field, nlohmann::ordered_json& result) {
  if (path) {
    write_file(*path, relation_text(offered), field);
    result["relation"] = *path;
  }
  if (const auto remarks = offered.remarks(); !remarks.empty()) result["remarks"] = remarks;
}

}  // namespace faultline
