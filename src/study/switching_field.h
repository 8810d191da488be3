// SPDX-License-Identifier: Apache-2.0
// The option `switching` of several verbs.
#pragma once

#include <string_view>

#include "faultline/describe/fields.h"
#include "faultline/routing/switching.h"

namespace faultline {

template <class Verb>
void switching_field(auto& field) {
  field("switching", &Verb::switching, one_of({"vct", "wormhole"}), "virtual cut-through or wormhole");
}

[[nodiscard]] inline Switching switching_named(std::string_view name) {
  return name == "vct" ? Switching::cut_through : Switching::wormhole;
}

}  // namespace faultline
