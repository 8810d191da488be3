// SPDX-License-Identifier: Apache-2.0
// fabric watch, as an operator leaves it running.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "fabric_files.h"
#include "program.h"
#include "support/replaced.h"

namespace faultline {
namespace {

using testing::HasSubstr;

/// Waits, for ten seconds at most.
template <class Condition>
bool comes_true(Condition condition) {
  for (int tries = 0; tries < 1000 && !condition(); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return condition();
}

/// Waits until the program says that so many of its commands have ended with this status.
bool has_ended(const Running& watch, int status, std::size_t times = 1) {
  const std::string message = fmt::format("command ended with status {}", status);
  return comes_true([&] {
    const std::string output = watch.output_so_far();
    std::size_t found = 0;
    for (std::size_t at = output.find(message); at != std::string::npos; at = output.find(message, at + 1))
      ++found;
    return found >= times;
  });
}

TEST(FabricWatch, RepairsTheTablesWhenACableIsGone) {
  const FabricFiles files;
  const std::string out = files.path("out"), whole = files.path("whole"), count = files.path("count");
  EXPECT_TRUE(json_answer({"fabric", "repair", files.dump, "--tables", files.tables, "-o", whole})["holds"]
                  .get<bool>());
  Running watch({"fabric", "watch", files.dump, "--tables", whole + "/tables.lfts", "-o", out, "--interval",
                 "0.02", "--command", "echo loaded >> " + count},
                files.folder.path.string());
  const auto is_loaded = [&] { return std::filesystem::exists(count); };
  EXPECT_TRUE(comes_true(is_loaded)) << "the folder had no tables";
  EXPECT_EQ(entries_for_adapters(out), entries_for_adapters(whole));
  std::filesystem::remove(count);
  write_file(files.dump, dump_without_cable().substr(0, 700), "test");  // is still being written
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  write_file(files.dump, dump_without_cable(), "test");
  EXPECT_TRUE(comes_true(is_loaded));
  EXPECT_TRUE(
      json_answer({"fabric", "verify", files.dump, "--tables", out + "/tables.lfts"})["holds"].get<bool>());
  std::filesystem::remove(count);
  write_file(files.dump, small_dump, "test");  // the cable is back
  EXPECT_TRUE(comes_true(is_loaded));
  EXPECT_TRUE(has_ended(watch, 0, 3));
  watch.wait_until_handled(SIGINT);
  watch.signal(SIGINT);
  const Outcome outcome = watch.finish();
  EXPECT_EQ(outcome.code, 128 + SIGINT);
  EXPECT_THAT(outcome.errors, HasSubstr("the tables last written are in " + out));
  EXPECT_THAT(outcome.output, HasSubstr("written to " + out + "; command ended with status 0"));
  EXPECT_THAT(outcome.output, testing::ContainsRegex("  down: [^;]*\\[[^;]* - [^;]*; [0-9]+ routes? w"));
  EXPECT_THAT(outcome.output, testing::ContainsRegex("  up: [^;]*\\[[^;]* - [^;]*; 0 routes were lost"));
  EXPECT_EQ(entries_for_adapters(out), entries_for_adapters(whole));
}

/// The same cable, from whichever end the dump lists it first.
TEST(FabricWatch, NamesTheCablesThatCameAndWent) {
  const FabricFiles files;
  Running watch({"fabric", "watch", files.dump, "-o", files.path("out"), "--interval", "0.02", "--json"},
                files.folder.path.string());
  const auto answers = [&](std::size_t count) {
    std::vector<nlohmann::json> all;
    (void)comes_true([&] {
      std::istringstream lines(watch.output_so_far());
      all.clear();
      for (std::string line; std::getline(lines, line) && !lines.eof();)
        all.push_back(nlohmann::json::parse(line));
      return all.size() >= count;
    });
    return all;
  };
  ASSERT_EQ(answers(1).size(), 1U);
  write_file(files.dump, dump_without_cable(), "test");
  ASSERT_EQ(answers(2).size(), 2U);
  write_file(files.dump, small_dump, "test");
  const auto all = answers(3);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_TRUE(all[0]["cables_down"].empty() && all[0]["cables_up"].empty()) << "there was no look before";
  ASSERT_EQ(all[1]["cables_down"].size(), 1U);
  EXPECT_THAT(all[1]["cables_down"][0].get<std::string>(), HasSubstr("] - "));
  EXPECT_TRUE(all[1]["cables_up"].empty());
  EXPECT_EQ(all[2]["cables_up"], all[1]["cables_down"]);
  EXPECT_TRUE(all[2]["cables_down"].empty());
  // Another node has the same name, which is then no longer ambiguous.
  const std::string without_host = without_line(std::string(small_dump), "[2]\t\"H-00000000000000d1\"[1]");
  write_file(files.dump,
             without_host.substr(0, without_host.find("caguid=0xd1")) +
                 without_host.substr(without_host.find("caguid=0xe1")),
             "test");
  const auto more = answers(4);
  ASSERT_EQ(more.size(), 4U);
  ASSERT_EQ(more[3]["cables_down"].size(), 1U) << more[3];
  EXPECT_THAT(more[3]["cables_down"][0].get<std::string>(), HasSubstr("H-00000000000000d1"));
  EXPECT_TRUE(more[3]["cables_up"].empty()) << more[3];
}

/// A run that begins where another one has ended.
TEST(FabricWatch, GoesOnFromTheTablesInItsFolder) {
  const FabricFiles files;
  const std::string out = files.path("out"), whole = files.path("whole");
  EXPECT_TRUE(json_answer({"fabric", "repair", files.dump, "--tables", files.tables, "-o", whole})["holds"]
                  .get<bool>());
  const auto watch_once = [&](const std::string& dump) {
    return json_answer({"fabric", "watch", files.folder.file("now", dump), "--tables", whole + "/tables.lfts",
                        "-o", out, "--rounds", "1"});
  };
  EXPECT_GT(watch_once(dump_without_cable())["changed_entries"], 0);
  const auto repaired = entries_for_adapters(out);
  EXPECT_NE(repaired, entries_for_adapters(whole));
  const auto again = watch_once(dump_without_cable());
  EXPECT_EQ(again["changed_entries"], 0);
  EXPECT_TRUE(again["written"].is_null());
  EXPECT_EQ(watch_once(std::string(small_dump))["written"], out) << "the cable is back";
  EXPECT_EQ(entries_for_adapters(out), entries_for_adapters(whole));
}

TEST(FabricWatch, PrintsNothingButJsonWhereAsked) {
  const FabricFiles files;
  const Outcome outcome = run_program({"fabric", "watch", files.dump, "-o", files.path("out"), "--rounds",
                                       "1", "--interval", "0.02", "--command", "echo loaded", "--json"},
                                      files.folder.path);
  EXPECT_THAT(outcome.errors, HasSubstr("loaded"));
  EXPECT_EQ(nlohmann::json::parse(outcome.output)["command_status"], 0) << outcome.output;
}

/// Whether tables of an earlier run were loaded is not known: it may have been killed before its command
/// ended.
TEST(FabricWatch, LoadsTheTablesOfAnEarlierRun) {
  const FabricFiles files;
  const std::string out = files.path("out"), loaded = files.path("loaded");
  const auto watch = [&](const std::string& command, int code) {
    const Outcome outcome = run_program({"fabric", "watch", files.dump, "--tables", files.tables, "-o", out,
                                         "--rounds", "1", "--command", command, "--json"});
    EXPECT_EQ(outcome.code, code) << outcome.errors;
    return nlohmann::json::parse(outcome.output);
  };
  const auto failed = watch("exit 7", 1);
  EXPECT_EQ(failed["written"], out);
  EXPECT_EQ(failed["command_status"], 7);
  const auto later = watch("touch " + loaded, 0);
  EXPECT_TRUE(later["written"].is_null());
  EXPECT_EQ(later["command_status"], 0);
  EXPECT_TRUE(std::filesystem::exists(loaded));
}

/// Tables that were dumped after those in the folder have been loaded by somebody else.
TEST(FabricWatch, TakesTheNewerTablesForThoseInUse) {
  const FabricFiles files;
  const std::string out = files.path("out");
  const auto watch = [&](const std::string& tables) {
    return run_program({"fabric", "watch", files.dump, "--tables", tables, "-o", out, "--rounds", "1",
                        "--command", "true", "--json"});
  };
  EXPECT_EQ(watch(files.tables).errors, "") << "there is no choice";
  const std::string less = files.folder.file(
      "less", without_line(std::string(small_tables), "0x0006 002"));  // leaf 1 to its own host b
  const std::string kept = out + "/tables.lfts";
  const auto written = std::filesystem::last_write_time(kept);
  std::filesystem::last_write_time(less, written - std::chrono::seconds(1));
  const Outcome older = watch(less);
  EXPECT_THAT(older.errors, HasSubstr(kept + ", which is newer than " + less));
  EXPECT_EQ(nlohmann::json::parse(older.output)["lost_routes"], 0);
  std::filesystem::last_write_time(less, written + std::chrono::seconds(1));
  const Outcome newer = watch(less);
  EXPECT_THAT(newer.errors, HasSubstr(less + ", which is newer than " + kept));
  const auto event = nlohmann::json::parse(newer.output);
  EXPECT_GT(event["lost_routes"], 0);
  EXPECT_EQ(event["written"], out);
  EXPECT_EQ(event["command_status"], 0);
}

TEST(FabricWatch, NamesTablesOfAnotherFabricInItsFolder) {
  const FabricFiles files;
  const std::string out = files.path("out");
  std::filesystem::create_directory(out);
  write_file(out + "/tables.lfts", replaced_everywhere(small_tables, " guid 0x000", " guid 0x100"), "test");
  const Outcome outcome = run_program({"fabric", "watch", files.dump, "-o", out, "--rounds", "1"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.output, HasSubstr(out + "/tables.lfts': holds no table of a switch of this fabric"));
}

/// Another dump would not mend it.
TEST(FabricWatch, EndsAtOnceOnAWrongArgument) {
  const FabricFiles files;
  const std::string out = files.path("out"), missing = files.path("missing");
  const auto refused = [&](const std::string& tables, const std::string& engine) {
    const Outcome outcome =
        run_other_program("/usr/bin/timeout",
                          {"10", FAULTLINE_PROGRAM, "fabric", "watch", files.dump, "--tables", tables,
                           "--engine", engine, "-o", out, "--interval", "0.01"},
                          files.folder.path.string());
    EXPECT_EQ(outcome.code, 2) << engine;
    EXPECT_FALSE(std::filesystem::exists(out));
    return outcome.errors;
  };
  EXPECT_THAT(refused(files.tables, "repairs"), HasSubstr("engine = 'repairs': must be one of: "));
  EXPECT_THAT(refused(files.tables, "repair:bases=nca"), HasSubstr("engine.bases = 'nca': unknown field"));
  EXPECT_THAT(refused(files.tables, "repair:reference=" + missing),
              HasSubstr("engine.reference = '" + missing + "': no such file"));
  for (const char* engine : {"repair", "dfsssp"})
    EXPECT_THAT(refused(missing, engine), HasSubstr("topology.tables = '" + missing + "': no such file"));
}

TEST(FabricWatch, TriesAgainWhatFailed) {
  const FabricFiles files;
  const std::string out = files.path("out"), tried = files.path("tried"), go = files.path("go"),
                    loaded = files.path("loaded");
  const auto exists = [](const std::string& path) {
    return [path] { return std::filesystem::exists(path); };
  };
  Running watch({"fabric", "watch", files.dump, "--tables", files.tables, "-o", out, "--interval", "0.02",
                 "--command", "touch " + tried + "; test -e " + go + " && touch " + loaded},
                files.folder.path.string());
  EXPECT_TRUE(comes_true(exists(tried)));
  EXPECT_TRUE(has_ended(watch, 1));
  EXPECT_FALSE(std::filesystem::exists(loaded));
  write_file(go, "", "test");  // from now on the command succeeds
  EXPECT_TRUE(comes_true(exists(loaded)));
  EXPECT_TRUE(has_ended(watch, 0, 1));
  std::filesystem::remove(loaded);
  std::filesystem::rename(out, out + ".away");
  write_file(out, "", "test");
  write_file(files.dump, dump_without_cable(), "test");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // nothing can be written
  std::filesystem::remove(out);
  EXPECT_TRUE(comes_true(exists(loaded)));
  EXPECT_TRUE(has_ended(watch, 0, 2));
  watch.wait_until_handled(SIGTERM);
  watch.signal(SIGTERM);
  const Outcome outcome = watch.finish();
  EXPECT_EQ(outcome.code, 128 + SIGTERM);
  EXPECT_THAT(outcome.output, HasSubstr("command ended with status 1"));
  EXPECT_THAT(outcome.output, HasSubstr("command ended with status 0"));
  EXPECT_TRUE(std::filesystem::exists(out + "/tables.lfts"));
}

TEST(FabricWatch, WritesAgainWhatIsDeleted) {
  const FabricFiles files;
  const std::string out = files.path("out"), tables = out + "/tables.lfts";
  const auto are_there = [&] { return std::filesystem::exists(tables); };
  Running watch({"fabric", "watch", files.dump, "--tables", files.tables, "-o", out, "--interval", "0.02"},
                files.folder.path.string());
  ASSERT_TRUE(comes_true(are_there));
  const std::string written = read_file(tables, "test");
  std::filesystem::remove(tables);
  ASSERT_TRUE(comes_true(are_there));
  EXPECT_EQ(read_file(tables, "test"), written);
  std::filesystem::rename(out, out + ".away");
  ASSERT_TRUE(comes_true(are_there)) << "with its folder";
  EXPECT_EQ(read_file(tables, "test"), written);
  watch.signal(SIGTERM);
  EXPECT_EQ(watch.finish().code, 128 + SIGTERM);
}

TEST(FabricWatch, EndsItsCommand) {
  const FabricFiles files;
  const std::string begun = files.path("begun"), ended = files.path("ended");
  Running watch({"fabric", "watch", files.dump, "--tables", files.tables, "-o", files.path("out"),
                 "--command", "touch " + begun + "; sleep 3; touch " + ended},
                files.folder.path.string());
  EXPECT_TRUE(comes_true([&] { return std::filesystem::exists(begun); }));
  watch.signal(SIGTERM);
  EXPECT_EQ(watch.finish().code, 128 + SIGTERM);
  std::this_thread::sleep_for(std::chrono::milliseconds(3200));
  EXPECT_FALSE(std::filesystem::exists(ended));
}

/// The program ignores a closed pipe and a file size limit; its caller may ignore ended children.
TEST(FabricWatch, KnowsTheStatusOfItsCommandWhichHandlesSignalsAsUsual) {
  const FabricFiles files;
  const std::string ignored = files.path("ignored");
  const Outcome outcome =
      run_other_program("/usr/bin/env",
                        {"--ignore-signal=CHLD", FAULTLINE_PROGRAM, "fabric", "watch", files.dump, "--tables",
                         files.tables, "-o", files.path("out"), "--rounds", "1", "--command",
                         "grep SigIgn /proc/self/status > " + ignored + "; exit 7"},
                        files.folder.path.string());
  EXPECT_THAT(outcome.output, HasSubstr("command ended with status 7")) << outcome.errors;
  const std::uint64_t mask = std::stoull(read_file(ignored, "test").substr(7), nullptr, 16);
  for (const int signal : {SIGPIPE, SIGXFSZ, SIGCHLD}) EXPECT_EQ(mask >> (signal - 1) & 1U, 0U) << signal;
}

/// Packets on the tables in use can deadlock around a ring: on repaired ones they cannot. Tables that do not
/// hold, of another engine than repair, are not loaded.
TEST(FabricWatch, EndsAsTheLastRepair) {
  const TemporaryFolder folder;
  const std::string ring = (folder.path / "ring").string(), loaded = (folder.path / "loaded").string();
  EXPECT_EQ(
      run_program({"fabric", "export", "torus", "radix=5", "--routing", "dimension-order", "-o", ring}).code,
      3);
  const std::string dump = ring + "/fabric.ibnetdiscover", tables = ring + "/tables.lfts";
  const auto watch = [&](const std::string& engine, const std::string& from, const std::string& out) {
    return run_program({"fabric", "watch", from, "--tables", tables, "--engine", engine, "-o", out,
                        "--rounds", "1", "--command", "touch " + loaded});
  };
  const std::string out = (folder.path / "out").string();
  for (const char* run : {"writes them", "finds them there"}) {
    const Outcome others = watch("tables", dump, out);
    EXPECT_EQ(others.code, 3) << run;
    EXPECT_THAT(others.output, HasSubstr("the command is not run")) << run;
  }
  EXPECT_FALSE(std::filesystem::exists(loaded));
  std::filesystem::remove_all(out);
  EXPECT_EQ(watch("repair", dump, out).code, 0);
  EXPECT_TRUE(std::filesystem::exists(loaded));
  EXPECT_EQ(watch("repair", (folder.path / "nothing").string(), out).code, 2);
  const Outcome twice = run_program({"fabric", "watch", dump, "--tables", tables, "--engine", "tables", "-o",
                                     folder.path / "others", "--rounds", "2", "--interval", "0.01"});
  EXPECT_EQ(twice.code, 3) << "the second look finds the same dump";
  const Outcome over = watch("repair", dump, ring);
  EXPECT_EQ(over.code, 2);
  EXPECT_THAT(over.errors, HasSubstr("would overwrite a file that is also read"));
}

/// As when `ibnetdiscover > dump` has just begun.
TEST(FabricWatch, AnEmptyDumpIsNoneThatWasSeen) {
  const FabricFiles files;
  write_file(files.dump, "", "test");
  const Outcome outcome =
      run_program({"fabric", "watch", files.dump, "-o", files.path("out"), "--rounds", "1"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("is empty"));
}

/// The dump is damaged for a while, and notes on the fabric are given once.
TEST(FabricWatch, SaysWhenAnErrorIsOverAndWhatIsOddInTheFabric) {
  const FabricFiles files;
  const std::string odd = replaced(small_dump, "# lid 7 lmc 0", "# lid 0 lmc 0");
  write_file(files.dump, odd, "test");
  Running watch({"fabric", "watch", files.dump, "--tables", files.tables, "-o", files.path("out"),
                 "--interval", "0.02"},
                files.folder.path.string());
  const auto says = [&](const std::string& text) {
    return comes_true([&] { return watch.output_so_far().find(text) != std::string::npos; });
  };
  EXPECT_TRUE(says("note: 1 adapter port has no unicast LID"));
  write_file(files.dump, "garbage", "test");
  EXPECT_TRUE(says("holds no record"));
  write_file(files.dump, odd, "test");
  EXPECT_TRUE(says("recovered: the dump is again the one that was repaired last"));
  watch.wait_until_handled(SIGINT);
  watch.signal(SIGINT);
  const std::string output = watch.finish().output;
  EXPECT_EQ(output.find("no unicast LID"), output.rfind("no unicast LID")) << output;
}

/// As `fabric repair`, not as if the files of the fabric were wrong.
TEST(FabricWatch, EndsInFailureWhenTheDiskIsFull) {
  const FabricFiles files;
  for (const std::vector<std::string>& verb :
       std::vector<std::vector<std::string>>{{"fabric", "watch", "--rounds", "1"}, {"fabric", "repair"}}) {
    std::vector<std::string> words{"-c", R"(ulimit -f 0; exec "$0" "$@")", FAULTLINE_PROGRAM};
    words.insert(words.end(), verb.begin(), verb.end());
    words.insert(words.end(), {files.dump, "--tables", files.tables, "-o", files.path("out")});
    const Outcome outcome = run_other_program("/bin/sh", words, files.folder.path.string(), "/dev/null");
    EXPECT_EQ(outcome.code, 1) << verb[1] << outcome.errors;
  }
}

}  // namespace
}  // namespace faultline
