// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "faultline/describe/fields.h"

namespace faultline {

/// "2..8:2" → 2, 4, 6, 8; "0.1..0.3:0.1" → 0.1, 0.2, 0.3 (the end is reached despite rounding); text without
/// ".." → itself. Throws Error(path) for an end below the start, a step of 0, or more than 100,000 values.
[[nodiscard]] std::vector<Scalar> range_values(const Scalar& item, const std::string& path,
                                               const Place& place);

/// One description for each combination of the values of fields that take one; the ranges of list fields are
/// written out.
[[nodiscard]] std::vector<Description> expand_sweeps(const Description& given,
                                                     const std::vector<FieldInfo>& fields);

}  // namespace faultline
