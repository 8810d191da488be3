// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/utf8.h"

namespace faultline {

/// `text` as it may stand in an element or an attribute of XML 1.0, SVG and HTML, which read it back, but for
/// characters that XML cannot hold: these become U+FFFD.
[[nodiscard]] inline std::string xml_text(std::string_view text) {
  constexpr std::string_view replacement = "\xef\xbf\xbd";
  std::string escaped;
  for (const char c : utf8(text)) switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\t':
      case '\n':
      case '\r':
        escaped += fmt::format("&#{};", static_cast<int>(c));
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20)
          escaped += replacement;
        else
          escaped += c;
    }
  for (const std::string_view none : {"\xef\xbf\xbe", "\xef\xbf\xbf"})
    for (std::size_t at = 0; (at = escaped.find(none, at)) != std::string::npos;)
      escaped.replace(at, none.size(), replacement);
  return escaped;
}

}  // namespace faultline
