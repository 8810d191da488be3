// SPDX-License-Identifier: Apache-2.0
#include "study/relation_output.h"

#include <nlohmann/json.hpp>

#include "faultline/base/file.h"
#include "faultline/routing/relation_text.h"

namespace faultline {

void report_relation(const RoutingRelation& offered, const std::optional<std::string>& path,
                     std::string_view field, nlohmann::ordered_json& result) {
  if (path) {
    write_file(*path, relation_text(offered), field);
    result["relation"] = *path;
  }
  if (const auto remarks = offered.remarks(); !remarks.empty()) result["remarks"] = remarks;
}

}  // namespace faultline
