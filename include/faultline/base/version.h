// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#pragma GCC visibility push(default)
namespace faultline {

inline constexpr std::string_view version = "0.1.0";

/// Part of every case's identity: raise it when an engine's answers change, so that stored results are
/// recomputed.
inline constexpr std::string_view results_generation = "34";

}  // namespace faultline
#pragma GCC visibility pop
