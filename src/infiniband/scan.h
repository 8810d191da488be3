// SPDX-License-Identifier: Apache-2.0
// Lines of a text, and a cursor along one line: shared by the readers of the text formats.
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/utf8.h"
#include "faultline/base/error.h"

namespace faultline::infiniband {

[[nodiscard]] constexpr bool is_space(char c) { return c == ' ' || c == '\t'; }
[[nodiscard]] constexpr bool is_printable(char c) { return c >= 0x20 && c < 0x7f; }

/// `text` in UTF-8: a tab becomes a space, other characters that are not printable, and other bytes, '?'.
[[nodiscard]] inline std::string printable_utf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const CodePoint first = first_code_point(text);
    const std::string_view one = text.substr(0, std::max<std::size_t>(first.bytes, 1));
    const bool is_shown = first.bytes != 0 && !is_unprintable(first.value);
    result += one == "\t" ? " " : is_shown ? one : "?";
    text.remove_prefix(one.size());
  }
  return result;
}

/// The same, cut to a length that fits a message.
[[nodiscard]] inline std::string excerpt(std::string_view text) {
  constexpr std::size_t longest = 60;
  return text.size() <= longest ? printable_utf8(text) : printable_utf8(utf8_prefix(text, longest)) + "...";
}

struct Line {
  std::string_view text;   ///< without its end
  int number = 0;          ///< from 1
  bool terminated = true;  ///< false where the text ends before the line does
};

/// Calls `visit(Line)` for each line of `text`; a byte order mark before the first and a carriage return
/// before a line's end are dropped.
template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  text = without_byte_order_mark(text);
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    Line line{text.substr(0, end), ++number, end != std::string_view::npos};
    text.remove_prefix(line.terminated ? end + 1 : text.size());
    if (line.text.ends_with('\r')) line.text.remove_suffix(1);
    visit(line);
  }
}

/// Throws Error if `text` is empty, or holds a byte that does not occur in text.
inline void require_text(std::string_view text, const std::string& file, std::string_view what,
                         std::string_view allowed) {
  if (text.empty())
    throw Error(std::string(what), "", "is empty; must be " + std::string(allowed), {file, 0});
  if (text.find('\0') != std::string_view::npos)
    throw Error(std::string(what), "", "is not a text; must be " + std::string(allowed), {file, 0});
}

/// Throws Error: the line must have this form.
[[noreturn]] inline void refuse_line(const Line& line, const std::string& file, std::string_view what,
                                     std::string_view form) {
  throw Error(std::string(what), excerpt(line.text),
              "must be written " + std::string(form) +
                  (line.terminated ? "" : "; the file ends in the middle of this line"),
              {file, line.number});
}

/// Reads along a line. What does not match is not consumed.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  bool skip_spaces() {
    const std::size_t size = rest_.size();
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    return rest_.size() < size;
  }
  bool accept(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  /// Moves behind the first `token`; false where there is none.
  bool move_behind(std::string_view token) {
    const std::size_t at = rest_.find(token);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + token.size());
    return true;
  }
  /// A number that fits its type.
  template <std::unsigned_integral Number>
  [[nodiscard]] std::optional<Number> number(int base = 10) {
    Number value{};
    const auto [end, failure] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base);
    if (failure != std::errc{}) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  /// `open` number `close`, all of it or nothing.
  template <std::unsigned_integral Number>
  [[nodiscard]] std::optional<Number> bracketed(std::string_view open, std::string_view close,
                                                int base = 10) {
    const Cursor start = *this;
    if (accept(open))
      if (const auto value = number<Number>(base); value && accept(close)) return value;
    *this = start;
    return std::nullopt;
  }
  /// Everything up to the next space.
  std::string_view word() {
    const std::size_t size = std::min(rest_.find_first_of(" \t"), rest_.size());
    const std::string_view result = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return result;
  }

 private:
  std::string_view rest_;
};

}  // namespace faultline::infiniband
