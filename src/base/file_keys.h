// SPDX-License-Identifier: Apache-2.0
// What identifies a file among many paths, whose pairs are too many to be compared.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace faultline {

/// Two paths name the same file, or will once it is written, if they have one of these in common: the path
/// without symbolic links, and for a file that exists the place of its content on the disk.
[[nodiscard]] std::vector<std::string> file_keys(const std::filesystem::path& path);

}  // namespace faultline
