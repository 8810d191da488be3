// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "faultline/describe/fields.h"

namespace faultline {

/// "2..8:2" → 2, 4, 6, 8; "2..8:4" → 2, 6; "0.1..0.3:0.1" → 0.1, 0.2, 0.3 (the end is reached despite
/// rounding); text without ".." → itself. Throws Error(path) for an end below the start, a step of 0, or more
/// than 100,000 values.
[[nodiscard]] std::vector<Scalar> range_values(const Scalar& item, const std::string& path,
                                               const Location& location);

/// "1,4..6": counts and ranges of them, and nothing else.
[[nodiscard]] bool holds_counts_only(std::string_view text);

/// The items of a text, which commas separate as on a command line; those of a description belong to it.
/// Throws Error(path) where one is missing.
[[nodiscard]] std::vector<std::string> split_items(const std::string& text, const std::string& path,
                                                   const Location& location);

/// Whether an item of this field is a path: one value, whatever it contains.
[[nodiscard]] bool is_path(const FieldInfo& field, const Scalar& item);

/// One description for each combination of the values of fields that take one, each created on request; the
/// ranges of list fields are written out. The last field varies fastest. Throws Error for more values, of all
/// fields together, than there may be cases.
class Sweep {
 public:
  Sweep(const Description& given, const std::vector<FieldInfo>& fields);

  /// 2^64 - 1 if there are more.
  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] Description at(std::uint64_t index) const;
  /// A field that takes one value was given a list or a range, even of one value.
  [[nodiscard]] bool is_list() const { return is_list_; }

 private:
  Description given_;
  bool is_list_ = false;
  std::vector<std::vector<Value>> values_;  ///< by field
};

}  // namespace faultline
