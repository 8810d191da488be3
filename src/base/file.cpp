// SPDX-License-Identifier: Apache-2.0
#include "faultline/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file_keys.h"
#include "base/number.h"
#include "faultline/base/disk_error.h"

namespace faultline {
namespace {

class Descriptor {
 public:
  Descriptor() = default;
  /// -1, with errno, where it cannot be opened.
  Descriptor(const std::filesystem::path& path, int flags, mode_t mode = 0) {
    do number_ = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    while (number_ < 0 && errno == EINTR);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  /// A full disk may be noticed only now.
  [[nodiscard]] bool close() { return ::close(std::exchange(number_, -1)) == 0 || errno == EINTR; }

 private:
  int number_ = -1;
};

bool write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = ENOSPC;
    if (written <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// A new file next to `target` that disappears unless it is moved there. If the file system supports it, the
/// file has no name until it is complete: a process killed while writing leaves nothing behind.
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& target) : target_(target) {
    constexpr mode_t all = 0666;  // less the umask
    const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
    if (::access("/proc/self/fd", X_OK) == 0) file_ = Descriptor(folder, O_TMPFILE | O_WRONLY, all);
    if (file_.is_open()) return;
    do {
      choose_name();
      file_ = Descriptor(name_, O_WRONLY | O_CREAT | O_EXCL, all);
    } while (!file_.is_open() && errno == EEXIST);
    is_named_ = file_.is_open();
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (is_named_) ::unlink(name_.c_str());
  }

  /// False, with errno, where something failed.
  [[nodiscard]] bool write(std::string_view content) {
    return file_.is_open() && write_all(file_.number(), content) && keep_permissions() && sync();
  }
  [[nodiscard]] bool move_to_target() {
    if (!give_name() || !file_.close() || ::rename(name_.c_str(), target_.c_str()) != 0) return false;
    is_named_ = false;
    return true;
  }

 private:
  void choose_name() {
    std::random_device random;
    std::array<char, 24> suffix{};
    std::snprintf(suffix.data(), suffix.size(), ".partial-%08x", random());
    // Not behind the target's name, which may be as long as names can be.
    name_ = (target_.parent_path() / suffix.data()).string();
  }

  [[nodiscard]] bool keep_permissions() const {
    struct stat there {};
    constexpr mode_t permissions = 07777;
    return ::stat(target_.c_str(), &there) != 0 || ::fchmod(file_.number(), there.st_mode & permissions) == 0;
  }

  [[nodiscard]] bool sync() const {
    int result = 0;
    do result = ::fsync(file_.number());
    while (result != 0 && errno == EINTR);
    return result == 0;
  }

  [[nodiscard]] bool give_name() {
    const std::string unnamed = "/proc/self/fd/" + std::to_string(file_.number());
    while (!is_named_) {
      choose_name();
      is_named_ = ::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name_.c_str(), AT_SYMLINK_FOLLOW) == 0;
      if (!is_named_ && errno != EEXIST) return false;
    }
    return true;
  }

  std::filesystem::path target_;
  std::string name_;
  Descriptor file_;
  bool is_named_ = false;
};

bool overwrite(const std::filesystem::path& path, std::string_view content) {
  Descriptor file(path, O_WRONLY | O_NOCTTY);
  return file.is_open() && write_all(file.number(), content) && file.close();
}

/// The open descriptor that "/proc/self/fd/5", or "/dev/fd/5", is.
std::optional<int> open_descriptor(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.parent_path();
  if (folder != "/proc/self/fd" && folder != "/dev/fd") return std::nullopt;
  return number_of<int>(path.filename().string());
}

/// The target of the links of `path`; `path` itself if it cannot be determined. Descriptors are not followed:
/// their link text need not be a path.
std::filesystem::path without_links(std::filesystem::path path) {
  constexpr int max_links = 40;  // as Linux
  std::error_code failure;
  for (int links = 0;
       links < max_links && !open_descriptor(path) && std::filesystem::is_symlink(path, failure); ++links) {
    const std::filesystem::path next = std::filesystem::read_symlink(path, failure);
    if (failure) break;
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return path;
}

[[noreturn]] void refuse_unwritten(const std::filesystem::path& path, std::string_view field, int reason) {
  const std::string said = std::string("cannot be written (") + std::strerror(reason) + ")";
  const bool is_full = reason == ENOSPC || reason == EDQUOT;
  if (is_full || reason == EFBIG || reason == EIO)
    throw DiskError(std::string(field), path.string(),
                    said + (is_full ? "; free some space and try again" : ""));
  throw Error(std::string(field), path.string(), said + "; give a path in a writable folder");
}

}  // namespace

std::string read_file(const std::filesystem::path& path, std::string_view field) {
  const auto refuse = [&](const std::string& reason) {
    throw Error(std::string(field), path.string(), reason);
  };
  if (path.native().find('\0') != std::string::npos) refuse("is not a path: it holds a NUL");
  std::error_code failure;
  const std::filesystem::file_status status = std::filesystem::status(path, failure);
  if (!std::filesystem::exists(status) && (!failure || failure == std::errc::no_such_file_or_directory))
    refuse("no such file; give the path of an existing file");
  if (failure) refuse("cannot be read (" + failure.message() + ")");
  if (std::filesystem::is_directory(status)) refuse("is a folder; give the path of a file");
  if (!std::filesystem::is_regular_file(status))
    refuse("is a device or a pipe; give the path of a regular file");
  const Descriptor file(path, O_RDONLY | O_NOCTTY);
  std::string content;
  std::array<char, 65536> block{};
  while (file.is_open()) {
    const ssize_t bytes = ::read(file.number(), block.data(), block.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes == 0) return content;
    if (bytes < 0) break;
    content.append(block.data(), static_cast<std::size_t>(bytes));
    if (content.size() > max_file_bytes)
      refuse("is too large; a file may have " + std::to_string(max_file_bytes) + " bytes");
  }
  refuse(std::string("cannot be read (") + std::strerror(errno) + "); check its permissions");
  return content;
}

InputFile InputFiles::read(const std::string& path, std::string_view field) {
  const std::scoped_lock lock(mutex_);
  auto& content = contents_[path];
  if (!content && closed_)
    throw Error(std::string(field), path, "is not opened here: its name or content is not trusted");
  if (!content) content = std::make_shared<const std::string>(read_file(path, field));
  return {path, content};
}

void InputFiles::add(const std::string& path, std::string content) {
  const std::scoped_lock lock(mutex_);
  contents_[path] = std::make_shared<const std::string>(std::move(content));
}

void InputFiles::close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
}

InputFile read_input(const std::shared_ptr<InputFiles>& files, const std::string& path,
                     std::string_view field) {
  if (files) return files->read(path, field);
  return {path, std::make_shared<const std::string>(read_file(path, field))};
}

std::vector<std::string> file_keys(const std::filesystem::path& path) {
  std::vector<std::string> keys;
  if (struct stat status{}; ::stat(path.c_str(), &status) == 0)
    keys.push_back(std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino));
  std::error_code failure;
  // weakly_canonical() leaves a path relative if its first part does not exist.
  const auto absolute = std::filesystem::absolute(without_links(path), failure);
  if (failure) return keys;
  const auto canonical = std::filesystem::weakly_canonical(absolute, failure);
  if (!failure) keys.push_back(canonical.string());
  return keys;
}

bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  const std::vector<std::string> keys = file_keys(b);
  return std::ranges::any_of(
      file_keys(a), [&](const std::string& key) { return std::ranges::find(keys, key) != keys.end(); });
}

namespace {

/// A file whose new content is written aside until commit(); devices, pipes and descriptors are only written
/// then. Each step throws Error(field) where it fails.
class StagedFile {
 public:
  StagedFile(const std::filesystem::path& path, std::string_view content, std::string_view field)
      : path_(path), content_(content), field_(field) {
    if (path.native().find('\0') != std::string::npos)
      throw Error(std::string(field), path.string(), "is not a path: it holds a NUL");
    errno = 0;
    target_ = without_links(path);
    std::error_code failure;
    descriptor_ = open_descriptor(target_);
    if (descriptor_) return;
    if (std::filesystem::is_symlink(target_, failure)) refuse_unwritten(path_, field_, ELOOP);
    if (std::filesystem::is_directory(target_, failure)) refuse_unwritten(path_, field_, EISDIR);
    if (std::filesystem::exists(target_, failure) && !std::filesystem::is_regular_file(target_, failure))
      return;
    aside_ = std::make_unique<NewFile>(target_);
    require(aside_->write(content_));
  }

  void commit() {
    if (aside_)
      require(aside_->move_to_target());
    else
      require(descriptor_ ? write_all(*descriptor_, content_) : overwrite(target_, content_));
  }

 private:
  void require(bool done) const {
    if (!done) refuse_unwritten(path_, field_, errno);
  }

  std::filesystem::path path_, target_;
  std::string_view content_, field_;
  std::optional<int> descriptor_;
  std::unique_ptr<NewFile> aside_;
};

}  // namespace

void write_file(const std::filesystem::path& path, std::string_view content, std::string_view field) {
  StagedFile(path, content, field).commit();
}

void write_files(std::span<const OutputFile> files) {
  std::vector<StagedFile> staged;
  staged.reserve(files.size());
  for (const OutputFile& file : files) staged.emplace_back(file.path, file.content, file.field);
  for (StagedFile& file : staged) file.commit();
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
