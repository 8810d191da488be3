// SPDX-License-Identifier: Apache-2.0
// Lines of a relation file, word by word, with errors that name line, value and what is allowed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "faultline/base/error.h"

namespace faultline::formats {

/// A cursor through the text. A word ends at a single space or at the end of its line.
class RelationLines {
 public:
  RelationLines(std::string_view text, std::string path, std::string field)
      : rest_(text), path_(std::move(path)), field_(std::move(field)) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] bool at_line_end() const { return words_.empty(); }
  [[nodiscard]] int line() const { return line_; }

  /// Moves to the next line. Throws if there is none, or if it has no end.
  void next(std::string_view expected);
  /// True when the next line's first word is `keyword`.
  [[nodiscard]] bool next_is(std::string_view keyword) const;
  /// The next word of this line; `what` names it in the error if it is missing.
  [[nodiscard]] std::string_view word(std::string_view what);
  /// The rest of this line.
  [[nodiscard]] std::string_view rest_of_line();
  /// Throws if this line has another word.
  void end_line() const;
  /// The next line is `keyword` and a number from `least` to `most`.
  [[nodiscard]] std::uint64_t entry(std::string_view keyword, std::uint64_t least, std::uint64_t most);

  [[nodiscard]] std::uint64_t number(std::string_view word, std::string_view what, std::uint64_t least,
                                     std::uint64_t most) const;
  /// The next word as a number.
  [[nodiscard]] std::uint64_t number_word(std::string_view what, std::uint64_t least, std::uint64_t most) {
    return number(word(what), what, least, most);
  }
  /// For ids: 0 … count - 1.
  [[nodiscard]] std::uint32_t id(std::string_view word, std::string_view what, std::uint64_t count) const;
  [[nodiscard]] std::uint32_t id_word(std::string_view what, std::uint64_t count) {
    return id(word(what), what, count);
  }

  [[noreturn]] void refuse(std::string_view value, const std::string& allowed) const {
    refuse_at(line_, value, allowed);
  }
  [[noreturn]] void refuse_at(int line, std::string_view value, const std::string& allowed) const;

 private:
  std::string_view rest_, words_;
  std::string path_, field_;
  int line_ = 0;
};

}  // namespace faultline::formats
