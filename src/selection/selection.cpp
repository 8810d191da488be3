// SPDX-License-Identifier: Apache-2.0
#include "faultline/selection/selection.h"

namespace faultline {

std::uint32_t free_places(const Way& way) { return way.free; }

SelectionRule find_selection(const Description& description) {
  const SelectionKind& kind = find_kind(selection_kinds(), description);
  (void)read_params<NoParams>(description);  // refuses fields
  return kind.rule;
}

}  // namespace faultline
