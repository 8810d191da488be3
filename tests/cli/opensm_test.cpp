// SPDX-License-Identifier: Apache-2.0
// InfiniBand's own subnet manager loads the tables that are written, on the fabric that is written, in its
// own simulator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "faultline/infiniband/forwarding_tables.h"
#include "program.h"
#include "support/shared_folder.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

/// In a folder of exported files. OpenSM sweeps once, dumps what the switches then hold, and ends.
constexpr const char* load_tables = R"(
preload=$(ls /usr/lib/*/umad2sim/libumad2sim.so | head -n 1)
export IBSIM_SOCKNAME=$1 OSM_TMP_DIR=$PWD OSM_CACHE_DIR=$PWD
mkfifo console
ibsim -s fabric.ibnetdiscover <>console >ibsim.log 2>&1 &
simulator=$!
trap 'kill $simulator' EXIT
for try in $(seq 100); do
  grep -q 'simulator ready' ibsim.log && break
  sleep 0.05
done
LD_PRELOAD=$preload timeout 60 opensm -o -x -R file,no_fallback -U tables.lfts -f $PWD/osm.log -d 2 -D 0x43 \
  --dump_files_dir $PWD </dev/null >opensm.out 2>&1
cat osm.log
)";

bool is_installed() {
  return run_other_program(
             "/bin/sh", {"-c", "command -v ibsim && ls /usr/sbin/opensm /usr/lib/*/umad2sim/libumad2sim.so"},
             ".")
             .code == 0;
}

/// The tables that OpenSM then finds at the switches.
infiniband::ForwardingTables loaded_tables(const std::string& folder) {
  const std::string socket = "faultline" + std::to_string(::getpid());
  const Outcome outcome = run_other_program("/bin/bash", {"-c", load_tables, "load", socket}, folder);
  EXPECT_THAT(outcome.output, testing::HasSubstr("file tables configured on all switches"));
  return infiniband::read_forwarding_tables(folder + "/opensm-lfts.dump", "test");
}

void expect_loaded(const std::string& folder) {
  const infiniband::ForwardingTables written =
      infiniband::read_forwarding_tables(folder + "/tables.lfts", "test");
  const infiniband::ForwardingTables loaded = loaded_tables(folder);
  ASSERT_EQ(loaded.switches.size(), written.switches.size());
  for (const infiniband::ForwardingTable& table : written.switches) {
    const infiniband::ForwardingTable* const found = loaded.find(table.switch_guid);
    ASSERT_NE(found, nullptr);
    for (std::size_t lid = 1; lid < table.ports.size(); ++lid)
      EXPECT_EQ(found->port(static_cast<infiniband::Lid>(lid)), table.port(static_cast<infiniband::Lid>(lid)))
          << "LID " << lid;
  }
}

TEST(OpenSmSlow, LoadsTheTablesOfAnExportedNetwork) {
  if (!is_installed()) GTEST_SKIP() << "no OpenSM with ibsim here";
  const TemporaryFolder folder;
  const std::string out = (folder.path / "tree").string();
  const auto exported =
      json_answer({"fabric", "export", "fat-tree", "k=3", "n=2", "--routing", "destro", "-o", out});
  EXPECT_EQ(exported["switches"], 6);
  expect_loaded(out);
  const std::string repaired = (folder.path / "repaired").string();
  const auto answer = json_answer({"fabric", "repair", out + "/fabric.ibnetdiscover", "--tables",
                                   out + "/tables.lfts", "--cut-links", "2", "-o", repaired});
  EXPECT_GT(answer["changed_entries"], 0);
  expect_loaded(repaired);
}

TEST(OpenSmSlow, LoadsTheRepairedTablesOfARealFabric) {
  if (!is_installed()) GTEST_SKIP() << "no OpenSM with ibsim here";
  FAULTLINE_SHARED_FILE(dump, "fabrics/avakas.ibnetdiscover");
  FAULTLINE_SHARED_FILE(tables, "fabrics/avakas.lfts");
  const TemporaryFolder folder;
  const std::string out = (folder.path / "out").string();
  EXPECT_TRUE(
      json_answer({"fabric", "repair", dump, "--tables", tables, "--cut-links", "5", "-o", out})["holds"]
          .get<bool>());
  expect_loaded(out);
}

}  // namespace
}  // namespace faultline
