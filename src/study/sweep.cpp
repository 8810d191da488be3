// SPDX-License-Identifier: Apache-2.0
#include "study/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/commas.h"
#include "base/number.h"
#include "faultline/study/case_list.h"
#include "faultline/topology/limits.h"

namespace faultline {
namespace {

/// "first..last:step", its parts as they are written.
struct Bounds {
  std::string_view first, last, step;
  bool has_step = false;
};

/// Absent if the text does not look like a range at all (a path may contain "..").
std::optional<Bounds> parse_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(dots + 2);
  const std::size_t colon = rest.find(':');
  const Bounds bounds{text.substr(0, dots), rest.substr(0, colon),
                      colon == std::string_view::npos ? "1" : rest.substr(colon + 1),
                      colon != std::string_view::npos};
  if (!finite_number_of(bounds.first) || !finite_number_of(bounds.last) || !finite_number_of(bounds.step))
    return std::nullopt;
  return bounds;
}

constexpr std::uint64_t max_values = 100'000;

/// Integers, exactly; absent if one of the bounds is not an integer. Empty for an invalid or too long range.
template <class Integer>
std::optional<std::vector<Scalar>> integer_range(const Bounds& bounds) {
  const auto first = number_of<Integer>(bounds.first), last = number_of<Integer>(bounds.last);
  const auto step = number_of<Integer>(bounds.step);
  if (!first || !last || !step) return std::nullopt;
  std::vector<Scalar> values;
  if (*step <= 0 || *last < *first) return values;
  const auto wide_step = static_cast<std::uint64_t>(*step);
  const std::uint64_t steps =
      (static_cast<std::uint64_t>(*last) - static_cast<std::uint64_t>(*first)) / wide_step;
  if (steps >= max_values) return values;
  for (std::uint64_t i = 0; i <= steps; ++i) {
    const auto value = static_cast<Integer>(static_cast<std::uint64_t>(*first) + i * wide_step);
    if constexpr (std::is_signed_v<Integer>)
      values.emplace_back(value);
    else
      values.push_back(integer_scalar(value));
  }
  return values;
}

Scalar whole_or_real(double value) {
  if (const auto whole = whole_of(value)) return *whole;
  return value;
}

/// Decimal steps are what a user means: 0.1 … 0.3 by 0.1 holds 0.3, not 0.30000000000000004, and -0.3 … 0.3
/// holds 0, not 5.6e-17. A sum is rounded to 15 significant digits of its largest term, below which doubles
/// are inexact.
double decimal_sum(double a, double b) {
  const auto exponent = [](double x) { return static_cast<int>(std::floor(std::log10(std::abs(x)))); };
  const double sum = a + b;
  if (sum == 0) return 0;
  const int digits = 15 + exponent(sum) - exponent(std::max(std::abs(a), std::abs(b)));
  return digits < 1 ? 0 : finite_number_of(fmt::format("{:.{}e}", sum, digits - 1)).value_or(sum);
}

std::vector<Scalar> real_range(const Bounds& bounds) {
  const double first = *finite_number_of(bounds.first), last = *finite_number_of(bounds.last),
               step = *finite_number_of(bounds.step);
  std::vector<Scalar> values;
  if (step <= 0 || last < first) return values;
  const double steps = std::floor((last - first) / step + 1e-9);
  if (!(steps < static_cast<double>(max_values))) return values;
  values.push_back(whole_or_real(first));
  for (std::uint32_t i = 1; i <= static_cast<std::uint32_t>(steps); ++i)
    values.push_back(whole_or_real(decimal_sum(first, i * step)));
  return values;
}

/// "8:0.5": a size of packets and its share.
bool is_share(std::string_view text) {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && finite_number_of(text.substr(0, colon)) &&
         finite_number_of(text.substr(colon + 1));
}

/// Where the item that begins at `start` ends: at a comma, but "spots=2" belongs to the
/// description "hot-spot:share=0.1" before it, and "128:0.5" to the mixture "8:0.5" before it.
std::size_t end_of_item(std::string_view text, std::size_t start) {
  std::size_t end = next_comma(text, start);
  const std::string_view first = text.substr(start, end - start);
  if (first.find(':') == std::string_view::npos) return end;
  while (end < text.size()) {
    const std::string_view next = text.substr(end + 1, next_comma(text, end + 1) - end - 1);
    const bool is_field = next.find('=') != std::string_view::npos && next.find('=') <= next.find(':');
    if (!is_field && !(is_share(first) && is_share(next))) break;
    end += 1 + next.size();
  }
  return end;
}

/// The items of a value with its ranges written out, at most `most`. Items of a command line are separated by
/// commas.
std::vector<Scalar> all_values(const Value& value, const std::string& path, const FieldInfo* field,
                               std::size_t most) {
  std::vector<Scalar> values;
  const auto require_room_for = [&](std::size_t more) {
    if (values.size() + more > most)
      throw Error(
          path, to_string(value),
          fmt::format("must leave at most {} values in all fields of a description", CaseList::max_cases),
          value.location);
  };
  for (const Scalar& item : value.items) {
    const auto* text = std::get_if<std::string>(&item);
    if (text == nullptr || (field != nullptr && is_path(*field, item))) {
      require_room_for(1);
      values.push_back(item);
      continue;
    }
    for (const std::string& part : split_items(*text, path, value.location)) {
      const std::vector<Scalar> range = range_values(part, path, value.location);
      require_room_for(range.size());
      values.insert(values.end(), range.begin(), range.end());
    }
  }
  return values;
}

}  // namespace

std::vector<std::string> split_items(const std::string& text, const std::string& path,
                                     const Location& location) {
  std::vector<std::string> items;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = end_of_item(text, start);
    if (start == end && !text.empty())
      throw Error(path, text, "lacks a value before or after a comma", location);
    items.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return items;
}

bool is_path(const FieldInfo& field, const Scalar& item) {
  if (field.rule.is_file || field.rule.is_output) return true;
  const auto* text = std::get_if<std::string>(&item);
  return field.rule.is_count_or_file && text != nullptr && !holds_counts_only(*text) &&
         !finite_number_of(*text);
}

bool holds_counts_only(std::string_view text) {
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = next_comma(text, start);
    const std::string_view item = text.substr(start, end - start);
    if (!is_count(item) && !parse_range(item)) return false;
    start = end + 1;
  }
  return true;
}

std::vector<Scalar> range_values(const Scalar& item, const std::string& path, const Location& location) {
  const auto* text = std::get_if<std::string>(&item);
  const std::optional<Bounds> bounds = text == nullptr ? std::nullopt : parse_range(*text);
  if (!bounds) return {item};
  auto values = integer_range<std::int64_t>(*bounds);
  if (!values) values = integer_range<std::uint64_t>(*bounds);
  if (!values && !bounds->has_step)
    throw Error(path, *text, "a range between fractions needs a step: first..last:step, such as 0.1..0.9:0.1",
                location);
  if (!values) values = real_range(*bounds);
  if (values->empty())
    throw Error(path, *text,
                "a range is written first..last or first..last:step, with last not below first, a step above "
                "0 and at most 100000 values",
                location);
  return *values;
}

Sweep::Sweep(const Description& given, const std::vector<FieldInfo>& fields) : given_(given) {
  std::size_t room = CaseList::max_cases;
  for (const auto& [name, value] : given.fields) {
    const auto field = std::ranges::find(fields, name, &FieldInfo::name);
    const FieldInfo* known = field == fields.end() ? nullptr : &*field;
    std::vector<Scalar> items = all_values(value, given.path_of(name), known, room);
    room -= items.size();
    if (known != nullptr && !known->is_list)
      is_list_ =
          is_list_ || items.size() != 1 || value.items.size() != 1 || items.front() != value.items.front();
    std::vector<Value>& values = values_.emplace_back();
    if (known != nullptr && !known->is_list && items.size() != 1)
      for (Scalar& item : items) values.push_back({{std::move(item)}, false, value.location});
    else
      values.push_back({items, items.size() != 1, value.location});
  }
}

std::uint64_t Sweep::count() const {
  std::uint64_t count = 1;
  for (const std::vector<Value>& values : values_) count = saturating_product(count, values.size());
  return count;
}

Description Sweep::at(std::uint64_t index) const {
  Description description = given_;
  for (std::size_t field = values_.size(); field-- > 0;) {
    description.fields[field].second = values_[field][index % values_[field].size()];
    index /= values_[field].size();
  }
  return description;
}

}  // namespace faultline
