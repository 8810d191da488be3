// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "faultline/study/case.h"

namespace faultline {

/// What an answer with the keys "knowledge" and "source" assumes of switches and sources, a line each.
[[nodiscard]] std::string assumption_text(const Case& one, const nlohmann::ordered_json& result);

}  // namespace faultline
