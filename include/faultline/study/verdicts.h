// SPDX-License-Identifier: Apache-2.0
// The verdicts on a paper's claims, for readers.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "faultline/study/reproduce.h"

namespace faultline {

/// How many findings have each verdict.
struct VerdictCounts {
  std::array<std::size_t, claim_verdict_count> of{};

  [[nodiscard]] std::size_t operator[](ClaimVerdict verdict) const {
    return of.at(static_cast<std::size_t>(verdict));
  }
  [[nodiscard]] std::size_t total() const;
};

[[nodiscard]] VerdictCounts count_verdicts(const std::vector<Finding>& findings);
/// {agrees, within_5_percent, undecided, differs, not_computed}.
[[nodiscard]] nlohmann::ordered_json to_json(const VerdictCounts& counts);

/// What is printed, with its rounding ("0.97 ± 0.005"), our value and its interval ("0.9 … 1.1"): whole
/// numbers in full, others with four digits, or as many as tell the value from the ends of the interval;
/// "none" without one, "–" where nothing is computed.
struct FindingText {
  std::string printed, ours, interval;
};
[[nodiscard]] FindingText text_of(const Finding& finding);

/// to_json(), and what text_of() gives as "shown": {printed, ours, interval}.
[[nodiscard]] nlohmann::ordered_json page_finding(const Finding& finding);

/// One paper's findings as a Markdown page: a table, those that do not agree first, and the reasons below it.
/// `date` is printed as given.
[[nodiscard]] std::string verdict_page(const Paper& paper, const std::string& name,
                                       const std::vector<Finding>& findings, const std::string& date);

}  // namespace faultline
