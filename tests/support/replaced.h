// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace faultline {

/// `whole` with the first `from` replaced by `to`; the test fails where there is none.
inline std::string replaced(std::string_view whole, std::string_view from, std::string_view to) {
  std::string text(whole);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// The same with every `from`.
inline std::string replaced_everywhere(std::string_view whole, std::string_view from, std::string_view to) {
  std::string text(whole);
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  EXPECT_NE(text, whole) << from;
  return text;
}

}  // namespace faultline
