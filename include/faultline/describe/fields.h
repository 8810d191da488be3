// SPDX-License-Identifier: Apache-2.0
// One `fields` function per parameter struct serves reading, validation, help and the canonical form:
//
//   struct FatTree {
//     std::uint32_t k = 0;
//     static void fields(auto& field) { field("k", &FatTree::k, between(2, 64).required(), "ports a side"); }
//   };
//
// Members may be bool, any integer, double, std::string, InputFile, Nested<Kind>,
// std::vector<std::uint32_t>, std::vector<double>, std::vector<std::string>, or std::optional of a scalar
// one. The member's type bounds what an integer field takes. Fields that several structs share are those of a
// struct that they are derived from.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "faultline/describe/description.h"
#include "faultline/describe/resolved.h"

#pragma GCC visibility push(default)
namespace faultline {

/// The kinds that what a nested field describes may have.
using Catalogue = std::vector<const KindInfo*> (*)();

/// What a field accepts. Bounds apply to numbers and to each item of a list; names to strings.
struct Rule {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  std::vector<std::string_view> names;  ///< the only strings allowed; empty if any is
  bool is_sum = false;                  ///< one or several of the names, each once, with + between them
  bool is_required = false;
  bool is_file =
      false;  ///< a path; the canonical form holds the content's hash, so a changed file is a new case
  bool is_count_or_file = false;  ///< digits are a count, any other text but a number is a path
  bool is_output = false;         ///< the path of a file that is written
  Catalogue catalogue = nullptr;  ///< of a nested field: that of its member's type
  /// Of a nested field: a word that leaves it out, such as "none"; empty if it cannot be left out.
  std::string_view left_out_by;
  /// What identifies a case includes all fields of what is nested, with files by their content, instead of
  /// its text.
  bool is_written_out = false;

  [[nodiscard]] Rule required() const {
    Rule rule = *this;
    rule.is_required = true;
    return rule;
  }
  [[nodiscard]] Rule or_word(std::string_view word) const {
    Rule rule = *this;
    rule.left_out_by = word;
    return rule;
  }
  [[nodiscard]] Rule written_out() const {
    Rule rule = *this;
    rule.is_written_out = true;
    return rule;
  }
};

[[nodiscard]] inline Rule between(double low, double high) { return {.low = low, .high = high}; }
[[nodiscard]] inline Rule at_least(double low) {
  return between(low, std::numeric_limits<double>::infinity());
}
[[nodiscard]] inline Rule one_of(std::initializer_list<std::string_view> names) { return {.names = names}; }
[[nodiscard]] inline Rule sum_of(std::initializer_list<std::string_view> names) {
  return {.names = names, .is_sum = true};
}
[[nodiscard]] inline Rule any_text() { return {}; }
[[nodiscard]] inline Rule file_path() { return {.is_file = true}; }
[[nodiscard]] inline Rule output_path() { return {.is_output = true}; }
[[nodiscard]] inline Rule nested() { return {}; }
[[nodiscard]] inline Rule count_or_file() { return {.is_count_or_file = true}; }
/// True for a text of digits only, which a count_or_file() field takes as a count.
[[nodiscard]] bool is_count(std::string_view text);

enum class FieldType : std::uint8_t { boolean, integer, real, text, nested };

/// The integers that a field takes: its rule's, within what its member can hold.
struct IntegerRange {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::uint64_t high = std::numeric_limits<std::uint64_t>::max();
};

/// A field as help, schema and web form present it.
struct FieldInfo {
  std::string name;
  FieldType type = FieldType::text;
  bool is_list = false;
  Rule rule;
  IntegerRange integers;     ///< if the type is integer
  std::string default_text;  ///< empty if there is none
  std::string help;
};

/// The scalar is a path that this field reads: its canonical form holds the content's hash.
[[nodiscard]] bool names_input(const FieldInfo& field, const Scalar& item);

/// "an integer from 2 to 64", "one of: dynamic, static"; the `allowed` part of an error and of help.
[[nodiscard]] std::string allowed_text(const FieldInfo& field);

namespace detail {

template <class Member>
struct MemberTraits {
  using Item = Member;
  static constexpr bool list = false, optional = false;
};
template <class T>
struct MemberTraits<std::vector<T>> {
  using Item = T;
  static constexpr bool list = true, optional = false;
};
template <class T>
struct MemberTraits<std::optional<T>> {
  using Item = T;
  static constexpr bool list = false, optional = true;
};

template <class Item>
inline constexpr bool is_nested = false;
template <class Kind>
inline constexpr bool is_nested<Nested<Kind>> = true;

template <class Kind>
constexpr Catalogue catalogue_of(const Nested<Kind>*) {
  return &infos_of<Kind>;
}

template <class Item>
constexpr FieldType field_type() {
  if constexpr (std::is_same_v<Item, bool>)
    return FieldType::boolean;
  else if constexpr (std::is_same_v<Item, std::string> || std::is_same_v<Item, InputFile>)
    return FieldType::text;
  else if constexpr (is_nested<Item>)
    return FieldType::nested;
  else if constexpr (std::is_floating_point_v<Item>)
    return FieldType::real;
  else
    return FieldType::integer;
}

/// `value` as scalars of the field's type, checked against its rule. Throws Error with `path`.
[[nodiscard]] std::vector<Scalar> typed_items(const Value& value, const FieldInfo& field,
                                              const std::string& path);

/// The only function that decides which integers a member takes. `low` and `high` are whole, or infinite.
template <class Item>
IntegerRange integer_range(double low, double high) {
  using Limits = std::numeric_limits<Item>;
  IntegerRange range{static_cast<std::int64_t>(Limits::min()), static_cast<std::uint64_t>(Limits::max())};
  if (low > static_cast<double>(range.low)) range.low = static_cast<std::int64_t>(low);
  if (high < static_cast<double>(range.high)) range.high = high > 0 ? static_cast<std::uint64_t>(high) : 0;
  return range;
}

template <class Item>
Item from_scalar(const Scalar& scalar) {
  if constexpr (std::is_same_v<Item, bool> || std::is_same_v<Item, std::string>)
    return std::get<Item>(scalar);
  else if constexpr (std::is_same_v<Item, InputFile>)
    return {std::get<std::string>(scalar), nullptr};
  else if constexpr (is_nested<Item>)
    return {std::get<std::string>(scalar), {}};
  else if constexpr (std::is_floating_point_v<Item>)
    return static_cast<Item>(std::get<double>(scalar));
  else if (const auto* large = std::get_if<std::uint64_t>(&scalar))
    return static_cast<Item>(*large);
  else
    return static_cast<Item>(std::get<std::int64_t>(scalar));
}

template <class Item>
Scalar to_scalar(const Item& item) {
  if constexpr (std::is_same_v<Item, bool> || std::is_same_v<Item, std::string>)
    return item;
  else if constexpr (std::is_same_v<Item, InputFile>)
    return item.path;
  else if constexpr (is_nested<Item>)
    return item.text;
  else if constexpr (std::is_floating_point_v<Item>)
    return static_cast<double>(item);
  else if constexpr (std::is_unsigned_v<Item>)
    return integer_scalar(item);
  else
    return static_cast<std::int64_t>(item);
}

template <class Member>
Value to_value(const Member& member) {
  using Traits = MemberTraits<Member>;
  Value value;
  value.is_list = Traits::list;
  if constexpr (Traits::list) {
    for (const auto& item : member) value.items.push_back(to_scalar<typename Traits::Item>(item));
  } else if constexpr (Traits::optional) {
    if (member) value.items.push_back(to_scalar(*member));
  } else {
    value.items.push_back(to_scalar(member));
  }
  return value;
}

template <class Params, class Owner, class Member>
FieldInfo field_info(std::string_view name, Member Owner::*member, const Rule& rule, std::string_view help) {
  using Traits = MemberTraits<Member>;
  FieldInfo info{std::string(name), field_type<typename Traits::Item>(), Traits::list, rule, {}, {},
                 std::string(help)};
  if constexpr (field_type<typename Traits::Item>() == FieldType::integer)
    info.integers = integer_range<typename Traits::Item>(rule.low, rule.high);
  if constexpr (is_nested<typename Traits::Item>)
    info.rule.catalogue = catalogue_of(static_cast<const typename Traits::Item*>(nullptr));
  if (!rule.is_required) info.default_text = to_string(to_value(Params{}.*member));
  return info;
}

/// Throws Error for every field of `description` that is not among `known`.
void refuse_unknown(const Description& description, const std::vector<FieldInfo>& known);
void refuse_missing(const Description& description, const FieldInfo& field);

/// What `text` describes in the field `name` of `holder`, whose files it reads through.
[[nodiscard]] Description nested_description(const std::string& text, const Location& location,
                                             const Description& holder, std::string_view name);

/// Resolves the text of `nested`. Throws Error.
template <class Kind>
void resolve(Nested<Kind>& nested, const Rule& rule, const Location& location, const Description& holder,
             std::string_view name) {
  if (!rule.left_out_by.empty() && nested.text == rule.left_out_by) return;
  nested.resolved = Resolved<Kind>(nested_description(nested.text, location, holder, name)).canonical();
}

}  // namespace detail

/// The fields of `Params`, in their declared order.
template <class Params>
[[nodiscard]] std::vector<FieldInfo> fields_of() {
  std::vector<FieldInfo> infos;
  auto visitor = [&](std::string_view name, auto member, const Rule& rule, std::string_view help) {
    infos.push_back(detail::field_info<Params>(name, member, rule, help));
  };
  Params::fields(visitor);
  return infos;
}

/// Reads and validates. Throws Error for an unknown, missing, repeated, ill-typed or out-of-range field.
template <class Params>
[[nodiscard]] Params read_params(const Description& description) {
  detail::refuse_unknown(description, fields_of<Params>());
  Params params;
  auto visitor = [&]<class Owner, class Member>(std::string_view name, Member Owner::*member,
                                                const Rule& rule, std::string_view help) {
    using Traits = detail::MemberTraits<Member>;
    const FieldInfo info = detail::field_info<Params>(name, member, rule, help);
    const Value* value = description.find(name);
    if (value == nullptr) {
      if (rule.is_required) detail::refuse_missing(description, info);
      if constexpr (detail::is_nested<Member>)
        detail::resolve(params.*member, rule, description.location, description, name);
      return;
    }
    const std::vector<Scalar> items = detail::typed_items(*value, info, description.path_of(name));
    if constexpr (Traits::list) {
      (params.*member).clear();
      for (const Scalar& item : items)
        (params.*member).push_back(detail::from_scalar<typename Traits::Item>(item));
    } else {
      auto item = detail::from_scalar<typename Traits::Item>(items.front());
      if constexpr (std::is_same_v<typename Traits::Item, InputFile>)
        item = read_input(description.files, item.path, description.path_of(name));
      if constexpr (detail::is_nested<typename Traits::Item>)
        detail::resolve(item, rule, value->location, description, name);
      params.*member = std::move(item);
    }
  };
  Params::fields(visitor);
  return params;
}

/// The inverse of read_params, with every field written out: the canonical form.
template <class Params>
[[nodiscard]] Description describe_params(std::string path, std::string kind, const Params& params) {
  Description description{.path = std::move(path), .kind = std::move(kind)};
  auto visitor = [&](std::string_view name, auto member, const Rule&, std::string_view) {
    Value value = detail::to_value(params.*member);
    if (value.is_list || !value.items.empty()) description.fields.emplace_back(name, std::move(value));
  };
  Params::fields(visitor);
  return description;
}

/// One JSON object, keys in declared order; file fields are replaced by the hash of the file's content, so
/// that the text determines the result, and descriptions that stand within a field and are written out
/// (Rule::is_written_out) by their kind. Texts that differ stay different, even if they are not UTF-8. Hash
/// it, with those, for a case's identity.
[[nodiscard]] std::string canonical_text(const Description& description,
                                         const std::vector<FieldInfo>& fields);

}  // namespace faultline
#pragma GCC visibility pop
