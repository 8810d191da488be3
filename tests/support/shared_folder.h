// SPDX-License-Identifier: Apache-2.0
// Location of real inputs that are not part of the project: next to it, or in FAULTLINE_SHARED.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace faultline {

inline std::filesystem::path shared_folder() {
  if (const char* named = std::getenv("FAULTLINE_SHARED")) return named;
  return std::filesystem::path(FAULTLINE_SOURCE_DIR) / ".." / "shared";
}

}  // namespace faultline

/// Sets `name` to the path of a shared file. Skips the test if the file's folder does not exist; if only the
/// file is missing, the test fails: the path is wrong.
#define FAULTLINE_SHARED_FILE(name, relative)                                          \
  const std::filesystem::path name = ::faultline::shared_folder() / (relative);        \
  if (!std::filesystem::exists(name.parent_path()))                                    \
    GTEST_SKIP() << "no shared files here: " << name.parent_path() << " is not there"; \
  ASSERT_TRUE(std::filesystem::exists(name)) << name
