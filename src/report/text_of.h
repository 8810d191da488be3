// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace faultline::report {

/// `otherwise` if `object` has no such member or it is not a text.
inline std::string text_of(const nlohmann::json& object, const char* key, const std::string& otherwise = {}) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

}  // namespace faultline::report
