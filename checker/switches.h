// SPDX-License-Identifier: Apache-2.0
// The certificate of `faultline design switches`; see FORMAT.md.
#pragma once

#include <string>
#include <string_view>

namespace checker {

inline constexpr std::string_view switches_keyword = "faultline-switches";

/// Tries every fault set that the certificate speaks of, and returns one sentence that says what was found
/// true. Throws Refused.
[[nodiscard]] std::string check_switches(std::string_view text);

}  // namespace checker
