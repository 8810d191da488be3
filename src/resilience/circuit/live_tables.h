// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "faultline/fault/components.h"
#include "resilience/kernels/terminal_tables.h"

namespace faultline::survival {

[[nodiscard]] LiveTables live_tables(const FaultComponents& components);

}  // namespace faultline::survival
