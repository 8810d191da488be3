// SPDX-License-Identifier: Apache-2.0
// The one way in which bad input is refused.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace faultline {

/// Where a value was written; `file` is empty for a command line, `line` is 0 where there is none.
struct Place {
  std::string file;
  int line = 0;
};

/// Bad input. `what()` is one line: place, field path, value and what is allowed, with a suggestion where one
/// is near.
class Error : public std::runtime_error {
 public:
  struct Parts {
    std::string field;       ///< path such as "topology.k"; never empty
    std::string value;       ///< what was given, as text; empty when something is missing
    std::string allowed;     ///< what would have been accepted
    std::string suggestion;  ///< nearest known name, or empty
    Place place;
  };

  explicit Error(Parts parts);
  Error(std::string field, std::string value, std::string allowed, Place place = {});

  [[nodiscard]] const Parts& parts() const { return parts_; }

 private:
  Parts parts_;
};

/// The member of `known` nearest to `name` by edit distance, or empty when none is near enough to be meant.
[[nodiscard]] std::string nearest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace faultline
