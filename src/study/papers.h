// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace faultline {

/// A file of studies/papers/, built in (cmake/Papers.cmake).
struct PaperFile {
  std::string_view name, content;
};

[[nodiscard]] std::span<const PaperFile> paper_files();

}  // namespace faultline
