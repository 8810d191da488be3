// SPDX-License-Identifier: Apache-2.0
#include "lines.h"

#include <algorithm>
#include <charconv>

namespace checker {

std::string_view Lines::word() {
  if (inside_) {
    if (rest_.empty() || rest_.front() != ' ') refuse("a word is missing");
    rest_.remove_prefix(1);
  }
  const std::string_view found = rest_.substr(0, rest_.find_first_of(" \n"));
  if (found.empty()) refuse("a word is missing");
  rest_.remove_prefix(found.size());
  inside_ = true;
  return found;
}

bool Lines::take(std::string_view keyword) {
  std::string_view behind = rest_;
  if (inside_ && behind.starts_with(' ')) behind.remove_prefix(1);
  if (!behind.starts_with(keyword)) return false;
  behind.remove_prefix(keyword.size());
  if (behind.empty() || (behind.front() != ' ' && behind.front() != '\n')) return false;
  rest_ = behind;
  inside_ = true;
  return true;
}

void Lines::expect(std::string_view keyword) {
  if (!take(keyword)) refuse("'" + std::string(keyword) + "' is missing");
}

void Lines::end_line() {
  if (rest_.empty() || rest_.front() != '\n') refuse("has too many or too few words");
  skip_line();
}

void Lines::end_text() {
  expect("end");
  end_line();
  if (!at_end()) refuse("text follows the end");
}

void Lines::skip_line() {
  const std::size_t end = rest_.find('\n');
  if (end == std::string_view::npos) refuse("the text is cut off");
  rest_.remove_prefix(end + 1);
  ++line_;
  inside_ = false;
}

std::string_view Lines::rest_of_line() {
  if (rest_.empty() || rest_.front() != ' ') refuse("a word is missing");
  const std::string_view found = rest_.substr(1, rest_.find('\n') - 1);
  if (found.empty() || found.front() == ' ') refuse("a word is missing");
  rest_.remove_prefix(1 + found.size());
  return found;
}

Number Lines::number_of(std::string_view word, Number least, Number most) const {
  Number value = 0;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool plain = parsed.ec == std::errc{} && parsed.ptr == word.data() + word.size() &&
                     (word.size() == 1 || word.front() != '0');
  if (!plain || value < least || value > most) refuse("a number is malformed or out of range");
  return value;
}

std::vector<Number> Lines::list(Number end) {
  std::vector<Number> numbers;
  std::string_view text = word();
  if (text == "-") return numbers;
  if (end == 0) refuse("a list that must be empty has a member");
  for (;;) {
    const std::string_view item = text.substr(0, text.find(','));
    numbers.push_back(number_of(item, 0, end - 1));
    if (item.size() == text.size()) return numbers;
    text.remove_prefix(item.size() + 1);
  }
}

Number Lines::entry(std::string_view keyword, Number least, Number most) {
  expect(keyword);
  const Number value = number(least, most);
  end_line();
  return value;
}

std::string Lines::choice(std::string_view keyword, const std::vector<std::string>& words) {
  expect(keyword);
  const std::string found(word());
  if (std::find(words.begin(), words.end(), found) == words.end())
    refuse(std::string(keyword) + " must be one of the words of FORMAT.md");
  end_line();
  return found;
}

}  // namespace checker
