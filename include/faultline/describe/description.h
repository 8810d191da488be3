// SPDX-License-Identifier: Apache-2.0
// What a user wrote, before anybody has said what it means: a kind's name and its fields, each with its
// place.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "faultline/base/error.h"

namespace faultline {

using Scalar = std::variant<bool, std::int64_t, double, std::string>;

/// One scalar, or a list of them. Values from a command line are strings until a field gives them a type.
struct Value {
  std::vector<Scalar> items;
  bool is_list = false;
  Place place;
};

[[nodiscard]] std::string to_text(const Scalar& scalar);
[[nodiscard]] std::string to_text(const Value& value);

/// A component as described: `kind` names it, `path` is where it stands ("topology"), fields keep their
/// order.
struct Description {
  std::string path;
  std::string kind;
  std::vector<std::pair<std::string, Value>> fields;
  Place place;

  [[nodiscard]] const Value* find(std::string_view name) const;
  /// `path` + "." + `name`, the field path of an error.
  [[nodiscard]] std::string path_of(std::string_view name) const;
};

/// "k=4" → (k, "4"). Throws Error when there is no '=' or nothing before it, or when a name comes twice.
[[nodiscard]] Description parse_assignments(std::string path, std::string kind,
                                            std::span<const std::string> assignments);

/// "hot-spot:share=0.15,spots=2" → kind hot-spot with two fields.
[[nodiscard]] Description parse_compact(std::string path, std::string_view text);

/// "hot-spot:share=0.15,spots=2" or, without fields, "uniform"; the inverse of parse_compact.
[[nodiscard]] std::string to_compact(const Description& description);

}  // namespace faultline
