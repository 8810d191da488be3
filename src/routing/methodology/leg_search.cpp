// SPDX-License-Identifier: Apache-2.0
#include "routing/methodology/leg_search.h"

namespace faultline {

std::unique_ptr<LegSearch> make_leg_search(const LegGeometry& geometry, std::string_view kernel) {
  if (kernel != "word")
    if (auto search = make_avx512_leg_search(geometry)) return search;
  return make_word_leg_search(geometry);
}

}  // namespace faultline
