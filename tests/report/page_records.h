// SPDX-License-Identifier: Apache-2.0
// Records as short texts, and what a reader sees of their page.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "faultline/results/record.h"

namespace faultline {

/// `options` are the members of a JSON object.
inline Record record_of(std::string_view verb, std::string_view topology, std::string_view routing,
                        std::string_view options, std::string result) {
  std::string described = fmt::format(R"({{"verb":"{}","topology":"{}","routing":"{}","options":{{{}}}}})",
                                      verb, topology, routing, options);
  return {described, "", described, std::move(result), 1, "9", 0};
}

/// Shows the rows of the tables that `selector` finds, cells separated by ";".
inline std::string see_rows(std::string_view selector) {
  return fmt::format(
      "for (const row of document.querySelectorAll('{} tbody tr')) "
      "see([...row.querySelectorAll('th, td')].map((cell) => cell.textContent).join(';'));",
      selector);
}

/// Shows the CSV files of `section`, lines separated by "/".
inline std::string see_files(std::string_view section) {
  return fmt::format(R"(
    window.Blob = class {{ constructor(parts) {{ see('file ' + parts.join('').replaceAll('\r\n', '/')); }} }};
    URL.createObjectURL = () => '#';
    [...document.querySelectorAll('#{} button')].filter((one) => one.textContent === 'CSV').forEach((one) => one.click());
  )",
                     section);
}

}  // namespace faultline
