// SPDX-License-Identifier: Apache-2.0
#include "faultline/selection/selection.h"

namespace faultline {

std::uint32_t free_slots(const Way& way) { return way.free; }

}  // namespace faultline
