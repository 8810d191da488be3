// SPDX-License-Identifier: Apache-2.0
// Records such as a study of the RUFT family leaves, with made-up but plausible figures.
#pragma once

#include <vector>

#include "faultline/results/record.h"

namespace faultline {

[[nodiscard]] std::vector<Record> sample_records();

/// In the form in which `faultline verify` answers (the unproved one is made up): a proof, a deadlock of 4
/// packets, a disconnected network, one that is refuted by faults only, one left unproved, and a deadlock of
/// 13 packets.
[[nodiscard]] std::vector<Record> verify_records();

}  // namespace faultline
