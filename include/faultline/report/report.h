// SPDX-License-Identifier: Apache-2.0
// Records as one page that a reader opens without anything else.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "faultline/results/record.h"

namespace faultline {

struct ReportOptions {
  std::string title;                  ///< empty: the titles of the studies in the records
  std::string date;                   ///< printed as it is; empty: left out
  std::size_t drawn_terminals = 128;  ///< larger networks are not drawn
};

/// One HTML page in UTF-8 with its data, styles and scripts inside; it loads nothing. The order of records is
/// of no account. Records that cannot be read, verbs that the page does not know and networks that cannot be
/// built any more (a dump that is gone) are named on the page and never an error. Builds the topologies of
/// the records, so reads the dumps that they name.
[[nodiscard]] std::string render_report(std::span<const Record> records, const ReportOptions& options = {});

}  // namespace faultline
