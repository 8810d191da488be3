// SPDX-License-Identifier: Apache-2.0
// The fault sets that results name, one by one.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace faultline::report {

/// As the texts of a case say, unchecked. Empty texts are what the routing was designed
/// for.
struct NamedFaults {
  std::string routing, unit, scope, knowledge, source, switching;
  std::vector<std::string> names;  ///< of components, sorted
  std::string origin;              ///< "seed 1", "faults.txt", "smallest cut", …
  std::string pair;                ///< that loses its service, where the result names one
};

/// The fixed faults of simulate and verify, and what resilience and verify found to fail: of equal sets for
/// the same routing and knowledge the first. `cases` are as read_cases gives them.
[[nodiscard]] std::vector<NamedFaults> named_faults(std::span<const nlohmann::json* const> cases);

}  // namespace faultline::report
