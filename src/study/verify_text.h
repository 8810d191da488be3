// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "faultline/study/case.h"

namespace faultline {

/// What a person reads of an answer of `verify`.
[[nodiscard]] std::string verify_text(const Case& one, const nlohmann::ordered_json& result);

}  // namespace faultline
