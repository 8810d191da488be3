// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "faultline/design/switches.h"

namespace faultline {

/// {terminals, ports, degree, faults, unit, designs: [{construction, improved, cost, worst_cases, best_buy,
/// attachments}], left_out, searched_all, interrupted, unevaluated, unsearched}, best first.
[[nodiscard]] nlohmann::ordered_json to_json(const SwitchDesigns& found, const SwitchDesignSpec& spec);

}  // namespace faultline
