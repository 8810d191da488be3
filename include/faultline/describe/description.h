// SPDX-License-Identifier: Apache-2.0
// What a user wrote, before it is interpreted: a kind's name and its fields, each with its location.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "faultline/base/error.h"
#include "faultline/base/file.h"

#pragma GCC visibility push(default)
namespace faultline {

/// An integer is held as std::int64_t where it fits, else as std::uint64_t, so that equal ones compare equal.
using Scalar = std::variant<bool, std::int64_t, double, std::string, std::uint64_t>;

[[nodiscard]] inline Scalar integer_scalar(std::uint64_t value) {
  if (std::in_range<std::int64_t>(value)) return static_cast<std::int64_t>(value);
  return value;
}

/// One scalar, or a list of them. Values from a command line are strings until a field gives them a type.
struct Value {
  std::vector<Scalar> items;
  bool is_list = false;
  Location location;
};

[[nodiscard]] std::string to_string(const Scalar& scalar);
[[nodiscard]] std::string to_string(const Value& value);

/// What is described: `kind` names its kind, `path` is its position in the input ("topology"), fields keep
/// their order.
struct Description {
  std::string path;
  std::string kind;
  std::vector<std::pair<std::string, Value>> fields;
  Location location;
  std::shared_ptr<InputFiles> files;  ///< files that fields name are read through this; null: from the disk

  [[nodiscard]] const Value* find(std::string_view name) const;
  /// `path` + "." + `name`, the field path of an error.
  [[nodiscard]] std::string path_of(std::string_view name) const;
};

/// "k=4" → (k, "4"). Throws Error if there is no '=' or nothing before it, or if a name is repeated.
[[nodiscard]] Description parse_assignments(std::string path, std::string kind,
                                            std::span<const std::string> assignments);

/// "hot-spot:share=0.15,spots=2" → kind hot-spot with two fields. A comma within a value is written "\,".
/// Throws Error for an empty part, one without '=' after the colon, and a repeated name.
[[nodiscard]] Description parse_compact(std::string path, std::string_view text);

/// "hot-spot:share=0.15,spots=2" or, without fields, "uniform"; the inverse of parse_compact, except that
/// empty lists are left out.
[[nodiscard]] std::string to_compact(const Description& description);

}  // namespace faultline
#pragma GCC visibility pop
