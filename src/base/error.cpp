// SPDX-License-Identifier: Apache-2.0
#include "faultline/base/error.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace faultline {
namespace {

std::string one_line(const Error::Parts& parts) {
  std::string text;
  if (!parts.place.file.empty()) {
    text += parts.place.file;
    if (parts.place.line > 0) text += ":" + std::to_string(parts.place.line);
    text += ": ";
  }
  text += parts.field;
  if (!parts.value.empty()) text += " = '" + parts.value + "'";
  text += ": " + parts.allowed;
  if (!parts.suggestion.empty()) text += " (did you mean '" + parts.suggestion + "'?)";
  return text;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

Error::Error(Parts parts) : std::runtime_error(one_line(parts)), parts_(std::move(parts)) {}

Error::Error(std::string field, std::string value, std::string allowed, Place place)
    : Error(Parts{std::move(field), std::move(value), std::move(allowed), {}, std::move(place)}) {}

std::string nearest_name(std::string_view name, std::span<const std::string_view> known) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return std::string(best);
}

}  // namespace faultline
