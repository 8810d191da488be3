// SPDX-License-Identifier: Apache-2.0
#include "traffic/matrix_file.h"

#include <charconv>
#include <sstream>

#include "faultline/base/error.h"
#include "faultline/base/file.h"

namespace faultline {
namespace {

constexpr const char* field = "traffic.file";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

double weight(std::string_view text, const Place& place) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || !(value >= 0 && value <= 1e100))
    throw Error(field, std::string(text.substr(0, 40)), "must be a weight: a number from 0 to 1e100", place);
  return value;
}

std::vector<WeightMatrix::Entry> row(std::string_view line, std::size_t size, const Place& place) {
  std::vector<WeightMatrix::Entry> entries;
  std::uint32_t column = 0;
  for (std::size_t start = 0; start <= line.size(); ++column) {
    const std::size_t end = std::min(line.find(',', start), line.size());
    const double value = weight(trimmed(line.substr(start, end - start)), place);
    if (value > 0) entries.push_back({column, value});
    start = end + 1;
  }
  if (column != size)
    throw Error(field, std::to_string(column) + " weights",
                "must be " + std::to_string(size) + ": one for each terminal", place);
  return entries;
}

}  // namespace

WeightMatrix read_weight_matrix(const std::string& path, std::size_t size) {
  std::istringstream lines(read_file(path, field));
  WeightMatrix matrix;
  Place place{path, 0};
  for (std::string line; std::getline(lines, line);) {
    ++place.line;
    const std::string_view text = trimmed(line);
    if (text.empty() || text.front() == '#') continue;
    if (matrix.rows.size() == size)
      throw Error(field, "more than " + std::to_string(size) + " rows", "one row for each terminal is wanted",
                  place);
    matrix.rows.push_back(row(text, size, place));
  }
  if (matrix.rows.size() != size)
    throw Error(field, std::to_string(matrix.rows.size()) + " rows",
                "must be " + std::to_string(size) + ": one for each terminal", place);
  return matrix;
}

}  // namespace faultline
