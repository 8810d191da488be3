// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#ifdef __linux__
#include <unistd.h>
#endif

namespace faultline {

/// Bytes; none where the system does not say.
[[nodiscard]] inline std::optional<std::uint64_t> machine_memory() {
#ifdef __linux__
  const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && bytes > 0) return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes);
#endif
  return std::nullopt;
}

}  // namespace faultline
