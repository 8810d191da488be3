// SPDX-License-Identifier: Apache-2.0
// Preloaded into the program, it lets one call to the file system fail: in the manner of SQLite's own tests
// of what happens when disks are full, broken or slow. Counts the calls that change files of one folder, or
// those that read them.
//   FAILING_FOLDER  whose files count
//   FAILING_CALL    number of the call, from 1; 0: none, calls are only counted
//   FAILING_HOW     short, eio, enospc, eintr, or kill: the process ends, with half of the data written
//   FAILING_STAYS   if set, all calls after that one fail as well (not for eintr, short and kill)
//   FAILING_READS   if set, the calls that read count, and no others
//   FAILING_COUNT   file for the number of calls, written at the end
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

struct Plan {
  std::string folder, how, count_file;
  long call = 0;
  bool stays = false, reads = false;
};

const Plan& plan() {
  static const Plan* const the_plan = [] {
    const auto text = [](const char* name) {
      const char* value = std::getenv(name);
      return std::string(value == nullptr ? "" : value);
    };
    return new Plan{text("FAILING_FOLDER"),
                    text("FAILING_HOW"),
                    text("FAILING_COUNT"),
                    std::atol(text("FAILING_CALL").c_str()),
                    std::getenv("FAILING_STAYS") != nullptr,
                    std::getenv("FAILING_READS") != nullptr};
  }();
  return *the_plan;
}

std::atomic<long> calls = 0;

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

bool is_watched(std::string_view path) { return !plan().folder.empty() && path.starts_with(plan().folder); }

bool is_watched(int descriptor) {
  char link[64], path[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = ::readlink(link, path, sizeof path);
  return length > 0 && is_watched(std::string_view(path, static_cast<std::size_t>(length)));
}

/// A call that changes the file.
template <class File>
bool counts(File file) {
  return !plan().reads && is_watched(file);
}

enum class Fate { good, shortened, failed };

/// Of the next call that counts. `can_be_short`: it transfers data.
Fate fate(bool can_be_short) {
  const long call = ++calls;
  const Plan& now = plan();
  if (now.call == 0 || call < now.call || (call > now.call && !now.stays)) return Fate::good;
  if (now.how == "kill" && !can_be_short) ::raise(SIGKILL);
  if (now.how == "kill" || now.how == "short") return can_be_short ? Fate::shortened : Fate::good;
  errno = now.how == "enospc" ? ENOSPC : now.how == "eintr" ? EINTR : EIO;
  return Fate::failed;
}

ssize_t finish_short(ssize_t written) {
  if (plan().how == "kill") ::raise(SIGKILL);
  return written;
}

struct AtEnd {
  ~AtEnd() {
    if (plan().count_file.empty()) return;
    if (std::FILE* file = std::fopen(plan().count_file.c_str(), "w")) {
      std::fprintf(file, "%ld\n", calls.load());
      std::fclose(file);
    }
  }
} at_end;

int open_with(const char* name, const char* path, int flags, mode_t mode) {
  constexpr int writing = O_WRONLY | O_RDWR | O_CREAT;
  if ((flags & writing) != 0 && counts(path) && fate(false) == Fate::failed) return -1;
  return real<int (*)(const char*, int, mode_t)>(name)(path, flags, mode);
}

mode_t mode_of(int flags, std::va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

int on_descriptor(const char* name, int descriptor) {
  if (counts(descriptor) && fate(false) == Fate::failed) return -1;
  return real<int (*)(int)>(name)(descriptor);
}

ssize_t write_at(const char* name, int descriptor, const void* data, std::size_t size, off_t offset) {
  const auto next = real<ssize_t (*)(int, const void*, std::size_t, off_t)>(name);
  if (!counts(descriptor)) return next(descriptor, data, size, offset);
  const Fate now = fate(true);
  if (now == Fate::failed) return -1;
  return now == Fate::good ? next(descriptor, data, size, offset)
                           : finish_short(next(descriptor, data, (size + 1) / 2, offset));
}

/// Reads, or half of what was asked for.
template <class Read>
ssize_t read_counted(int descriptor, std::size_t size, Read next) {
  if (!plan().reads || !is_watched(descriptor)) return next(size);
  const Fate now = fate(true);
  if (now == Fate::failed) return -1;
  return next(now == Fate::good ? size : (size + 1) / 2);
}

}  // namespace

extern "C" {

ssize_t read(int descriptor, void* data, std::size_t size) {
  const auto next = real<ssize_t (*)(int, void*, std::size_t)>("read");
  return read_counted(descriptor, size, [&](std::size_t asked) { return next(descriptor, data, asked); });
}
ssize_t pread(int descriptor, void* data, std::size_t size, off_t offset) {
  const auto next = real<ssize_t (*)(int, void*, std::size_t, off_t)>("pread");
  return read_counted(descriptor, size,
                      [&](std::size_t asked) { return next(descriptor, data, asked, offset); });
}
ssize_t pread64(int descriptor, void* data, std::size_t size, off_t offset) {
  const auto next = real<ssize_t (*)(int, void*, std::size_t, off_t)>("pread64");
  return read_counted(descriptor, size,
                      [&](std::size_t asked) { return next(descriptor, data, asked, offset); });
}

int open(const char* path, int flags, ...) {
  std::va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_with("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  std::va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_with("open64", path, flags, mode);
}

ssize_t write(int descriptor, const void* data, std::size_t size) {
  const auto next = real<ssize_t (*)(int, const void*, std::size_t)>("write");
  if (!counts(descriptor)) return next(descriptor, data, size);
  const Fate now = fate(true);
  if (now == Fate::failed) return -1;
  return now == Fate::good ? next(descriptor, data, size)
                           : finish_short(next(descriptor, data, (size + 1) / 2));
}

ssize_t pwrite(int descriptor, const void* data, std::size_t size, off_t offset) {
  return write_at("pwrite", descriptor, data, size, offset);
}
ssize_t pwrite64(int descriptor, const void* data, std::size_t size, off_t offset) {
  return write_at("pwrite64", descriptor, data, size, offset);
}

int fsync(int descriptor) { return on_descriptor("fsync", descriptor); }
int fdatasync(int descriptor) { return on_descriptor("fdatasync", descriptor); }

int ftruncate(int descriptor, off_t size) {
  if (counts(descriptor) && fate(false) == Fate::failed) return -1;
  return real<int (*)(int, off_t)>("ftruncate")(descriptor, size);
}
int ftruncate64(int descriptor, off_t size) {
  if (counts(descriptor) && fate(false) == Fate::failed) return -1;
  return real<int (*)(int, off_t)>("ftruncate64")(descriptor, size);
}

int unlink(const char* path) {
  if (counts(path) && fate(false) == Fate::failed) return -1;
  return real<int (*)(const char*)>("unlink")(path);
}

int rename(const char* from, const char* to) {
  if (counts(to) && fate(false) == Fate::failed) return -1;
  return real<int (*)(const char*, const char*)>("rename")(from, to);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  if (counts(to) && fate(false) == Fate::failed) return -1;
  return real<int (*)(int, const char*, int, const char*, int)>("linkat")(from_folder, from, to_folder, to,
                                                                          flags);
}

}  // extern "C"
