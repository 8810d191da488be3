// SPDX-License-Identifier: Apache-2.0
// Records as one page that a reader opens without anything else.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "faultline/results/record.h"

namespace faultline {

struct ReportOptions {
  std::string title;                  ///< empty: the titles of the studies in the records
  std::string date;                   ///< printed as it is; empty: left out
  std::size_t drawn_terminals = 128;  ///< larger networks are not drawn
  std::size_t drawn_networks = 100;   ///< and at most this many of them
  std::size_t shown_cases = 100'000;  ///< the first ones; the page says how many more there are
  /// Also draw networks that files describe, where the files are unchanged since.
  bool opens_files = false;
  /// Papers' figures and ours: a list of {name, title, findings}, findings as reproduce prints them.
  nlohmann::json papers = nlohmann::json::array();
};

/// One HTML page in UTF-8 with its data, styles and scripts inside; it loads nothing. The order of records
/// does not matter. Records that cannot be read, verbs that the page does not know and networks that cannot
/// be built any more (a dump that is gone) are named on the page and never an error. No record is trusted:
/// files that one names are not opened unless asked for, and no network is built that is too large to be
/// drawn.
[[nodiscard]] std::string render_report(std::span<const Record> records, const ReportOptions& options = {});

}  // namespace faultline
