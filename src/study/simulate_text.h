// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "faultline/study/case.h"

namespace faultline {

/// What a person reads of the answers of `simulate`: a line for each load, in a table for all that differ
/// only in it.
[[nodiscard]] std::string simulate_text(std::span<const Case> cases,
                                        std::span<const nlohmann::ordered_json> results);

/// What makes the loads of a search for saturation doubtful, or meaningless, of an answer with "saturation".
[[nodiscard]] std::optional<std::string> saturation_remark(const nlohmann::ordered_json& result);

}  // namespace faultline
