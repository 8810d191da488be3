// SPDX-License-Identifier: Apache-2.0
// Lines of cells separated by commas. Empty lines and lines that begin with # are skipped.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/lines.h"
#include "base/number.h"
#include "base/utf8.h"
#include "faultline/base/error.h"
#include "faultline/base/file.h"

namespace faultline {

[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

[[nodiscard]] inline std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t start = 0; start <= line.size();) {
    const std::size_t end = std::min(line.find(',', start), line.size());
    cells.push_back(trimmed(line.substr(start, end - start)));
    start = end + 1;
  }
  return cells;
}

/// visit(text, location) for each line that is neither empty nor a comment: `is_comment(text)`.
template <class IsComment, class Visit>
void for_each_line(const InputFile& file, IsComment is_comment, Visit visit) {
  Location location{file.path, 0};
  for (std::string_view rest = without_byte_order_mark(*file.content); !rest.empty();) {
    ++location.line;
    const std::string_view text = trimmed(take_line(rest));
    if (!text.empty() && !is_comment(text)) visit(text, location);
  }
}
/// The same, where comments begin with '#'.
template <class Visit>
void for_each_line(const InputFile& file, Visit visit) {
  for_each_line(
      file, [](std::string_view text) { return text.front() == '#'; }, visit);
}

/// visit(cells, location).
template <class Visit>
void for_each_csv_line(const InputFile& file, Visit visit) {
  for_each_line(file,
                [&](std::string_view text, const Location& location) { visit(cells_of(text), location); });
}

}  // namespace faultline
