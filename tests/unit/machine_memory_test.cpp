// SPDX-License-Identifier: Apache-2.0
#include "base/machine_memory.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/temporary_folder.h"

namespace faultline {
namespace {

TEST(MachineMemory, OfAGroupIsTheLeastOfItsOwnAndThoseAroundIt) {
  const TemporaryFolder folder;
  const auto write = [&](const std::string& path, const std::string& text) {
    std::filesystem::create_directories((folder.path / path).parent_path());
    (void)folder.file(path, text);
  };
  write("memory.max", "max\n");
  write("job/memory.max", "3000\n");
  write("job/step/memory.max", "max\n");
  write("memory/batch/memory.limit_in_bytes", "2000\n");
  const auto limit = [&](const std::string& membership) {
    return memory_limit_of_groups(folder.file("membership", membership), folder.path);
  };
  EXPECT_EQ(limit("0::/\n"), std::nullopt);
  EXPECT_EQ(limit("0::/job/step\n"), 3000U);
  EXPECT_EQ(limit("0::/elsewhere\n"), std::nullopt);
  EXPECT_EQ(limit("4:memory:/batch/step\n3:cpu:/job\n"), 2000U);
  EXPECT_EQ(limit("4:cpu,memory:/batch\n0::/job/step\n"), 2000U);
  EXPECT_EQ(limit("rubbish"), std::nullopt);
  EXPECT_EQ(memory_limit_of_groups(folder.path / "missing", folder.path), std::nullopt);
}

TEST(MachineMemory, IsKnownHere) { EXPECT_GT(machine_memory().value_or(0), std::uint64_t{1} << 28); }

}  // namespace
}  // namespace faultline
