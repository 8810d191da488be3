// SPDX-License-Identifier: Apache-2.0
// Location of real inputs that are not part of the project: next to it, or in FAULTLINE_SHARED.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace faultline {

/// Tests that need a file of it are skipped, with a message, if it does not exist.
inline std::filesystem::path shared_folder() {
  if (const char* named = std::getenv("FAULTLINE_SHARED")) return named;
  return std::filesystem::path(FAULTLINE_SOURCE_DIR) / ".." / "shared";
}

}  // namespace faultline

/// Sets `name` to the path of a shared file, or skips the test.
#define FAULTLINE_SHARED_FILE(name, relative)                                   \
  const std::filesystem::path name = ::faultline::shared_folder() / (relative); \
  if (!std::filesystem::exists(name)) GTEST_SKIP() << name << " is not there"
