// SPDX-License-Identifier: Apache-2.0
#include "faultline/base/error.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <utility>
#include <vector>

#include "base/utf8.h"

namespace faultline {
namespace {

constexpr std::size_t max_path = 1000;     // bytes of a file's path that a message shows
constexpr std::size_t max_allowed = 4000;  // of what is allowed, which may list every known name

std::string one_line(const Error::Parts& parts) {
  std::string text;
  if (!parts.location.file.empty()) {
    text += printable(parts.location.file, max_path);
    if (parts.location.line > 0) text += ":" + std::to_string(parts.location.line);
    text += ": ";
  }
  text += printable(parts.field);
  if (!parts.value.empty()) text += " = '" + printable(parts.value) + "'";
  text += ": " + printable(parts.allowed, max_allowed);
  if (!parts.suggestion.empty()) text += " (did you mean '" + printable(parts.suggestion) + "'?)";
  return text;
}

std::string escaped(std::string_view text) {
  std::string result;
  std::array<char, 16> escape{};
  while (!text.empty()) {
    const auto [value, bytes] = first_code_point(text);
    if (bytes == 0 || (is_unprintable(value) && value < 0x80)) {
      const unsigned char byte = static_cast<unsigned char>(text.front());
      std::snprintf(escape.data(), escape.size(), "\\x%02x", byte);
      result += byte == '\n' ? "\\n" : byte == '\t' ? "\\t" : byte == '\r' ? "\\r" : escape.data();
    } else if (is_unprintable(value)) {
      std::snprintf(escape.data(), escape.size(), "\\u{%x}", static_cast<unsigned>(value));
      result += escape.data();
    } else {
      result += text.substr(0, bytes);
    }
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return result;
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

Error::Error(std::string field, std::string value, std::string allowed, Location location)
    : Error(Parts{std::move(field), std::move(value), std::move(allowed), {}, std::move(location)}) {}

std::string printable(std::string_view text, std::size_t most) {
  if (text.size() > most) {
    const std::size_t tail = most / 8;
    return escaped(utf8_prefix(text, most - tail)) + "…" + escaped(utf8_suffix(text, tail)) + " (" +
           std::to_string(text.size()) + " bytes)";
  }
  return escaped(text);
}

std::string nearest_name(std::string_view name, std::span<const std::string_view> known) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const auto [shorter, longer] = std::minmax({name.size(), candidate.size()});
    if (longer - shorter >= best_distance) continue;  // a distance at least: names may be megabytes long
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return std::string(best);
}

}  // namespace faultline
