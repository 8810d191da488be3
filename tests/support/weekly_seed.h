// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>

namespace faultline {

/// Another seed in each ISO week, so that different instances are tried over time; FAULTLINE_ORACLE_SEED sets
/// it.
inline std::uint64_t weekly_seed() {
  if (const char* asked = std::getenv("FAULTLINE_ORACLE_SEED")) return std::stoull(asked);
  const std::time_t now = std::time(nullptr);
  std::array<char, 16> text{};
  (void)std::strftime(text.data(), text.size(), "%G%V", std::gmtime(&now));
  return std::stoull(text.data()) * 10'000;
}

}  // namespace faultline
