// SPDX-License-Identifier: Apache-2.0
// How bad input is refused.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace faultline {

/// Where a value was written; `file` is empty for a command line, `line` is 0 if there is none.
struct Location {
  std::string file;
  int line = 0;
};

/// Bad input. `what()` is one line of printable text: location, field path, value and what is allowed, with a
/// suggestion if a similar name is known. Long parts are shortened.
class Error : public std::runtime_error {
 public:
  struct Parts {
    std::string field;       ///< path such as "topology.k"; never empty
    std::string value;       ///< what was given, as text; empty when something is missing
    std::string allowed;     ///< what would have been accepted
    std::string suggestion;  ///< nearest known name, or empty
    Location location;
  };

  explicit Error(Parts parts);
  Error(std::string field, std::string value, std::string allowed, Location location = {});

  [[nodiscard]] const Parts& parts() const { return parts_; }

 private:
  Parts parts_;
};

/// `text` as one line that a terminal can show: control characters, line ends, characters that change the
/// writing direction and bytes that are not UTF-8 as \n, \x1b, \u{202e}; a text of more than `most` bytes as
/// its beginning, its end and its length.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = 200);

/// The member of `known` nearest to `name` by edit distance, or empty if none is similar enough.
[[nodiscard]] std::string nearest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace faultline
#pragma GCC visibility pop
