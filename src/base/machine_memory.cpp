// SPDX-License-Identifier: Apache-2.0
#include "base/machine_memory.h"

#include <algorithm>
#include <fstream>
#include <string>

#include "base/number.h"

#ifdef __linux__
#include <unistd.h>
#endif

namespace faultline {
namespace {

using Bytes = std::optional<std::uint64_t>;

Bytes lower(Bytes a, Bytes b) { return a && b ? std::min(*a, *b) : a ? a : b; }

/// None for "max", and where there is no such file.
Bytes limit_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string text;
  std::getline(stream, text);
  return number_of<std::uint64_t>(text);
}

/// Of the group and of those around it.
Bytes limit_of(const std::filesystem::path& root, std::filesystem::path group, const char* file) {
  Bytes limit = limit_in(root / file);
  for (group = group.relative_path(); !group.empty(); group = group.parent_path())
    limit = lower(limit, limit_in(root / group / file));
  return limit;
}

}  // namespace

/// A line is "0::/group" for version 2, and "4:memory:/group" for version 1, with several controllers between
/// commas.
Bytes memory_limit_of_groups(const std::filesystem::path& membership, const std::filesystem::path& root) {
  std::ifstream stream(membership);
  Bytes limit;
  for (std::string line; std::getline(stream, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",",
                      group = line.substr(second + 1);
    if (controllers == ",,")
      limit = lower(limit, limit_of(root, group, "memory.max"));
    else if (controllers.find(",memory,") != std::string::npos)
      limit = lower(limit, limit_of(root / "memory", group, "memory.limit_in_bytes"));
  }
  return limit;
}

Bytes machine_memory() {
#ifdef __linux__
  const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && bytes > 0)
    return lower(static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes),
                 memory_limit_of_groups("/proc/self/cgroup", "/sys/fs/cgroup"));
#endif
  return std::nullopt;
}

}  // namespace faultline
