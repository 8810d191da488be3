// SPDX-License-Identifier: Apache-2.0
// A text read line by line and word by word; what does not fit is refused with its line.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace checker {

/// Why a certificate is refused; `what()` names the line, unless that is 0: a missing line.
class Refused : public std::runtime_error {
 public:
  Refused(std::size_t line, const std::string& reason)
      : std::runtime_error(line == 0 ? reason : "line " + std::to_string(line) + ": " + reason) {}
};

using Number = std::uint64_t;

/// A position in a text. Words are separated by single spaces, lines end with a line feed. A copy is a
/// bookmark.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] bool at_line_end() const { return rest_.empty() || rest_.front() == '\n'; }
  /// Bytes still to come: no more lines, or words, than that can follow.
  [[nodiscard]] std::size_t left() const { return rest_.size(); }

  /// The next word of the line. Refused if there is none, or more than one space before it.
  std::string_view word();
  /// True if the line begins with it; reads nothing.
  [[nodiscard]] bool begins(std::string_view text) const { return !inside_ && rest_.starts_with(text); }
  /// Reads the next word of the line if it is `keyword`.
  bool take(std::string_view keyword);
  void expect(std::string_view keyword);
  void end_line();
  /// The last line, "end".
  void end_text();
  void skip_line();
  std::string_view rest_of_line();

  Number number(Number least, Number most) { return number_of(word(), least, most); }
  [[nodiscard]] Number number_of(std::string_view word, Number least, Number most) const;
  /// A word "1,2,3" of numbers below `end`, or "-" for none.
  std::vector<Number> list(Number end);
  /// A line of `keyword` and a number.
  Number entry(std::string_view keyword, Number least, Number most);
  /// A line of `keyword` and one of `words`.
  std::string choice(std::string_view keyword, const std::vector<std::string>& words);

  [[noreturn]] void refuse(const std::string& reason) const { throw Refused(line_, reason); }

 private:
  std::string_view rest_;
  std::size_t line_ = 1;
  bool inside_ = false;  ///< behind the first word of a line
};

}  // namespace checker
