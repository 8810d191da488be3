// SPDX-License-Identifier: Apache-2.0
#include "formats/relation_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"

namespace faultline::formats {

void RelationLines::next(std::string_view expected) {
  if (rest_.empty()) refuse_at(line_, "", fmt::format("ends too early; the next line must be {}", expected));
  ++line_;
  const std::size_t end = rest_.find('\n');
  words_ = rest_.substr(0, end);
  if (end == std::string_view::npos) refuse(words_, "is cut off; every line must end with a line feed");
  rest_.remove_prefix(end + 1);
}

bool RelationLines::next_is(std::string_view keyword) const {
  return rest_.starts_with(keyword) && rest_.size() > keyword.size() &&
         (rest_[keyword.size()] == ' ' || rest_[keyword.size()] == '\n');
}

std::string_view RelationLines::word(std::string_view what) {
  const std::string_view found = words_.substr(0, words_.find(' '));
  if (found.empty())
    refuse(words_.substr(0, 20), fmt::format("has a word missing; must be {}, after a single space", what));
  words_.remove_prefix(found.size());
  if (words_ == " ") refuse("", "ends with a space; must end with its last word");
  if (!words_.empty()) words_.remove_prefix(1);
  return found;
}

std::string_view RelationLines::rest_of_line() {
  const std::string_view found = words_;
  words_ = {};
  return found;
}

void RelationLines::end_line() const {
  if (!words_.empty()) refuse(words_, "is more than this line may have; it must end before it");
}

std::uint64_t RelationLines::entry(std::string_view keyword, std::uint64_t least, std::uint64_t most) {
  next(fmt::format("'{} NUMBER'", keyword));
  const std::string_view found = word(fmt::format("'{}'", keyword));
  if (found != keyword) refuse(found, fmt::format("must be '{} NUMBER'", keyword));
  const std::uint64_t value = number_word(keyword, least, most);
  end_line();
  return value;
}

std::uint64_t RelationLines::number(std::string_view word, std::string_view what, std::uint64_t least,
                                    std::uint64_t most) const {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
  const auto value = plain ? number_of<std::uint64_t>(word) : std::nullopt;
  if (!value || (word.size() > 1 && word.front() == '0') || *value < least || *value > most)
    refuse(word, least == most ? fmt::format("must be {}: {}", least, what)
                               : fmt::format("must be a number from {} to {}: {}", least, most, what));
  return *value;
}

std::uint32_t RelationLines::id(std::string_view word, std::string_view what, std::uint64_t count) const {
  if (count == 0) refuse(word, fmt::format("must be the number of one of 0: {}", what));
  return static_cast<std::uint32_t>(number(word, what, 0, count - 1));
}

void RelationLines::refuse_at(int line, std::string_view value, const std::string& allowed) const {
  constexpr std::size_t longest = 60;
  std::string shown(value.substr(0, longest));
  std::ranges::replace_if(
      shown, [](char c) { return c < 0x20 || c >= 0x7f; }, '?');
  if (value.size() > longest) shown += "...";
  throw Error(field_, shown, allowed, {path_, line});
}

}  // namespace faultline::formats
