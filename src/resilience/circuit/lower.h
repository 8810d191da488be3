// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "resilience/circuit/circuit.h"
#include "resilience/kernels/program.h"

namespace faultline::survival {

/// The circuit laid out for evaluation.
[[nodiscard]] Program lower(const Circuit& circuit, std::uint32_t pattern_rows = 0);

}  // namespace faultline::survival
