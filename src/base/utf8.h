// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace faultline {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 0;  ///< 0: the text does not begin with one
};

/// The first code point of `text`, which is not empty, in UTF-8 (RFC 3629: shortest form, no surrogates, none
/// above U+10FFFF).
[[nodiscard]] inline CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
  char32_t value = first & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    value = (value << 6) | (byte(i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xd800 && value <= 0xdfff;
  return value < least[bytes] || is_surrogate || value > 0x10ffff ? CodePoint{} : CodePoint{value, bytes};
}

/// Controls, line separators, and characters that hide or reorder adjacent text.
[[nodiscard]] constexpr bool is_unprintable(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
         (c >= 0xe0000 && c <= 0xe007f);
}

/// `text` behind the byte order mark that some editors and spreadsheets write.
[[nodiscard]] inline std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  return text;
}

/// Bytes before the first that is not UTF-8; all where there is none.
[[nodiscard]] inline std::size_t utf8_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    const std::size_t bytes = first_code_point(text.substr(length)).bytes;
    if (bytes == 0) break;
    length += bytes;
  }
  return length;
}

/// The longest beginning of `text` of at most `most` bytes that splits no code point.
[[nodiscard]] inline std::string_view utf8_prefix(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  constexpr std::size_t longest_code_point = 4;
  for (std::size_t end = most; end + longest_code_point > most && end > 0; --end)
    if (const std::size_t bytes = first_code_point(text.substr(end)).bytes; bytes != 0)
      return text.substr(0, end);
  return text.substr(0, most);  // not UTF-8
}

/// The same of its end.
[[nodiscard]] inline std::string_view utf8_suffix(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  const std::string_view before = utf8_prefix(text, text.size() - most);
  const std::size_t cut = before.size() == text.size() - most
                              ? before.size()
                              : before.size() + first_code_point(text.substr(before.size())).bytes;
  return text.substr(cut);
}

/// `text` with U+FFFD for each byte that is not UTF-8.
[[nodiscard]] inline std::string utf8(std::string_view text) {
  std::string valid;
  while (true) {
    const std::size_t length = utf8_length(text);
    valid += text.substr(0, length);
    if (length == text.size()) return valid;
    valid += "\xef\xbf\xbd";
    text.remove_prefix(length + 1);
  }
}

/// `text` in UTF-8, so that texts that differ stay different: U+FFFD and two hexadecimal digits for each byte
/// that is not UTF-8, and U+FFFD twice for each that it holds.
[[nodiscard]] inline std::string distinct_utf8(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef", replacement = "\xef\xbf\xbd";
  std::string valid;
  while (!text.empty()) {
    const std::size_t bytes = first_code_point(text).bytes;
    const std::string_view one = text.substr(0, std::max<std::size_t>(bytes, 1));
    const unsigned byte = static_cast<unsigned char>(one.front());
    if (bytes == 0)
      valid.append(replacement).append({digits[byte / 16], digits[byte % 16]});
    else
      valid.append(one).append(one == replacement ? one : std::string_view{});
    text.remove_prefix(one.size());
  }
  return valid;
}

}  // namespace faultline
