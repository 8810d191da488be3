// SPDX-License-Identifier: Apache-2.0
// Files are read whole and written whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace faultline {

/// The content of `path`. Throws Error(field) when it is missing, not a regular file, or unreadable.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::string_view field);

/// Writes through a temporary file in the same folder and a rename: a reader sees the old content or the new
/// one. Throws Error(field) when the folder is missing or not writable.
void write_file(const std::filesystem::path& path, std::string_view content, std::string_view field);

/// 128 bits of XXH3.
struct Hash128 {
  std::uint64_t high = 0, low = 0;
  friend bool operator==(const Hash128&, const Hash128&) = default;
};
[[nodiscard]] Hash128 hash_of(std::string_view content);
/// 128-bit content hash (XXH3) as 32 hexadecimal digits.
[[nodiscard]] std::string content_hash(std::string_view content);

}  // namespace faultline
