// SPDX-License-Identifier: Apache-2.0
#include "study/relation_output.h"

#include "faultline/routing/relation_text.h"

namespace faultline {

void report_relation(const RoutingRelation& offered, const std::optional<std::string>& path,
                     std::string field, Answer& answer) {
  if (path) {
    answer.files.push_back({std::move(field), *path, relation_text(offered)});
    answer.json["relation"] = *path;
  }
  if (const auto remarks = offered.remarks(); !remarks.empty()) answer.json["remarks"] = remarks;
}

}  // namespace faultline
