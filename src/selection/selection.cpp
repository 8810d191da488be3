// SPDX-License-Identifier: Apache-2.0
#include "faultline/selection/selection.h"

#include <fmt/format.h>

#include "faultline/base/error.h"

namespace faultline {

std::uint32_t free_slots(const Way& way) { return way.free; }

void SelectionRule::refuse(std::size_t index, std::size_t ways) const {
  throw Error("selection", fmt::format("picked way {}", index),
              takes_first ? "must pick way 0, as the selection declares that it takes the first"
                          : fmt::format("must pick one of {} ways, by its index from 0", ways));
}

}  // namespace faultline
