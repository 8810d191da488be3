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

/// visit(line, location) for each line as it stands, without its end.
template <class Visit>
void for_each_whole_line(const InputFile& file, Visit visit) {
  Location location{file.path, 0};
  for (std::string_view rest = without_byte_order_mark(*file.content); !rest.empty();) {
    ++location.line;
    std::string_view line = take_line(rest);
    if (line.ends_with('\r')) line.remove_suffix(1);
    visit(line, location);
  }
}

/// visit(text, location) for each line that counts, without blanks around it: neither empty nor a comment.
template <class Visit>
void for_each_line(const InputFile& file, Visit visit) {
  for_each_whole_line(file, [&](std::string_view line, const Location& location) {
    const std::string_view text = trimmed(line);
    if (!text.empty() && text.front() != '#') visit(text, location);
  });
}

/// `text` as it stands if that is a key of `known`, else without blanks around it: names may have some.
template <class Names>
[[nodiscard]] std::string name_among(const Names& known, std::string_view text) {
  std::string whole(text);
  return known.contains(whole) ? whole : std::string(trimmed(text));
}

/// visit(cells, location).
template <class Visit>
void for_each_csv_line(const InputFile& file, Visit visit) {
  for_each_line(file,
                [&](std::string_view text, const Location& location) { visit(cells_of(text), location); });
}

}  // namespace faultline
