// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

namespace faultline {

/// FAULTLINE_LONG_TESTS=1: campaigns at the full numbers, which take minutes each.
inline bool long_tests() { return std::getenv("FAULTLINE_LONG_TESTS") != nullptr; }

}  // namespace faultline
