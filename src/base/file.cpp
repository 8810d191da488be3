// SPDX-License-Identifier: Apache-2.0
#include "faultline/base/file.h"

#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

#include "faultline/base/error.h"

namespace faultline {
namespace {

/// A created temporary file that disappears unless it is renamed away.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& target)
      : name_(target.string() + ".XXXXXX"), descriptor_(::mkstemp(name_.data())) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(name_.c_str());
  }

  [[nodiscard]] bool write(std::string_view content) const {
    if (descriptor_ < 0) return false;
    while (!content.empty()) {
      const ssize_t written = ::write(descriptor_, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      content.remove_prefix(static_cast<std::size_t>(written));
    }
    constexpr mode_t readable_by_all = 0644;
    return ::fchmod(descriptor_, readable_by_all) == 0 && ::fsync(descriptor_) == 0;
  }
  [[nodiscard]] bool move_to(const std::filesystem::path& target) const {
    return ::rename(name_.c_str(), target.c_str()) == 0;
  }

 private:
  std::string name_;
  int descriptor_;
};

}  // namespace

std::string read_file(const std::filesystem::path& path, std::string_view field) {
  std::error_code failure;
  if (!std::filesystem::exists(path, failure))
    throw Error(std::string(field), path.string(), "no such file; give the path of an existing file");
  if (std::filesystem::is_directory(path, failure))
    throw Error(std::string(field), path.string(), "is a folder; give the path of a file");
  std::ifstream stream(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream.good() && !stream.eof())
    throw Error(std::string(field), path.string(), "cannot be read; check its permissions");
  return content;
}

void write_file(const std::filesystem::path& path, std::string_view content, std::string_view field) {
  const TemporaryFile temporary(path);
  if (!temporary.write(content) || !temporary.move_to(path))
    throw Error(
        std::string(field), path.string(),
        std::string("cannot be written (") + std::strerror(errno) + "); give a path in a writable folder");
}

Hash128 hash_of(std::string_view content) {
  const XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
  return {hash.high64, hash.low64};
}

std::string content_hash(std::string_view content) {
  const Hash128 hash = hash_of(content);
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash.high),
                static_cast<unsigned long long>(hash.low));
  return text;
}

}  // namespace faultline
