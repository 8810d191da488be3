// SPDX-License-Identifier: Apache-2.0
// Does a study keep what it finished, and compute nothing twice?
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "faultline/agent/agent.h"
#include "faultline/base/error.h"
#include "faultline/base/file.h"
#include "faultline/fault/process.h"
#include "faultline/results/store.h"
#include "faultline/routing/kind.h"
#include "faultline/selection/selection.h"
#include "faultline/study/case.h"
#include "faultline/topology/kind.h"
#include "faultline/traffic/pattern.h"
#include "program.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

constexpr std::string_view study =
    "title = \"test\"\n[[experiment]]\nverb = \"simulate\"\ntopology = {kind = \"fat-tree\", k = [2, 4], n = "
    "2}\n"
    "load = \"0.1..0.4:0.1\"\nseed = [1, 2, 3, 4, 5]\ncycles = 20000\n";
constexpr std::size_t cases = 2 * 4 * 5;

struct StudyFolder : TemporaryFolder {
  StudyFolder() { write_file(path / "s.toml", study, "test"); }
  [[nodiscard]] nlohmann::json run() const {
    const Outcome outcome = run_program({"study", "s.toml", "--json"}, path.string());
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    return nlohmann::json::parse(outcome.output);
  }
  [[nodiscard]] std::vector<Record> records() const {
    return ResultsStore(path / "s.db", ResultsStore::Mode::read).all();
  }
};

/// Everything except what may differ between two runs of the same case.
std::string without_time(const Record& record) {
  auto result = nlohmann::json::parse(record.result_text);
  result.erase("seconds");
  return record.hash + record.case_text + result.dump();
}

std::multiset<std::string> without_times(const std::vector<Record>& records) {
  std::multiset<std::string> texts;
  for (const Record& record : records) texts.insert(without_time(record));
  return texts;
}

TEST(Study, ASecondRunComputesNothing) {
  const StudyFolder folder;
  EXPECT_EQ(folder.run()["computed"], cases);
  const auto again = folder.run();
  EXPECT_EQ(again["computed"], 0U);
  EXPECT_EQ(again["already_there"], cases);
  EXPECT_EQ(folder.records().size(), cases);
}

TEST(Study, KilledInTheMiddleItLosesAndRepeatsNothing) {
  const StudyFolder undisturbed;
  (void)undisturbed.run();
  const StudyFolder folder;
  std::vector<std::string> kept;
  for (const int milliseconds : {20, 40, 60, 80, 100, 120}) {
    (void)run_and_signal({"study", "s.toml"}, folder.path.string(), milliseconds);
    if (!std::filesystem::exists(folder.path / "s.db")) continue;
    // What an earlier run finished is still there, byte for byte, times included: it was not computed again.
    try {
      const std::vector<Record> records = folder.records();
      ASSERT_GE(records.size(), kept.size());
      for (std::size_t i = 0; i < kept.size(); ++i)
        EXPECT_EQ(kept[i], records[i].hash + records[i].result_text);
      kept.clear();
      for (const Record& record : records) kept.push_back(record.hash + record.result_text);
    } catch (const Error& error) {
      EXPECT_TRUE(kept.empty()) << error.what();  // killed before the very first transaction
    }
  }
  EXPECT_EQ(folder.run()["computed"], cases - kept.size());
  EXPECT_EQ(without_times(folder.records()), without_times(undisturbed.records()));
}

TEST(Study, TwoAtOnceShareTheWorkAndTheResults) {
  for (int pair = 0; pair < 3; ++pair) {
    const StudyFolder folder;
    Running one({"study", "s.toml", "--json"}, folder.path.string());
    Running other({"study", "s.toml", "--json"}, folder.path.string());
    std::size_t computed = 0;
    for (Running* running : {&one, &other}) {
      const Outcome outcome = running->finish();
      ASSERT_EQ(outcome.code, 0) << outcome.errors;
      EXPECT_EQ(outcome.errors, "");
      const auto result = nlohmann::json::parse(outcome.output);
      computed += result["computed"].get<std::size_t>();
      EXPECT_EQ(result["already_there"].get<std::size_t>() + result["computed"].get<std::size_t>() +
                    result["computed_elsewhere"].get<std::size_t>(),
                cases);
    }
    EXPECT_EQ(computed, cases);
    EXPECT_EQ(folder.records().size(), cases);
  }
}

struct RefusedStudy {
  std::string content;
  std::vector<std::string> options;
  std::string said;
};

TEST(Study, WhatCanBeRefusedIsBeforeAnythingRuns) {
  const std::string head = "[[experiment]]\nverb = \"simulate\"\ntopology = \"fat-tree:k=2,n=2\"\n";
  for (const RefusedStudy& refused : std::vector<RefusedStudy>{
           {head + "load = 0.1\n", {"--set", "sead=2"}, "did you mean 'seed'"},
           {head + "load = 0.1\n", {"--set", "seed=two"}, "'two'"},
           {head + "load = 0.1\n", {"--set", "seed="}, "--set seed: must be"},
           {head + "load = 0.1\n", {"--set", "traffic=hot-spot:share=2"}, "--set traffic.share = '2'"},
           {head + "load = 0.1\n", {"--set", "load=0.1,,2"}, "--set load = '0.1,,2'"},
           {head + "load = -1\n", {"--set", "seed=2"}, "s.toml:4: experiment[0].load"},
           {head + "load = 0.1\n", {"--set", "topology=x"}, "--set = 'topology=x': cannot be set"},
           {head + "load = 0.1\n", {"--set", "verb=verify"}, "--set = 'verb=verify': cannot be set"},
           {head + "load = 0.1\n", {"--set", "routing=fta"}, "--set = 'routing=fta': cannot be set"},
           {head + "load = 0.1\n", {"--set", "seed"}, "name=value"},
           {head + "load = []\n", {}, "empty list"},
           {"[[experiment]]\nverb = \"topology\"\ntopology = []\n", {}, "empty list"},
           {head + "load = 0.1\nrouting = []\n", {}, "empty list"},
           {head + "load = 0.1\nrouting = \"fta:\"\n", {}, "a parameter is missing"},
           {head + "load = 0.1\ntraffic = \"unifrom\"\n", {}, "did you mean 'uniform'"},
           {head + "load = 0.1\ntraffic = \"hot-spot:share=2\"\n", {}, "from 0 to 1"},
           {head + "load = 0.1\ntraffic = \"uniform,\"\n", {}, "lacks a value before or after a comma"},
           {head + "load = 0.1\n", {"--set", "seed=1,,2"}, "lacks a value before or after a comma"},
           {head + "load = 0.1\nknowledge = \"much\"\n", {}, "knowledge = 'much'"},
           {head + "load = 0.1\nsource = \"often\"\n", {}, "source = 'often'"},
           {head + "load = 0.1\ncycles = 4294967296\n", {}, "from 0 to 1073741824"},
           {head + "load = 0.1\ncycles = 1000\nwarmup = \"1000\"\n", {}, "at most 999 cycles"},
           {head + "load = 0.1\nwarmup = \"4294967296\"\n", {}, "at most 536870912 cycles"},
           {"[[experiment]]\nverb = \"verify\"\ntopology = \"fat-tree:k=2,n=2\"\nselection = \"frist\"\n",
            {},
            "did you mean 'first'"},
           {"[[experiment]]\nverb = \"verify\"\ntopology = \"fat-tree:k=2,n=2\"\nknowledge = \"0\"\n",
            {},
            "knowledge = '0'"},
           {"[[experiment]]\nverb = \"resilience\"\ntopology = \"fat-tree:k=2,n=2\"\nsource = \"x\"\n",
            {},
            "source = 'x'"},
           {"[[experiment]]\nverb = \"resilience\"\ntopology = \"fat-tree:k=2,n=2\"\nfailure-rate = "
            "\"x\"\n",
            {},
            "failure-rate = 'x'"},
           {head + "load = 0.1\nselection = \"frist\"\n", {}, "did you mean 'first'"},
           {head + "load = 0.1\npacket-flits = \"8:0.5,x\"\n", {}, "shares"},
           {head + "load = 0.1\nwarmup = \"long\"\n", {}, "auto"},
           {head + "load = 0.1\nschedule = \"missing.csv\"\n", {}, "no such file"},
           {head + "load = 0.1\nseed = 4294967296\nvcs = 4294967297\n", {}, "from 0 to 32"},
           {"[[experiment]]\nverb = \"resilience\"\ntopology = \"fat-tree:k=2,n=2\"\nfailure-rate = "
            "\"1e-6\"\nrepair-time = \"4\"\nexact = true\n",
            {},
            "s.toml:6: experiment[0].exact = 'true': must be left out with failure-rate"},
           {"[[experiment]]\nverb = \"resilience\"\ntopology = \"fat-tree:k=2,n=2\"\nfailure-rate = "
            "\"1e-6\"\nrare = true\n",
            {},
            "experiment[0].rare = 'true': must be used with repair-time"},
           {head, {}, "is required"},
           {head + "load = 0.1\nrooting = \"destro\"\n", {}, "experiment[0].rooting: unknown field"},
           {head + "load = 0.1\nrooting = \"destro\"\n", {}, "did you mean 'routing'"},
           {"[[experiment]]\nverb = \"topology\"\ntopolgy = \"fat-tree:k=2,n=2\"\n",
            {},
            "s.toml:3: experiment[0].topolgy: unknown field; an experiment with this verb has: verb, "
            "topology"},
           {"[[experiment]]\nvreb = \"topology\"\ntopology = \"fat-tree:k=2,n=2\"\n",
            {},
            "s.toml:2: experiment[0].vreb: unknown field"},
           {"[[experiment]]\nverb = \"resilience\"\ntopology = \"fat-tree:k=2,n=2\"\nfailure-rate = "
            "\"often\"\n",
            {},
            "link=1e-6"},
           {head + "load = \"0.00001..1:0.00001\"\nseed = \"1..100000\"\n", {}, "10000000000 cases"},
           {head + "load = \"0.00001..1:0.00001\"\nseed = \"1..100000\"\ncycles = \"1..100000\"\nvcs = "
                   "\"1..100000\"\n",
            {},
            "2^64 cases or more"}}) {
    const TemporaryFolder folder;
    (void)folder.file("s.toml", refused.content);
    std::vector<std::string> arguments{"study", "s.toml"};
    arguments.insert(arguments.end(), refused.options.begin(), refused.options.end());
    const Outcome outcome = run_program(arguments, folder.path.string());
    EXPECT_EQ(outcome.code, 2) << refused.content << outcome.output << outcome.errors;
    EXPECT_THAT(outcome.errors, testing::HasSubstr(refused.said)) << refused.content;
    EXPECT_FALSE(std::filesystem::exists(folder.path / "s.db")) << refused.content;
  }
}

TEST(Study, NamesCasesThatFailAndTellsThoseThatFailAlikeOnce) {
  const TemporaryFolder folder;
  const std::string failing =
      folder.file("s.toml",
                  "[[experiment]]\nverb = \"simulate\"\ntopology = \"torus:radix=4x4\"\n"
                  "routing = [\"duato\", \"dimension-order\"]\nswitching = \"wormhole\"\n"
                  "vcs = 2\nload = [0.1, 0.2, 0.3]\ncycles = 500\n");
  const Outcome ran = run_program({"study", failing, "--results", (folder.path / "s.db").string()});
  EXPECT_THAT(ran.output, HasSubstr("6 cases, 0 already there, 3 computed, 3 failed"));
  EXPECT_EQ(std::ranges::count(ran.errors, '\n'), 1) << ran.errors;
  EXPECT_THAT(ran.errors, HasSubstr("simulate torus:radix=4x4,terminals_per_switch=1, duato:"));
  EXPECT_THAT(ran.errors, HasSubstr(" (3 cases)\n"));
  EXPECT_THAT(ran.output, HasSubstr("Next: faultline report"));
  const auto again = nlohmann::json::parse(
      run_program({"study", failing, "--results", (folder.path / "s.db").string(), "--json"}).output);
  EXPECT_EQ(again["failed"], 3);
  EXPECT_EQ(again["failures"].size(), 3U);
  EXPECT_EQ(again["interrupted"], false);
}

TEST(Study, SendsNobodyToAReportOfNothing) {
  const TemporaryFolder folder;
  const std::string failing =
      folder.file("s.toml",
                  "[[experiment]]\nverb = \"simulate\"\ntopology = \"torus:radix=4x4\"\nrouting = \"duato\"\n"
                  "switching = \"wormhole\"\nvcs = 2\nload = 0.1\ncycles = 500\n");
  const Outcome ran = run_program({"study", failing, "--results", (folder.path / "s.db").string()});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.output, HasSubstr("1 case, 0 already there, 0 computed, 1 failed"));
  EXPECT_THAT(ran.output, testing::Not(HasSubstr("Next:")));
}

/// As options of other verbs that a case does not use, which the command line refuses.
TEST(Study, MayGiveOptionsOfOneSwitchingModelToCasesOfBoth) {
  const TemporaryFolder folder;
  const std::string both = folder.file("s.toml",
                                       "[[experiment]]\nverb = \"simulate\"\ntopology = \"torus:radix=4x4\"\n"
                                       "switching = [\"vct\", \"wormhole\"]\nload = 0.1\ncycles = 500\n");
  const Outcome ran = run_program({"study", both, "--results", (folder.path / "s.db").string(), "--set",
                                   "buffer-flits=8", "--set", "buffer-packets=3"});
  EXPECT_EQ(ran.code, 0) << ran.errors;
  EXPECT_THAT(ran.output, HasSubstr("2 cases, 0 already there, 2 computed, 0 failed"));
}

TEST(Study, SetReplacesAnOption) {
  const StudyFolder folder;
  const Outcome outcome = run_program({"study", "s.toml", "--set", "seed=9", "--set", "load=0.1", "--json"},
                                      folder.path.string());
  EXPECT_EQ(nlohmann::json::parse(outcome.output)["computed"], 2U) << outcome.errors;
}

TEST(Study, AMatrixLiesBesideTheStudyAndCountsByItsContent) {
  const TemporaryFolder folder;
  const std::string file =
      folder.file("m.toml",
                  "[[experiment]]\nverb = \"simulate\"\ntopology = \"ruft:k=2,n=2\"\ntraffic = "
                  "\"matrix:file=w.csv\"\nload = 0.1\ncycles = 5000\n");
  const std::string results = (folder.path / "m.db").string();
  const auto computed = [&] {
    const Outcome outcome = run_program({"study", file, "--results", results, "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    return nlohmann::json::parse(outcome.output)["computed"].get<int>();
  };
  (void)folder.file("w.csv", "0,1,1,1\n1,0,1,1\n1,1,0,1\n1,1,1,0\n");
  EXPECT_EQ(computed(), 1);
  EXPECT_EQ(computed(), 0);
  (void)folder.file("w.csv", "0,1,0,0\n1,0,0,0\n0,0,0,1\n0,0,1,0\n");
  EXPECT_EQ(computed(), 1);
}

TEST(Study, FilesOfSeveralDescriptionsLieBesideTheStudy) {
  const TemporaryFolder folder;
  const std::string file =
      folder.file("m.toml",
                  "[[experiment]]\nverb = \"simulate\"\ntopology = \"ruft:k=2,n=2\"\ntraffic = "
                  "'uniform,matrix:file=v.csv,hot-spot:share=0.2,spots=2,matrix:file=w\\,1.csv'\n"
                  "load = 0.1\ncycles = 5000\n");
  (void)folder.file("v.csv", "0,1,1,1\n1,0,1,1\n1,1,0,1\n1,1,1,0\n");
  (void)folder.file("w,1.csv", "0,1,0,0\n1,0,0,0\n0,0,0,1\n0,0,1,0\n");
  const Outcome outcome =
      run_program({"study", file, "--results", (folder.path / "m.db").string(), "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(nlohmann::json::parse(outcome.output)["computed"], 4) << outcome.output;
}

TEST(Study, FaultsAndOutagesLieBesideTheStudyAndCountByTheirContent) {
  const TemporaryFolder folder;
  const std::string file =
      folder.file("f.toml",
                  "[[experiment]]\nverb = \"simulate\"\ntopology = \"fat-tree:k=2,n=2\"\nload = 0.1\n"
                  "cycles = 5000\nunit = \"link\"\nfaults = \"down.txt\"\nschedule = \"outages.csv\"\n");
  const std::string results = (folder.path / "f.db").string();
  const auto computed = [&] {
    const Outcome outcome = run_program({"study", file, "--results", results, "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    return nlohmann::json::parse(outcome.output)["computed"].get<int>();
  };
  (void)folder.file("down.txt", "s0.0[2] - s1.0[0]\n");
  (void)folder.file("outages.csv", "70,down,s1.1\n90,up,s1.1\n");
  EXPECT_EQ(computed(), 1);
  EXPECT_EQ(computed(), 0);
  (void)folder.file("down.txt", "s0.0[3] - s1.1[0]\n");
  EXPECT_EQ(computed(), 1);
  (void)folder.file("outages.csv", "70,down,s1.0\n90,up,s1.0\n");
  EXPECT_EQ(computed(), 1);
}

TEST(Study, SaysWhatToTypeNext) {
  const TemporaryFolder folder;
  (void)folder.file("one.toml", "[[experiment]]\nverb = \"topology\"\ntopology = \"mesh:radix=2x2\"\n");
  EXPECT_THAT(run_program({"study", "one.toml"}, folder.path).output,
              testing::HasSubstr("Next: faultline report one.db\n"));
  EXPECT_THAT(run_program({"study", "one.toml", "--results", "it's one.db"}, folder.path).output,
              testing::HasSubstr("Next: faultline report 'it'\\''s one.db'\n"));
}

TEST(Study, ADefaultRoutingIsRecordedAsIfItHadBeenNamed) {
  const TemporaryFolder folder;
  const std::string head =
      "[[experiment]]\nverb = \"simulate\"\ntopology = \"torus:radix=4x4\"\nload = 0.1\ncycles = 3000\n";
  write_file(folder.path / "s.toml", head + head + "routing = \"dimension-order\"\n", "test");
  ASSERT_EQ(run_program({"study", "s.toml"}, folder.path.string()).code, 0);
  const std::vector<Record> records = ResultsStore(folder.path / "s.db", ResultsStore::Mode::read).all();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].case_text, records[1].case_text);
}

TEST(Study, AnOptionThatIsAComponentMayBeATable) {
  const TemporaryFolder folder;
  const auto case_texts = [&](const std::string& name, const std::string& options) {
    const std::string file =
        folder.file(name + ".toml",
                    "[[experiment]]\nverb = \"simulate\"\ntopology = \"torus:radix=4x4\"\nload = 0.1\n"
                    "cycles = 5000\n" +
                        options);
    const std::string results = (folder.path / (name + ".db")).string();
    const Outcome outcome = run_program({"study", file, "--results", results, "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    std::set<std::string> texts;
    for (const Record& record : ResultsStore(results, ResultsStore::Mode::read).all())
      texts.insert(record.case_text);
    return texts;
  };
  const auto compact = case_texts("compact",
                                  "fault-process = [\"transient:rate=0.02,repair=50\", "
                                  "\"intermittent:duty=0.1,period=200,rate=0.01\"]\n"
                                  "traffic = \"hot-spot:share=0.2\"\n");
  const auto tables = case_texts("tables",
                                 "traffic = {kind = \"hot-spot\", share = 0.2}\n"
                                 "[[experiment.fault-process]]\nkind = \"transient\"\nrate = 0.02\n"
                                 "repair = 50\n"
                                 "[[experiment.fault-process]]\nkind = \"intermittent\"\nrate = 0.01\n"
                                 "duty = 0.1\nperiod = 200\n");
  EXPECT_EQ(compact.size(), 2U);
  EXPECT_EQ(tables, compact);
}

TEST(CommandLine, SearchesTheSaturationLoad) {
  const Outcome outcome =
      run_program({"simulate", "ruft", "k=2", "n=2", "--find-saturation", "--packet-flits", "16", "--traffic",
                   "hot-spot:share=0.5,spots=2", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto result = nlohmann::json::parse(outcome.output);
  EXPECT_LE(result["saturation"]["sustained_load"].get<double>(), result["saturation"]["load"].get<double>());
  EXPECT_EQ(result["saturation"]["throughput"], result["accepted"]);
  EXPECT_LE(result["accepted"].get<double>(), 1.1 * result["ideal_throughput"].get<double>());
}

TEST(CommandLine, JsonIsOneObjectOrOneList) {
  const Outcome one = run_program({"simulate", "ruft", "k=2", "n=2", "--load", "0.1", "--json"});
  ASSERT_EQ(one.code, 0) << one.errors;
  const auto result = nlohmann::json::parse(one.output);
  for (const char* key :
       {"offered", "accepted", "saturated", "deadlock", "generated", "delivered", "in_flight", "dropped",
        "latency", "hops_mean", "cycles", "packet_hops", "flit_hops", "seconds", "starvation"})
    EXPECT_TRUE(result.contains(key)) << key;
  const Outcome loaded = run_program({"simulate", "ruft", "k=2", "n=2", "--load", "0.1", "--channel-load",
                                      "--replications", "3", "--packet-flits", "8:0.5,128:0.5", "--json"});
  ASSERT_EQ(loaded.code, 0) << loaded.errors;
  const auto counted = nlohmann::json::parse(loaded.output);
  for (const char* key : {"mean", "max", "even_split_max", "busiest"})
    EXPECT_TRUE(counted["channel_load"].contains(key)) << key;
  EXPECT_EQ(counted["replications"].size(), 3U);
  EXPECT_NEAR(counted["channel_load"]["even_split_max"].get<double>(), 0.1, 1e-9);
  const Outcome list = run_program({"simulate", "ruft", "k=2", "n=2", "--load", "0.1..0.3:0.1", "--json"});
  EXPECT_EQ(nlohmann::json::parse(list.output).size(), 3U) << list.errors;
}

TEST(CommandLine, SimulateTakesFaultsInTimeAndTraces) {
  const TemporaryFolder folder;
  std::string outages = "70000,down,s1.1\n900000000,up,s1.1\n";  // packets wait for it
  for (int cycle = 2000; cycle < 20'000; cycle += 1000)
    outages += fmt::format("{0},down,s0.0[0] -> s1.0[0]\n{1},up,s0.0[0] -> s1.0[0]\n", cycle, cycle + 500);
  const std::string schedule = folder.file("faults.csv", outages);
  const std::vector<std::string> command{"simulate", "ruft",       "k=2",    "n=2",   "--load",
                                         "0.5",      "--schedule", schedule, "--json"};
  const Outcome waits = run_program(command);
  ASSERT_EQ(waits.code, 0) << waits.errors;
  const auto kept = nlohmann::json::parse(waits.output);
  EXPECT_EQ(kept["dropped"], 0);
  EXPECT_EQ(kept["deadlock"], false);
  std::vector<std::string> drops = command;
  drops.insert(drops.end(), {"--on-failure", "drop"});
  const auto dropped = nlohmann::json::parse(run_program(drops).output);
  EXPECT_GT(dropped["dropped_by_reason"].value("link_failed", 0), 0);
  EXPECT_EQ(
      dropped["generated"].get<int>(),
      dropped["delivered"].get<int>() + dropped["in_flight"].get<int>() + dropped["dropped"].get<int>());
  const std::string trace = folder.file("trace.csv", "0,0,3,8\n10,1,2,64\n");
  const Outcome traced =
      run_program({"simulate", "ruft", "k=2", "n=2", "--traffic", "trace:file=" + trace, "--json"});
  ASSERT_EQ(traced.code, 0) << traced.errors;
  const auto replayed = nlohmann::json::parse(traced.output);
  EXPECT_EQ(replayed["delivered"], 2);
  EXPECT_EQ(replayed["too_short"], false);
  EXPECT_NEAR(replayed["accepted"].get<double>(), 72 / (4 * replayed["cycles"].get<double>()), 1e-9);
  const Outcome both =
      run_program({"simulate", "ruft", "k=2", "n=2", "--traffic", "trace:file=" + trace, "--load", "0.1"});
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(both.errors, testing::HasSubstr("simulate.load"));
  const Outcome cut = run_program(
      {"simulate", "ruft", "k=2", "n=2", "--traffic", "trace:file=" + trace, "--interval-width", "0.1"});
  EXPECT_EQ(cut.code, 2);
  EXPECT_THAT(cut.errors, testing::HasSubstr("simulate.interval-width"));
  for (const auto& [option, value] :
       {std::pair{"packet-flits", "16"}, {"injection", "bursty"}, {"burst-packets", "4"}}) {
    const Outcome ignored = run_program({"simulate", "ruft", "k=2", "n=2", "--traffic", "trace:file=" + trace,
                                         std::string("--") + option, value});
    EXPECT_EQ(ignored.code, 2) << option;
    EXPECT_THAT(ignored.errors, testing::HasSubstr(std::string("simulate.") + option));
  }
  const std::string rubbish = folder.file("rubbish.csv", "1,down,nothing\n");
  const Outcome unknown =
      run_program({"simulate", "ruft", "k=2", "n=2", "--load", "0.1", "--schedule", rubbish});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.errors, testing::HasSubstr("rubbish.csv"));
}

/// "name(field, field)" of each, sorted.
template <class Kinds>
std::vector<std::string> described(const Kinds& kinds) {
  std::vector<std::string> all;
  for (const auto* kind : kinds) {
    std::string text = std::string(kind->info.name) + ":";
    for (const FieldInfo& field : kind->info.fields()) text += " " + std::string(field.name);
    all.push_back(std::move(text));
  }
  std::ranges::sort(all);
  return all;
}

TEST(CommandLine, ListNamesEveryKindWithItsFields) {
  const auto list = nlohmann::json::parse(run_program({"list", "--json"}).output);
  const std::string text = run_program({"list"}).output;
  const auto listed = [&](const char* key) {
    std::vector<std::string> all;
    for (const auto& kind : list.at(key)) {
      std::string one = kind["name"].template get<std::string>() + ":";
      EXPECT_THAT(text, testing::HasSubstr("  " + kind["name"].template get<std::string>()));
      EXPECT_NE(kind["summary"], "");
      for (const auto& field : kind["fields"]) {
        one += " " + field["name"].template get<std::string>();
        EXPECT_NE(field["help"], "") << one;
      }
      all.push_back(std::move(one));
    }
    std::ranges::sort(all);
    return all;
  };
  EXPECT_EQ(listed("topologies"), described(topology_kinds()));
  EXPECT_EQ(listed("routings"), described(routing_kinds()));
  EXPECT_EQ(listed("selections"), described(selection_kinds()));
  EXPECT_EQ(listed("agents"), described(agent_kinds()));
  EXPECT_EQ(listed("traffic"), described(pattern_kinds()));
  EXPECT_EQ(listed("fault_processes"), described(fault_process_kinds()));
  EXPECT_EQ(listed("verbs"), described(verb_kinds()));
}

}  // namespace
}  // namespace faultline
