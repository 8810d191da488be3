// SPDX-License-Identifier: Apache-2.0
// Records as the page reads them.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "faultline/results/record.h"

namespace faultline::report {

/// Of records of the same case only the last: it was computed again because a file that it reads has changed,
/// or by a newer program. Sorted, so that a page does not depend on the order in which cases were finished.
/// Each is
/// {"verb", "topology", "routing", "options", "result", "study", "seed", "version", "generation", "seconds",
/// "hash"}: all texts but `options` and `result`, which are objects, and `seconds`. In `options`, integers
/// beyond 2^53 are texts. One record whose result is a list gives one case each.
struct Cases {
  std::vector<nlohmann::json> readable;
  std::size_t superseded = 0;  ///< records of cases that have been computed again
  std::size_t unreadable = 0;  ///< records whose texts are not the JSON that they should be
  std::size_t left_out = 0;    ///< cases beyond those that are shown
};

/// Throws as refuse_above() does for the texts of the cases together: what the page holds is hardly shorter.
[[nodiscard]] Cases read_cases(std::span<const Record> records, std::size_t most = ~std::size_t{0},
                               std::size_t max_bytes = ~std::size_t{0});

/// Throws Error("results") for a page whose data has more bytes than `most`.
void refuse_above(std::size_t most, std::size_t bytes);

}  // namespace faultline::report
