// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "faultline/study/case.h"

namespace faultline {

/// What a person reads of the answers of `simulate`: a line for each load, in a table for all that differ
/// only in it.
[[nodiscard]] std::string simulate_text(std::span<const Case> cases,
                                        std::span<const nlohmann::ordered_json> results);

}  // namespace faultline
