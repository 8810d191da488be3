// SPDX-License-Identifier: Apache-2.0
// Files are read whole and written whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace faultline {

/// The content of `path`. Throws Error(field) when it is missing, not a regular file, larger than
/// max_file_bytes, or unreadable.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::string_view field);
inline constexpr std::uint64_t max_file_bytes = std::uint64_t{1} << 32;

/// A file that was read: results computed from it and its hash belong to the same content, even if the file
/// changes later.
struct InputFile {
  std::string path;
  std::shared_ptr<const std::string> content;  ///< null only if no file was named
};

/// Files by path, each read once, on first use. Safe to use from several threads.
class InputFiles {
 public:
  /// Throws as read_file does.
  [[nodiscard]] InputFile read(const std::string& path, std::string_view field);
  /// For content that is in no file, or in a file that must not be opened now.
  void add(const std::string& path, std::string content);
  /// From now on, refuses files that were neither read nor added.
  void close();

 private:
  bool closed_ = false;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const std::string>> contents_;
};

/// Through `files`, or from the disk if that is null.
[[nodiscard]] InputFile read_input(const std::shared_ptr<InputFiles>& files, const std::string& path,
                                   std::string_view field);
[[nodiscard]] inline InputFile read_input(const std::string& path, std::string_view field) {
  return read_input(nullptr, path, field);
}

/// Whether both paths name the same file, or will once it is written.
[[nodiscard]] bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// Writes through a temporary file in the same folder and a rename: a reader sees the old content or the new
/// one, and an existing file keeps its permissions. Follows symbolic links. Anything but a regular file (a
/// device, a pipe) is written to directly. Throws Error(field) if the folder is missing or not writable, or
/// if not everything could be written.
void write_file(const std::filesystem::path& path, std::string_view content, std::string_view field);

struct OutputFile {
  std::string field;  ///< the option that names the path: "verify.certificate"
  std::string path;
  std::string content;
};

/// The same for several files, none of which gets its new content before all are known to be writable and
/// have been written next to their places. Throws Error(field) of the first that cannot be written.
void write_files(std::span<const OutputFile> files);

/// 128 bits of XXH3.
struct Hash128 {
  std::uint64_t high = 0, low = 0;
  friend bool operator==(const Hash128&, const Hash128&) = default;
};
[[nodiscard]] Hash128 hash_of(std::string_view content);
/// 128-bit content hash (XXH3) as 32 hexadecimal digits.
[[nodiscard]] std::string content_hash(std::string_view content);

}  // namespace faultline
#pragma GCC visibility pop
