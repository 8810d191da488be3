// SPDX-License-Identifier: Apache-2.0
// Does the program overwrite files that it must not, or read ones that have changed?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "faultline/base/file.h"
#include "faultline/results/store.h"
#include "program.h"

namespace faultline {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

const std::string small_study =
    "[[experiment]]\nverb = \"verify\"\ntopology = \"fat-tree:k=2,n=2\"\ncertificate = \"c.cert\"\n";

TEST(Outputs, AStudyKeepsItsFilesAndBringsThemBack) {
  const TemporaryFolder folder;
  (void)folder.file("s.toml", small_study +
                                  "[[experiment]]\nverb = \"verify\"\ntopology = \"ruft:k=2,n=2\"\n"
                                  "certificate = \"d.cert\"\n");
  const auto run = [&] {
    const Outcome outcome = run_program({"study", "s.toml", "--json"}, folder.path);
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    return nlohmann::json::parse(outcome.output);
  };
  const auto content = [&](const char* name) { return read_file(folder.path / name, "test"); };
  EXPECT_EQ(run()["computed"], 2);
  const std::string first = content("c.cert"), second = content("d.cert");
  EXPECT_NE(first, second);
  const ResultsStore store(folder.path / "s.db", ResultsStore::Mode::read);
  const std::vector<Record> records = store.all();
  const auto of_c = std::ranges::find_if(
      records, [](const Record& record) { return record.case_text.find("c.cert") != std::string::npos; });
  ASSERT_NE(of_c, records.end());
  const std::string& hash = of_c->hash;
  EXPECT_EQ(store.file_of(hash, (folder.path / "c.cert").string()), first);
  EXPECT_EQ(store.file_of(hash, (folder.path / "d.cert").string()), std::nullopt);

  fs::remove(folder.path / "c.cert");
  (void)folder.file("d.cert", "of something else");
  EXPECT_EQ(run()["already_there"], 2);
  EXPECT_EQ(content("c.cert"), first);
  EXPECT_EQ(content("d.cert"), second);
}

TEST(Outputs, WhatCannotBeBroughtBackIsSaid) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path / "kept");
  (void)folder.file("s.toml",
                    "[[experiment]]\nverb = \"verify\"\ntopology = \"ruft:k=2,n=2\"\n"
                    "certificate = \"kept/c.cert\"\n");
  ASSERT_EQ(run_program({"study", "s.toml"}, folder.path).code, 0);
  fs::remove_all(folder.path / "kept");
  const Outcome again = run_program({"study", "s.toml"}, folder.path);
  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.errors, HasSubstr("certificate"));
}

/// Nothing is left of what the case wrote: a copy that is not whole is none, and counts as a failure.
TEST(Outputs, ADamagedCopyIsNotBroughtBack) {
  const TemporaryFolder folder;
  (void)folder.file("s.toml", small_study);
  ASSERT_EQ(run_program({"study", "s.toml"}, folder.path).code, 0);
  const std::string content = read_file(folder.path / "c.cert", "test");
  std::string bytes = read_file(folder.path / "s.db", "test");
  const std::size_t kept = bytes.find(content.substr(0, 40));
  ASSERT_NE(kept, std::string::npos);
  bytes[kept] = '#';
  write_file(folder.path / "s.db", bytes, "test");
  EXPECT_EQ(run_program({"study", "s.toml"}, folder.path).code, 0) << "the file is still there";
  fs::remove(folder.path / "c.cert");
  const Outcome again = run_program({"study", "s.toml"}, folder.path);
  EXPECT_EQ(again.code, 1);
  EXPECT_THAT(again.errors, HasSubstr("no whole copy"));
}

/// What was computed is kept where only its file cannot be written; the next run writes that.
TEST(Outputs, AFileThatCannotBeWrittenLosesNoResult) {
  const TemporaryFolder folder;
  (void)folder.file("s.toml", small_study);
  fs::create_directory(folder.path / "c.cert");
  const Outcome first = run_program({"study", "s.toml"}, folder.path);
  EXPECT_EQ(first.code, 1);
  EXPECT_THAT(first.errors, HasSubstr("c.cert"));
  fs::remove(folder.path / "c.cert");
  const auto again = nlohmann::json::parse(run_program({"study", "s.toml", "--json"}, folder.path).output);
  EXPECT_EQ(again["already_there"], 1);
  EXPECT_TRUE(fs::is_regular_file(folder.path / "c.cert"));
}

/// One case would read what another has written, or what was there before, as they happen to be run.
TEST(Outputs, ACaseOverwritesNothingThatAnotherReads) {
  const std::string writes =
      "[[experiment]]\nverb = \"verify\"\ntopology = \"mesh:radix=3x3\"\nrelation-out = \"r\"\n";
  const std::string reads =
      "[[experiment]]\nverb = \"verify\"\ntopology = \"mesh:radix=3x3\"\nrouting = "
      "\"relation:file=./r\"\n";
  for (const std::string& study : {writes + reads, reads + writes}) {
    const TemporaryFolder folder;
    ASSERT_EQ(run_program({"verify", "mesh", "radix=3x3", "--relation-out", "r"}, folder.path).code, 0);
    const std::string before = read_file(folder.path / "r", "test");
    (void)folder.file("s.toml", study);
    const Outcome outcome = run_program({"study", "s.toml"}, folder.path);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("would overwrite a file that another case reads"));
    EXPECT_EQ(read_file(folder.path / "r", "test"), before);
  }
}

/// A run of this length would not end.
TEST(Outputs, AFolderThatDoesNotExistIsFoundBeforeTheWork) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_program({"simulate", "torus", "radix=16x16", "--load", "0.3", "--cycles", "500000000",
                   "--cpu-hours", "1000000", "--relation-out", "none/x.relation"},
                  folder.path);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("none/x.relation"));
}

/// A switch may be called "#1"; a fault of its link is no comment.
TEST(Inputs, ANameThatBeginsLikeACommentIsAName) {
  const TemporaryFolder folder;
  (void)folder.file("net", "\"#1\" b\nb c\nc \"#1\"\n");
  (void)folder.file("down", "# a comment\n#1[0] - b[0]\n");
  const Outcome outcome = run_program(
      {"verify", "graph", "file=net", "--unit", "link", "--faults", "down", "--json"}, folder.path);
  EXPECT_THAT(outcome.output, HasSubstr("\"#1[0] - b[0]\""));
}

/// A list that came out empty by mistake would look like a proof.
TEST(Inputs, AFileThatNamesNoFaultsIsRemarkedOn) {
  const TemporaryFolder folder;
  (void)folder.file("net", "a b\nb c\nc a\n");
  (void)folder.file("none", "# a comment\n\n");
  for (const std::vector<std::string>& asked :
       {std::vector<std::string>{"verify", "graph", "file=net"},
        {"simulate", "graph", "file=net", "--load", "0.1", "--cycles", "1000"}})
    for (const bool has_file : {true, false}) {
      std::vector<std::string> words = asked;
      if (has_file) words.insert(words.end(), {"--unit", "link", "--faults", "none"});
      const Outcome outcome = run_program(words, folder.path);
      EXPECT_EQ(outcome.code, 0) << outcome.errors;
      EXPECT_EQ(outcome.output.find("none names no link: nothing has failed") != std::string::npos, has_file)
          << outcome.output;
    }
}

/// Names as they are printed, with blanks at their ends; those of others may be written with some around
/// them.
TEST(Inputs, NamesMayHaveBlanksAtTheirEnds) {
  const TemporaryFolder folder;
  (void)folder.file("net", "\"#a \" b\nb \" b\"\n\" b\" \"#a \"\n");
  for (const auto& [line, name] :
       {std::pair{"#a ", "#a "}, {" b", " b"}, {"b", "b"}, {"b  \r", "b"}, {"#a x\nb", "b"}}) {
    (void)folder.file("down", std::string(line) + "\n");
    const Outcome outcome = run_program(
        {"verify", "graph", "file=net", "--unit", "switch", "--faults", "down", "--json"}, folder.path);
    EXPECT_THAT(outcome.output, HasSubstr("\"" + std::string(name) + "\"")) << outcome.errors;
    (void)folder.file("schedule", "9,down," + std::string(line) + "\n");
    if (std::string_view(line).find('x') == std::string_view::npos) {
      EXPECT_EQ(run_program({"simulate", "graph", "file=net", "--load", "0.1", "--schedule", "schedule"},
                            folder.path)
                    .code,
                0)
          << line;
    }
  }
}

/// The results file of a paper among its outputs.
TEST(Outputs, ResultsAreNeverReplacedByVerdicts) {
  const TemporaryFolder folder;
  for (const auto& option : {std::vector<std::string>{"--table", "p.db"}, {"--report", "--output", "p.db"}}) {
    std::vector<std::string> words{"reproduce", "3-mikant", "--stored", "--results", "p.db"};
    words.insert(words.end(), option.begin(), option.end());
    EXPECT_EQ(run_program(words, folder.path).code, 2);
    EXPECT_FALSE(fs::exists(folder.path / "p.db"));
  }
}

TEST(Outputs, AnInputIsNeverReplaced) {
  const TemporaryFolder folder;
  const std::string down = folder.file("down.txt", "s0.0[2] -> s1.0[0]\n");
  fs::create_symlink("down.txt", folder.path / "link");
  for (const char* output : {"down.txt", "./down.txt", "link"}) {
    const Outcome outcome = run_program(
        {"verify", "fat-tree", "k=2", "n=2", "--faults", "down.txt", "--certificate", output}, folder.path);
    EXPECT_EQ(outcome.code, 2) << output;
    EXPECT_THAT(outcome.errors, HasSubstr("would overwrite a file that is also read"));
  }
  EXPECT_EQ(read_file(down, "test"), "s0.0[2] -> s1.0[0]\n");
}

TEST(Outputs, OfOneCommandAreFilesOfTheirOwn) {
  const TemporaryFolder folder;
  fs::create_symlink("new", folder.path / "link");
  for (const char* other : {"new", "./new", "link", "sub/../new"}) {
    const Outcome verified = run_program(
        {"verify", "ruft", "k=2", "n=2", "--certificate", "new", "--relation-out", other}, folder.path);
    EXPECT_EQ(verified.code, 2) << other;
    EXPECT_THAT(verified.errors, HasSubstr("would be written twice"));
    EXPECT_FALSE(fs::exists(folder.path / "new"));
  }
  const Outcome design = run_program({"design", "switches", "--terminals", "8", "--ports", "6", "--steps",
                                      "0", "--certificate", "d", "--attachment", "./d"},
                                     folder.path);
  EXPECT_EQ(design.code, 2);
  EXPECT_THAT(design.errors, HasSubstr("would be written twice"));
}

TEST(Outputs, OfARelationSayWhatTheFileLacks) {
  const TemporaryFolder folder;
  const auto remarks = [&](const std::string& verb, const std::string& routing) {
    const Outcome outcome = run_program(
        {verb, "torus", "radix=4x4", "--routing", routing, "--relation-out", "r", "--json"}, folder.path);
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    return nlohmann::json::parse(outcome.output).value("remarks", nlohmann::json::array()).dump();
  };
  EXPECT_EQ(remarks("verify", "duato"), "[]");
  EXPECT_THAT(remarks("verify", "ugal"),
              AllOf(HasSubstr("add --selection ugal where"), HasSubstr("lengths of paths")));
  EXPECT_THAT(remarks("verify", "ft-drb"),
              AllOf(HasSubstr("--agent ft-drb --knowledge neighbours"), HasSubstr("sends them again")));
}

TEST(Outputs, ANetworkWrittenAsAGraphIsReadAgain) {
  const TemporaryFolder folder;
  const Outcome asked = run_program({"topology", "torus", "radix=4x3", "--json"}, folder.path);
  const auto figures = nlohmann::json::parse(asked.output);
  for (const std::string format : {"graphml", "json", "edges", "dot"}) {
    SCOPED_TRACE(format);
    const Outcome written =
        run_program({"topology", "torus", "radix=4x3", "--export", format, "-o", "net"}, folder.path);
    EXPECT_EQ(written.code, 0) << written.errors;
    const Outcome printed = run_program({"topology", "torus", "radix=4x3", "--export", format}, folder.path);
    EXPECT_EQ(read_file(folder.path / "net", "test"), printed.output);
    const Outcome read = run_program({"topology", "graph", "file=net", "--json"}, folder.path);
    ASSERT_EQ(read.code, 0) << read.errors;
    const auto again = nlohmann::json::parse(read.output);
    for (const char* key : {"terminals", "switches", "channels", "links", "switch_radix", "diameter",
                            "average_distance", "bisection"})
      EXPECT_EQ(again.at(key), figures.at(key)) << key;
    const Outcome kept =
        run_program({"topology", "graph", "file=net", "--export", format, "-o", "./net"}, folder.path);
    EXPECT_EQ(kept.code, 2) << "the input was replaced";
  }
  const Outcome only =
      run_program({"topology", "torus", "radix=4x3", "--export", "dot", "--switch", "1"}, folder.path);
  EXPECT_EQ(only.code, 2);
  EXPECT_THAT(only.errors, HasSubstr("topology.switch"));
}

TEST(Outputs, OfExportsAndDrawingsReplaceNoInput) {
  const TemporaryFolder folder;
  const std::string rooms = "switch,1,2\nswitch,1,3\nswitch,2,2\n", attached = "0,1\n1,2\n2,0\n";
  (void)folder.file("room.csv", rooms);
  (void)folder.file("a.csv", attached);
  for (const char* drawing : {"room.csv", "./a.csv"}) {
    const Outcome outcome = run_program({"design", "layout", "switch-ring", "n=3", "attachment=file",
                                         "file=a.csv", "--room", "room.csv", "--drawing", drawing},
                                        folder.path);
    EXPECT_EQ(outcome.code, 2) << drawing;
    EXPECT_THAT(outcome.errors, HasSubstr("would overwrite a file that is also read"));
  }
  EXPECT_EQ(read_file(folder.path / "room.csv", "test"), rooms);
  EXPECT_EQ(read_file(folder.path / "a.csv", "test"), attached);
  const Outcome exported = run_program({"topology", "switch-ring", "n=3", "attachment=file", "file=a.csv",
                                        "--export", "fir", "--output", "a.csv"},
                                       folder.path);
  EXPECT_EQ(exported.code, 2);
  EXPECT_THAT(exported.errors, HasSubstr("would overwrite a file that is also read"));
  const Outcome nothing = run_program({"topology", "torus", "radix=3x3", "--output", "x"}, folder.path);
  EXPECT_EQ(nothing.code, 2);
  EXPECT_THAT(nothing.errors, HasSubstr("topology.output = 'x': needs an export"));
}

TEST(Outputs, ResultsAreAlwaysInAFile) {
  const TemporaryFolder folder;
  (void)folder.file("s.toml", small_study);
  const Outcome outcome = run_program({"study", "s.toml", "--results", ":memory:"}, folder.path);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(ResultsStore(folder.path / ":memory:", ResultsStore::Mode::read).all().size(), 1U);
  for (const char* special : {"/dev/null", "."})
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"study", "s.toml", "--results", special}, {"report", special}}) {
      const Outcome refused = run_program(words, folder.path);
      EXPECT_EQ(refused.code, 2) << special;
      EXPECT_THAT(refused.errors, HasSubstr("is a folder, a device or a pipe"));
    }
}

TEST(Outputs, AReportNeverReplacesTheResults) {
  const TemporaryFolder folder;
  (void)folder.file("s.toml", small_study);
  ASSERT_EQ(run_program({"study", "s.toml"}, folder.path).code, 0);
  fs::create_symlink("s.db", folder.path / "page.html");
  for (const char* output : {"s.db", "page.html"}) {
    const Outcome outcome = run_program({"report", "s.db", "-o", output}, folder.path);
    EXPECT_EQ(outcome.code, 2) << output;
    EXPECT_THAT(outcome.errors, HasSubstr("would replace the results file"));
  }
  EXPECT_EQ(ResultsStore(folder.path / "s.db", ResultsStore::Mode::read).all().size(), 1U);
}

TEST(Outputs, OfAStudyLieBesideItAndNeverReplaceIt) {
  const TemporaryFolder folder, elsewhere;
  const std::string study = folder.file("s.toml", small_study);
  const std::string results = (folder.path / "r.db").string();
  Outcome outcome = run_program({"study", study, "--results", results}, elsewhere.path);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_TRUE(fs::exists(folder.path / "c.cert"));
  outcome = run_program({"study", study, "--results", results, "--set", "certificate=" + study});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("is the study"));
  outcome = run_program({"study", study, "--results", results, "--set", "certificate=" + results});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("is the results file"));
  EXPECT_EQ(ResultsStore(results, ResultsStore::Mode::read).all().size(), 1U);
}

TEST(Outputs, TwoCasesNeverWriteOneFile) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_program({"verify", "fat-tree", "k=2,4", "n=2", "--certificate", "c.cert"}, folder.path);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("two cases"));
  EXPECT_FALSE(fs::exists(folder.path / "c.cert"));
}

TEST(FileNames, MayHoldCommasAndMore) {
  for (const std::string name : {"a,b.cert", "1..3", "a=b,c:d.cert", "x;y z", "ä\xff.cert"}) {
    const TemporaryFolder folder;
    const Outcome outcome =
        run_program({"verify", "fat-tree", "k=2", "n=2", "--certificate", name, "--json"}, folder.path);
    EXPECT_EQ(outcome.code, 0) << name << outcome.errors;
    EXPECT_TRUE(fs::exists(folder.path / name)) << name;
    EXPECT_TRUE(nlohmann::json::parse(outcome.output)["holds"].get<bool>());
  }
  const TemporaryFolder folder;
  (void)folder.file("down,1.txt", "s0.0[2] -> s1.0[0]\n");
  (void)folder.file("w,1.csv", "0,1,1,1\n1,0,1,1\n1,1,0,1\n1,1,1,0\n");
  Outcome outcome = run_program({"simulate", "fat-tree", "k=2", "n=2", "--load", "0.1", "--cycles", "3000",
                                 "--faults", "down,1.txt", "--traffic", "matrix:file=w\\,1.csv", "--json"},
                                folder.path);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  const auto inputs = nlohmann::json::parse(outcome.output)["inputs"];
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_EQ(inputs[0]["file"], "down,1.txt");
  EXPECT_EQ(inputs[1]["file"], "w,1.csv");
  EXPECT_EQ(inputs[1]["hash"], content_hash(read_file(folder.path / "w,1.csv", "test")));
}

TEST(Inputs, ThatChangeWhileAStudyRunsAreThoseOfItsBeginning) {
  const TemporaryFolder folder;
  const std::string before = "0,1,1,1\n1,0,1,1\n1,1,0,1\n1,1,1,0\n",
                    after = "0,1,0,0\n1,0,0,0\n0,0,0,1\n0,0,1,0\n";
  (void)folder.file("w.csv", before);
  (void)folder.file("s.toml",
                    "[[experiment]]\nverb = \"simulate\"\ntopology = \"ruft:k=2,n=2\"\nload = 0.5\n"
                    "traffic = \"matrix:file=w.csv\"\ncycles = 300000\nseed = \"1..20\"\n");
  Running study({"study", "s.toml", "--jobs", "1"}, folder.path);
  const auto records = [&] {
    return fs::exists(folder.path / "s.db")
               ? ResultsStore(folder.path / "s.db", ResultsStore::Mode::read_write).all()
               : std::vector<Record>{};
  };
  while (records().empty()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  (void)folder.file("w.csv", after);
  const std::size_t early = records().size();
  ASSERT_EQ(study.finish().code, 0);
  const auto all = records();
  ASSERT_EQ(all.size(), 20U);
  EXPECT_LT(early, 20U);
  for (const Record& record : all)
    EXPECT_EQ(nlohmann::json::parse(record.result_text)["inputs"][0]["hash"], content_hash(before));
  // The same study over what the file holds now is another one.
  const Outcome again = run_program({"study", "s.toml", "--json"}, folder.path);
  EXPECT_EQ(nlohmann::json::parse(again.output)["computed"], 20);
}

}  // namespace
}  // namespace faultline
