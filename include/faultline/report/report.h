// SPDX-License-Identifier: Apache-2.0
// Records as one self-contained page.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "faultline/results/record.h"

namespace faultline {

struct ReportOptions {
  std::string title;                     ///< empty: the titles of the studies in the records
  std::string date;                      ///< printed as it is; empty: omitted
  std::size_t drawn_terminals = 128;     ///< larger networks are not drawn
  std::size_t drawn_channels = 10'000;   ///< nor are those with more channels
  std::size_t drawn_networks = 100;      ///< and at most this many of them
  std::size_t shown_cases = 100'000;     ///< the newest ones; the page says how many more there are
  std::size_t data_bytes = 500'000'000;  ///< at most; browsers read texts of up to 2^29 characters
  /// Also draw networks that are described by files, if the files have not changed since.
  bool opens_files = false;
  std::vector<std::string> failures = {};  ///< messages of cases that failed: ResultsStore::failures()
  /// Papers' figures and ours: a list of {name, title, findings}, with findings as page_finding() gives them.
  nlohmann::json papers = nlohmann::json::array();
};

/// One HTML page in UTF-8 with its data, styles and scripts inside; it loads nothing. Of several records
/// of one case the last is shown. Unreadable records, verbs unknown to the page and networks that can no
/// longer be built (a missing dump) are named on the page and are never errors. Records are not trusted:
/// files that one names are opened only on request, and no network is built that is too large to be drawn.
/// Throws Error("results") if the page's data would have more than `data_bytes`.
[[nodiscard]] std::string render_report(std::span<const Record> records, const ReportOptions& options = {});

}  // namespace faultline
