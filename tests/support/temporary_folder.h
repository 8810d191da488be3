// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "faultline/base/file.h"

namespace faultline {

/// A folder of the running test's own, removed with what is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() { std::filesystem::create_directories(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  /// Writes a file and gives its path.
  [[nodiscard]] std::string file(const std::string& name, std::string_view content) const {
    write_file(path_ / name, content, "test");
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                ("faultline-" + std::to_string(::getpid()) + "-" +
                                 testing::UnitTest::GetInstance()->current_test_info()->name());
};

}  // namespace faultline
