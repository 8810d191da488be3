// SPDX-License-Identifier: Apache-2.0
// Records such as a study of the RUFT family leaves, with made-up but plausible figures.
#pragma once

#include <vector>

#include "faultline/results/record.h"

namespace faultline {

[[nodiscard]] std::vector<Record> sample_records();

}  // namespace faultline
