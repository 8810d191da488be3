// SPDX-License-Identifier: Apache-2.0
#include "traffic/matrix_file.h"

#include "base/csv.h"
#include "base/utf8.h"
#include "traffic/file_field.h"

namespace faultline {
namespace {

double weight(std::string_view text, const Location& location) {
  const std::optional<double> value = number_of<double>(text);
  if (!value || !(*value >= 0 && *value <= 1e100))
    throw Error(file_field, std::string(utf8_prefix(text, 40)), "must be a weight: a number from 0 to 1e100",
                location);
  return *value;
}

std::vector<WeightMatrix::Entry> row(const std::vector<std::string_view>& cells, std::size_t size,
                                     const Location& location) {
  std::vector<WeightMatrix::Entry> entries;
  for (std::size_t column = 0; column < cells.size(); ++column)
    if (const double value = weight(cells[column], location); value > 0)
      entries.push_back({static_cast<std::uint32_t>(column), value});
  if (cells.size() != size)
    throw Error(file_field, std::to_string(cells.size()) + " weights",
                "must be " + std::to_string(size) + ": one for each terminal", location);
  return entries;
}

}  // namespace

WeightMatrix read_weight_matrix(const InputFile& file, std::size_t size) {
  WeightMatrix matrix;
  int last_line = 0;
  for_each_csv_line(file, [&](const std::vector<std::string_view>& cells, const Location& location) {
    if (matrix.rows.size() == size)
      throw Error(file_field, "more than " + std::to_string(size) + " rows",
                  "must have one row for each terminal", location);
    matrix.rows.push_back(row(cells, size, location));
    last_line = location.line;
  });
  if (matrix.rows.size() != size)
    throw Error(file_field, std::to_string(matrix.rows.size()) + " rows",
                "must be " + std::to_string(size) + ": one for each terminal", {file.path, last_line});
  return matrix;
}

}  // namespace faultline
