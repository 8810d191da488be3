// SPDX-License-Identifier: Apache-2.0
#include "faultline/describe/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/number.h"
#include "base/utf8.h"
#include "faultline/base/file.h"
#include "faultline/describe/kind.h"

namespace faultline {
namespace {

std::string range_text(const std::string& text, const IntegerRange& range) {
  using Low = std::numeric_limits<std::int64_t>;
  const auto high = [&]() -> std::string {
    for (const unsigned bits : {32U, 64U})
      if (range.high == std::numeric_limits<std::uint64_t>::max() >> (64 - bits))
        return fmt::format("2^{} - 1", bits);
    return range.high == static_cast<std::uint64_t>(Low::max()) ? "2^63 - 1" : std::to_string(range.high);
  }();
  return fmt::format("{} from {} to {}", text, range.low == Low::min() ? "-2^63" : std::to_string(range.low),
                     high);
}

std::optional<Scalar> as_boolean(const Scalar& scalar) {
  if (const bool* b = std::get_if<bool>(&scalar)) return *b;
  const std::string text = to_string(scalar);
  if (text == "true" || text == "yes" || text == "1") return true;
  if (text == "false" || text == "no" || text == "0") return false;
  return std::nullopt;
}

std::optional<Scalar> as_integer(const Scalar& scalar) {
  if (std::holds_alternative<std::int64_t>(scalar) || std::holds_alternative<std::uint64_t>(scalar))
    return scalar;
  if (const auto* text = std::get_if<std::string>(&scalar)) {
    if (const auto number = number_of<std::int64_t>(*text)) return *number;
    if (const auto number = number_of<std::uint64_t>(*text)) return *number;
  }
  // A study may write a thousand as 1e3.
  if (const auto* d = std::get_if<double>(&scalar))
    if (const auto whole = whole_of(*d)) return *whole;
  return std::nullopt;
}

std::optional<Scalar> finite_real(const Scalar& scalar) {
  if (const auto* i = std::get_if<std::int64_t>(&scalar)) return static_cast<double>(*i);
  if (const auto* i = std::get_if<std::uint64_t>(&scalar)) return static_cast<double>(*i);
  if (const auto* d = std::get_if<double>(&scalar); d != nullptr && std::isfinite(*d)) return scalar;
  if (const auto* text = std::get_if<std::string>(&scalar))
    if (const auto number = finite_number_of(*text)) return *number;
  return std::nullopt;
}

/// There is one zero, so that -0.0 is not another case.
std::optional<Scalar> as_real(const Scalar& scalar) {
  const std::optional<Scalar> real = finite_real(scalar);
  return real && std::get<double>(*real) == 0 ? Scalar(0.0) : real;
}

std::optional<Scalar> as_type(const Scalar& scalar, FieldType type) {
  switch (type) {
    case FieldType::boolean:
      return as_boolean(scalar);
    case FieldType::integer:
      return as_integer(scalar);
    case FieldType::real:
      return as_real(scalar);
    case FieldType::text:
    case FieldType::nested:
      return to_string(scalar);
  }
  return std::nullopt;
}

std::vector<std::string_view> summands(std::string_view text) {
  std::vector<std::string_view> found;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('+', start), text.size());
    found.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return found;
}

/// "link+switch": known names, each once.
bool is_sum_of(std::string_view text, const std::vector<std::string_view>& names) {
  std::vector<std::string_view> found = summands(text);
  std::ranges::sort(found);
  return std::ranges::adjacent_find(found) == found.end() &&
         std::ranges::all_of(
             found, [&](std::string_view one) { return std::ranges::find(names, one) != names.end(); });
}

/// The same in the order of `names`.
std::string ordered_sum(const std::string& text, const std::vector<std::string_view>& names) {
  std::vector<std::string_view> found = summands(text);
  std::ranges::sort(found, {}, [&](std::string_view one) { return std::ranges::find(names, one); });
  return fmt::format("{}", fmt::join(found, "+"));
}

bool within(const Scalar& scalar, const FieldInfo& field) {
  const Rule& rule = field.rule;
  if (const auto* i = std::get_if<std::int64_t>(&scalar))
    return *i >= field.integers.low && std::cmp_less_equal(*i, field.integers.high);
  if (const auto* i = std::get_if<std::uint64_t>(&scalar)) return *i <= field.integers.high;
  if (const auto* d = std::get_if<double>(&scalar)) return *d >= rule.low && *d <= rule.high;
  if (const auto* text = std::get_if<std::string>(&scalar))
    return rule.is_sum          ? is_sum_of(*text, rule.names)
           : rule.names.empty() ? !text->empty()
                                : std::ranges::find(rule.names, *text) != rule.names.end();
  return true;
}

/// A count in the one way that identifies it; a path as it is.
std::string without_leading_zeros(const std::string& text) {
  return is_count(text) ? text.substr(std::min(text.find_first_not_of('0'), text.size() - 1)) : text;
}

/// A number or a boolean that cannot be a count, rather than a path.
bool is_no_count(const Scalar& scalar) {
  const auto* text = std::get_if<std::string>(&scalar);
  return !is_count(to_string(scalar)) && (text == nullptr || finite_number_of(*text));
}

/// A command line writes a list as "8x8x8" or "0.1,0.2".
std::vector<Scalar> split_list(const Value& value, FieldType type) {
  if (value.is_list || value.items.size() != 1) return value.items;
  const auto* text = std::get_if<std::string>(&value.items.front());
  if (text == nullptr) return value.items;
  const char* const separators = type == FieldType::text ? "," : "x,";
  std::vector<Scalar> items;
  for (std::size_t start = 0; start <= text->size();) {
    const std::size_t end = std::min(text->find_first_of(separators, start), text->size());
    items.emplace_back(text->substr(start, end - start));
    start = end + 1;
  }
  return items;
}

}  // namespace

std::vector<std::string_view> names_of(Catalogue catalogue) {
  std::vector<std::string_view> names;
  for (const KindInfo* info : catalogue()) names.push_back(info->name);
  std::ranges::sort(names);
  return names;
}

void refuse_kind(const Description& description, std::vector<std::string_view> known) {
  std::ranges::sort(known);
  throw Error(Error::Parts{description.path, description.kind,
                           fmt::format("must be one of: {}", fmt::join(known, ", ")),
                           nearest_name(description.kind, known), description.location});
}

const KindInfo& find_kind(Catalogue catalogue, const Description& description) {
  for (const KindInfo* info : catalogue())
    if (info->name == description.kind) return *info;
  refuse_kind(description, names_of(catalogue));
}

std::string allowed_text(const FieldInfo& field) {
  const Rule& rule = field.rule;
  std::string text;
  switch (field.type) {
    case FieldType::boolean:
      return "true or false";
    case FieldType::integer:
      text = range_text("an integer", field.integers);
      return field.is_list ? fmt::format("a list, each {}", text) : text;
    case FieldType::real:
      text = "a number";
      break;
    case FieldType::text:
      if (rule.is_file || rule.is_output) return "the path of a file";
      if (rule.is_count_or_file) return "a whole number of at least 0, or the path of a file";
      if (rule.names.empty()) return "a text";
      if (rule.is_sum)
        return fmt::format("one of: {}; or several, as in {}+{}", fmt::join(rule.names, ", "),
                           rule.names.front(), rule.names.back());
      return fmt::format("one of: {}", fmt::join(rule.names, ", "));
    case FieldType::nested:
      return fmt::format("one of: {}{}", fmt::join(names_of(rule.catalogue), ", "),
                         rule.left_out_by.empty() ? "" : fmt::format(", {}", rule.left_out_by));
  }
  if (field.is_list) text = fmt::format("a list, each {}", text);
  if (std::isfinite(rule.low) && std::isfinite(rule.high))
    return fmt::format("{} from {} to {}", text, rule.low, rule.high);
  if (std::isfinite(rule.low)) return fmt::format("{} of at least {}", text, rule.low);
  if (std::isfinite(rule.high)) return fmt::format("{} of at most {}", text, rule.high);
  return text;
}

bool names_input(const FieldInfo& field, const Scalar& item) {
  return field.rule.is_file || (field.rule.is_count_or_file && !is_count(to_string(item)));
}

bool is_count(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

namespace detail {

Description nested_description(const std::string& text, const Location& location, const Description& holder,
                               std::string_view name) {
  Description given = parse_compact(holder.path_of(name), text);
  given.location = location;
  for (auto& [field, value] : given.fields) value.location = location;
  given.files = holder.files;
  return given;
}

std::vector<Scalar> typed_items(const Value& value, const FieldInfo& field, const std::string& path) {
  std::vector<Scalar> items = field.is_list ? split_list(value, field.type) : value.items;
  const auto refuse = [&](const std::string& text) {
    const std::string suggestion = nearest_name(text, field.rule.names);
    const bool is_of_numbers = field.is_list && field.type != FieldType::text;
    const std::string allowed = "must be " + allowed_text(field) + (text.empty() ? "; it is empty" : "") +
                                (is_of_numbers ? "; write a list as 8x8 or 8,8" : "");
    throw Error(Error::Parts{path, text, allowed, suggestion, value.location});
  };
  if (field.is_list ? items.empty() && field.rule.is_required : value.is_list || items.size() != 1)
    refuse(to_string(value));
  for (Scalar& item : items) {
    const std::optional<Scalar> typed = as_type(item, field.type);
    if (!typed || !within(*typed, field) || (field.rule.is_count_or_file && is_no_count(item))) {
      // Numbers are named with the whole list: a path given as one is split at every x.
      const bool is_word = field.type == FieldType::text && !to_string(item).empty();
      refuse(is_word ? to_string(item) : to_string(value));
    }
    item = field.rule.is_sum             ? ordered_sum(to_string(*typed), field.rule.names)
           : field.rule.is_count_or_file ? without_leading_zeros(to_string(*typed))
                                         : *typed;
  }
  return items;
}

void refuse_unknown(const Description& description, const std::vector<FieldInfo>& known) {
  std::vector<std::string_view> names;
  names.reserve(known.size());
  for (const FieldInfo& field : known) names.emplace_back(field.name);
  std::set<std::string_view> given;
  for (const auto& [name, value] : description.fields) {
    if (!given.insert(name).second)
      throw Error(description.path_of(name), to_string(value), "is given twice; give it only once",
                  value.location);
    if (std::ranges::find(names, name) != names.end()) continue;
    const std::string allowed =
        names.empty() ? fmt::format("unknown field; {} has none", description.kind)
                      : fmt::format("unknown field; {} has: {}", description.kind, fmt::join(names, ", "));
    throw Error(Error::Parts{description.path_of(name), to_string(value), allowed, nearest_name(name, names),
                             value.location});
  }
}

void refuse_missing(const Description& description, const FieldInfo& field) {
  throw Error(description.path_of(field.name), "",
              fmt::format("is required by {}: {} ({})", description.kind, allowed_text(field), field.help),
              description.location);
}

}  // namespace detail

std::string canonical_text(const Description& description, const std::vector<FieldInfo>& fields) {
  nlohmann::ordered_json object{{"kind", description.kind}};
  for (const FieldInfo& field : fields) {
    const Value* value = description.find(field.name);
    if (value == nullptr) continue;
    nlohmann::ordered_json items = nlohmann::ordered_json::array();
    for (const Scalar& item : value->items) {
      if (names_input(field, item))
        items.push_back(content_hash(
            *read_input(description.files, to_string(item), description.path_of(field.name)).content));
      else if (field.rule.is_written_out)
        items.push_back(to_string(item).substr(0, to_string(item).find(':')));
      else if (const auto* text = std::get_if<std::string>(&item))
        items.push_back(distinct_utf8(*text));
      else
        std::visit([&](const auto& plain) { items.push_back(plain); }, item);
    }
    object[field.name] = field.is_list ? items : items.at(0);
  }
  return object.dump();
}

}  // namespace faultline
