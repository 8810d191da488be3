// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace faultline {

/// Bytes that this process may use: the machine's, or fewer where its control groups limit it, as those of
/// containers and batch jobs do. None where the system does not say.
[[nodiscard]] std::optional<std::uint64_t> machine_memory();

/// The lowest limit of the control groups that `membership` (/proc/self/cgroup) lists, and of those around
/// them, below `root` (/sys/fs/cgroup), of version 1 or 2. None where nothing is limited.
[[nodiscard]] std::optional<std::uint64_t> memory_limit_of_groups(const std::filesystem::path& membership,
                                                                  const std::filesystem::path& root);

}  // namespace faultline
