// SPDX-License-Identifier: Apache-2.0
// Googletest would print the byte of a Switching, which says nothing in a message or in the name of a test.
#pragma once

#include <ostream>

#include "faultline/routing/switching.h"

namespace faultline {

inline void PrintTo(Switching switching, std::ostream* out) {
  *out << (switching == Switching::wormhole ? "wormhole" : "cut-through");
}

}  // namespace faultline
