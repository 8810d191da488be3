// SPDX-License-Identifier: Apache-2.0
// The certificate of `faultline design switches`; see FORMAT.md.
#pragma once

#include <string>
#include <string_view>

#include "lines.h"

namespace checker {

inline constexpr std::string_view switches_keyword = "faultline-switches";

inline constexpr Number max_fault_sets = 2'000'000'000;

/// Tries every fault set that the certificate covers, and returns one sentence that states what was found
/// true. Throws Refused; before the first is tried if one number of faults has more than `max_sets`.
[[nodiscard]] std::string check_switches(std::string_view text, Number max_sets = max_fault_sets);

}  // namespace checker
