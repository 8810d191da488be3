// SPDX-License-Identifier: Apache-2.0
#include "formats/dot_lexer.h"

#include <algorithm>

#include "formats/json_text.h"

namespace faultline::formats {
namespace {

/// The text between quotes that are not those of a JSON string.
std::string without_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\n')) {
      if (text[++i] == '\n') continue;
    }
    plain += text[i];
  }
  return plain;
}

}  // namespace

DotLexer::DotLexer(const GraphReader& reader) : reader_(reader), text_(reader.text()) {}

DotToken DotLexer::next() {
  skip_blanks_and_comments();
  if (rest().empty()) return {.type = DotToken::Type::end, .text = "the end of the file", .line = line_};
  const char first = rest().front();
  if (is_letter(first)) return word();
  if (first == '"') return quoted_text();
  if (first == '<') return html();
  if (rest().starts_with("->") || rest().starts_with("--")) return sign(2);
  if (first == '-' || first == '.' || is_digit(first)) return number();
  if (std::string_view("{}[]=;,:").find(first) != std::string_view::npos) return sign(1);
  reader_.refuse(line_, rest().substr(0, 1), "must be in quotes, as part of an id");
}

std::string_view DotLexer::take(std::size_t length) {
  const std::string_view taken = rest().substr(0, length);
  position_ += taken.size();
  line_ += static_cast<int>(std::ranges::count(taken, '\n'));
  return taken;
}

void DotLexer::skip_blanks_and_comments() {
  while (!rest().empty()) {
    const bool begins_line = position_ == 0 || text_[position_ - 1] == '\n';
    if (rest().starts_with("//") || (begins_line && rest().front() == '#')) {
      take(rest().find('\n'));
    } else if (rest().starts_with("/*")) {
      const std::size_t end = rest().find("*/", 2);
      if (end == std::string_view::npos)
        reader_.refuse(line_, "/*", "is a comment without an end; must end with */");
      take(end + 2);
    } else if (std::string_view(" \t\r\n").find(rest().front()) != std::string_view::npos) {
      take(1);
    } else {
      return;
    }
  }
}

DotToken DotLexer::word() {
  const auto end = std::ranges::find_if_not(rest(), [](char c) { return is_letter(c) || is_digit(c); });
  const int line = line_;
  return {DotToken::Type::word, std::string(take(static_cast<std::size_t>(end - rest().begin()))), line};
}

DotToken DotLexer::number() {
  const std::string_view shown = rest();
  std::size_t length = shown.front() == '-' ? 1 : 0, digits = 0;
  for (bool has_point = false; length < shown.size(); ++length) {
    if (is_digit(shown[length]))
      ++digits;
    else if (shown[length] == '.' && !has_point)
      has_point = true;
    else
      break;
  }
  if (digits == 0 || (length < shown.size() && is_letter(shown[length])))
    reader_.refuse(line_, shown.substr(0, shown.find_first_of(" \t\r\n;,]}[{=")),
                   "must be a number like -3 or 2.5; an id that begins like one must be in quotes");
  return {DotToken::Type::word, std::string(take(length)), line_};
}

DotToken DotLexer::quoted_text() {
  DotToken token{DotToken::Type::quoted, {}, line_};
  while (true) {
    const std::string_view text = leading_json_string(rest());
    if (text.size() < 2 || text.back() != '"')
      reader_.refuse(line_, text.substr(0, text.find('\n')), "has no closing quote");
    const auto as_json = parse_json_string(text);
    token.text += as_json ? *as_json : without_escapes(text.substr(1, text.size() - 2));
    take(text.size());
    skip_blanks_and_comments();
    if (!rest().starts_with('+')) return token;
    take(1);
    skip_blanks_and_comments();
    if (!rest().starts_with('"'))
      reader_.refuse(line_, rest().substr(0, 1), "must be a text in quotes, after +");
  }
}

DotToken DotLexer::html() {
  DotToken token{DotToken::Type::quoted, {}, line_};
  std::size_t length = 0;
  for (int depth = 0; length == 0 || depth > 0; ++length) {
    if (length == rest().size()) reader_.refuse(token.line, "<", "has no closing >");
    depth += rest()[length] == '<' ? 1 : rest()[length] == '>' ? -1 : 0;
  }
  token.text = take(length);
  return token;
}

DotToken DotLexer::sign(std::size_t length) {
  return {DotToken::Type::sign, std::string(take(length)), line_};
}

}  // namespace faultline::formats
