// SPDX-License-Identifier: Apache-2.0
#include "study/sweep.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/number.h"

namespace faultline {
namespace {

struct Bounds {
  double first = 0, last = 0, step = 1;
};

std::optional<double> number(std::string_view text) {
  const auto value = number_of<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// Absent where the text does not look like a range at all (a path may hold "..").
std::optional<Bounds> parse_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(dots + 2);
  const std::size_t colon = rest.find(':');
  const auto first = number(text.substr(0, dots));
  const auto last = number(rest.substr(0, colon));
  const auto step = colon == std::string_view::npos ? 1.0 : number(rest.substr(colon + 1));
  if (!first || !last || !step) return std::nullopt;
  return Bounds{*first, *last, *step};
}

/// "8:0.5": a size of packets and its share.
bool is_share(std::string_view text) {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && number(text.substr(0, colon)) && number(text.substr(colon + 1));
}

/// Where the item that begins at `start` ends: at a comma, but "spots=2" belongs to the component
/// "hot-spot:share=0.1" before it, and "128:0.5" to the mixture "8:0.5" before it.
std::size_t end_of_item(std::string_view text, std::size_t start) {
  std::size_t end = std::min(text.find(',', start), text.size());
  const std::string_view first = text.substr(start, end - start);
  if (first.find(':') == std::string_view::npos) return end;
  while (end < text.size()) {
    const std::string_view next = text.substr(end + 1, text.find(',', end + 1) - end - 1);
    const bool is_field = next.find('=') != std::string_view::npos && next.find('=') <= next.find(':');
    if (!is_field && !(is_share(first) && is_share(next))) break;
    end += 1 + next.size();
  }
  return end;
}

/// The items of a value with its ranges written out. Items of a command line are separated by commas.
std::vector<Scalar> all_values(const Value& value, const std::string& path) {
  std::vector<Scalar> values;
  for (const Scalar& item : value.items) {
    const std::string text = to_text(item);
    const bool is_text = std::holds_alternative<std::string>(item);
    for (std::size_t start = 0; start <= text.size();) {
      const std::size_t end = is_text ? end_of_item(text, start) : text.size();
      const std::vector<Scalar> range =
          range_values(is_text ? Scalar(text.substr(start, end - start)) : item, path, value.place);
      values.insert(values.end(), range.begin(), range.end());
      start = end + 1;
    }
  }
  return values;
}

Scalar whole_or_real(double value) {
  if (std::nearbyint(value) == value && std::abs(value) < 0x1p53) return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace

std::vector<Scalar> range_values(const Scalar& item, const std::string& path, const Place& place) {
  const auto* text = std::get_if<std::string>(&item);
  const std::optional<Bounds> bounds = text == nullptr ? std::nullopt : parse_range(*text);
  if (!bounds) return {item};
  constexpr double most_values = 100'000;
  const double steps = std::floor((bounds->last - bounds->first) / bounds->step + 1e-9);
  if (bounds->step <= 0 || bounds->last < bounds->first || steps >= most_values)
    throw Error(path, *text,
                "a range is written first..last or first..last:step, with last not below first, a step above "
                "0 and at most 100000 values",
                place);
  std::vector<Scalar> values;
  const auto last = static_cast<std::uint32_t>(steps);
  values.reserve(last + 1);
  for (std::uint32_t i = 0; i <= last; ++i) {
    // Decimal steps are what a user means: 0.1 … 0.3 by 0.1 holds 0.3, not 0.30000000000000004.
    const double digits = 1e9;
    values.push_back(whole_or_real(std::round((bounds->first + i * bounds->step) * digits) / digits));
  }
  return values;
}

std::vector<Description> expand_sweeps(const Description& given, const std::vector<FieldInfo>& fields) {
  std::vector<Description> expanded{{given.path, given.kind, {}, given.place}};
  for (const auto& [name, value] : given.fields) {
    const auto field = std::ranges::find(fields, name, &FieldInfo::name);
    const bool is_sweep = field != fields.end() && !field->is_list;
    const std::vector<Scalar> values = all_values(value, given.path_of(name));
    if (!is_sweep || values.size() == 1) {
      for (Description& description : expanded)
        description.fields.emplace_back(name, Value{values, values.size() != 1, value.place});
      continue;
    }
    std::vector<Description> next;
    for (const Description& description : expanded)
      for (const Scalar& item : values) {
        next.push_back(description);
        next.back().fields.emplace_back(name, Value{{item}, false, value.place});
      }
    expanded = std::move(next);
  }
  return expanded;
}

}  // namespace faultline
