// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "faultline/base/file.h"

namespace faultline {

/// A fresh folder, removed with its content.
struct TemporaryFolder {
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "faultline-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder: " + name);
    path = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  /// Writes a file and gives its path.
  [[nodiscard]] std::string file(const std::string& name, std::string_view content) const {
    write_file(path / name, content, "test");
    return (path / name).string();
  }

  std::filesystem::path path;
};

}  // namespace faultline
