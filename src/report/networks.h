// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "faultline/report/report.h"

namespace faultline::report {

/// The networks that the cases name, in order of appearance, each {"topology", "terminals" (a count, where
/// known)} and either what drawing.h says under "drawing", "routings": [{"name", "paths"}], "failed" as
/// failed.h says, "worst" as worst.h and "watched" as watched.h say, or "skipped": why there is no drawing.
[[nodiscard]] nlohmann::json draw_networks(std::span<const nlohmann::json> cases,
                                           const ReportOptions& options);

}  // namespace faultline::report
