// SPDX-License-Identifier: Apache-2.0
// fabric watch, killed at its N-th change of a file for every N. The suite is Slow: see
// failing_files_test.cpp.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/fabric_files.h"
#include "cli/program.h"
#include "crash/failing_files.h"

namespace faultline {
namespace {

/// A fabric that has lost a cable since its tables were written.
struct WatchedFabric : FabricFiles {
  WatchedFabric() {
    EXPECT_EQ(watch({}).code, 0);
    write_file(dump, dump_without_cable(), "test");
    std::filesystem::remove(path("loaded"));
  }
  [[nodiscard]] Outcome watch(const std::vector<std::string>& surroundings) const {
    return run_program_with(surroundings,
                            {"fabric", "watch", dump, "--tables", tables, "-o", path("out"), "--rounds", "1",
                             "--command", "touch " + path("loaded")},
                            folder.path.string());
  }
  [[nodiscard]] Outcome watch_until(long call) const {
    return watch(failing_files(path("out"), "kill", call, path("count")));
  }
  [[nodiscard]] bool is_loaded() const { return std::filesystem::exists(path("loaded")); }
  [[nodiscard]] std::vector<std::string> written() const {
    std::vector<std::string> contents;
    for (const char* name : {"out/tables.lfts", "out/fabric.ibnetdiscover", "out/guid2lid"})
      contents.push_back(read_file(path(name), "test"));
    return contents;
  }
};

TEST(SlowKilledWatch, IsCompletedByTheNextOne) {
  const WatchedFabric undisturbed;
  const std::vector<std::string> before = undisturbed.written();
  ASSERT_EQ(undisturbed.watch_until(0).code, 0);
  const std::vector<std::string> expected = undisturbed.written();
  for (std::size_t file = 0; file < 2; ++file) EXPECT_NE(before[file], expected[file]);
  const long calls = std::stol(read_file(undisturbed.path("count"), "test"));
  EXPECT_GT(calls, 9) << "the calls are not seen";
  for (long call = 1; call <= calls; ++call) {
    const WatchedFabric fabric;
    const Outcome killed = fabric.watch_until(call);
    SCOPED_TRACE("call " + std::to_string(call) + ": " + killed.errors);
    EXPECT_EQ(killed.code, 128 + SIGKILL);
    EXPECT_FALSE(fabric.is_loaded());
    const Outcome next = fabric.watch({});
    EXPECT_EQ(next.code, 0) << next.errors;
    EXPECT_EQ(fabric.written(), expected);
    EXPECT_TRUE(fabric.is_loaded());
  }
}

}  // namespace
}  // namespace faultline
