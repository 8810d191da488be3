// SPDX-License-Identifier: Apache-2.0
// Does a new verb, topology, routing, selection function, source agent, traffic pattern, fault process or
// report section take one file? A copy of the source tree receives those of tests/package/added, nothing in
// it is edited, and each must work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/program.h"

namespace faultline {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path original = FAULTLINE_SOURCE_DIR;
const fs::path added = original / "tests/package/added";

/// The copy and its program, once for all tests of this process. Object files of unchanged sources are reused
/// from the original build.
class OneFile : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    fs::create_directory(tree());
    for (const char* part : {"CMakeLists.txt", "apps", "bench", "checker", "cmake", "fuzz", "include",
                             "packaging", "src", "studies", "tests"})
      fs::copy(original / part, tree() / part, fs::copy_options::recursive);
    fs::create_directory(tree() / "web");
    for (const auto& part : fs::directory_iterator(original / "web"))
      if (part.path().filename() != "node_modules")
        fs::copy(part, tree() / "web" / part.path().filename(), fs::copy_options::recursive);
    for (const std::string& file : added_files()) {
      ASSERT_FALSE(fs::exists(tree() / file)) << file << " would be an edit";
      fs::create_directories((tree() / file).parent_path());
      fs::copy(added / file, tree() / file);
    }
    ::setenv("COPY_SOURCE", tree().c_str(), 1);
    ::setenv("COPY_BUILD", build().c_str(), 1);
    ::setenv("ORIGINAL_SOURCE", FAULTLINE_SOURCE_DIR, 1);
    ::setenv("ORIGINAL_BUILD", FAULTLINE_BUILD_FOLDER, 1);
    const Outcome configured =
        cmake({"-G", "Ninja", "-S", tree(), "-B", build(), "-DCMAKE_BUILD_TYPE=" FAULTLINE_BUILD_TYPE,
               "-DFAULTLINE_SANITIZE=" FAULTLINE_SANITIZED,
               "-DFAULTLINE_NODE_MODULES=" FAULTLINE_BUILD_FOLDER "/web/node_modules",
               "-DCMAKE_UNITY_BUILD=" FAULTLINE_UNITY_BUILD,
               "-DCMAKE_UNITY_BUILD_BATCH_SIZE=" FAULTLINE_UNITY_BATCH,
               "-DCMAKE_CXX_COMPILER_LAUNCHER=" FAULTLINE_SOURCE_DIR "/tests/package/reuse_objects.sh",
               "-DCMAKE_CUDA_COMPILER_LAUNCHER=" FAULTLINE_SOURCE_DIR "/tests/package/reuse_objects.sh"});
    ASSERT_EQ(configured.code, 0) << configured.errors;
    const Outcome compiled = cmake({"--build", build(), "--target", "faultline"});
    ASSERT_EQ(compiled.code, 0) << compiled.output << compiled.errors;
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  static Outcome cmake(const std::vector<std::string>& arguments) {
    return run_other_program(FAULTLINE_CMAKE, arguments, folder_->path.string());
  }
  static fs::path tree() { return folder_->path / "tree"; }
  static std::string build() { return (folder_->path / "build").string(); }
  /// Of tests/package/added, relative to it.
  static std::vector<std::string> added_files() {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(added))
      if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), added).string());
    return files;
  }
  static Outcome run(const std::vector<std::string>& arguments) {
    return run_other_program(build() + "/bin/faultline", arguments, folder_->path.string());
  }

  static TemporaryFolder* folder_;
};
TemporaryFolder* OneFile::folder_ = nullptr;

TEST_F(OneFile, NothingButTheAddedFilesAndTheirCataloguesIsCompiled) {
  std::set<std::string> expected;
  for (const std::string& file : added_files())
    if (file.ends_with(".cpp")) expected.insert((tree() / file).string());
  std::set<std::string> catalogues;
  std::ifstream stream(build() + "/compiled");
  for (std::string line; std::getline(stream, line);)
    if (expected.erase(line) == 0) catalogues.insert(fs::path(line).filename().string());
  EXPECT_THAT(expected, testing::IsEmpty());
  EXPECT_EQ(catalogues,
            (std::set<std::string>{"agent_kinds.cpp", "commands.cpp", "fault_process_kinds.cpp",
                                   "pattern_kinds.cpp", "routing_kinds.cpp", "selection_kinds.cpp",
                                   "topology_kinds.cpp", "verb_kinds.cpp"}));
}

TEST_F(OneFile, ATopologyAndItsRoutingAreProved) {
  const Outcome outcome = run({"verify", "line", "switches=5", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto verdict = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(verdict["max_hops"], 5);
  EXPECT_EQ(verdict["holds"], true);
}

TEST_F(OneFile, ARoutingASelectionAndAPatternAreSimulated) {
  const Outcome outcome = run({"simulate", "line", "switches=4", "--routing", "along-line", "--traffic",
                               "to-first", "--selection", "last-named", "--load", "0.1", "--cycles", "20000",
                               "--packet-flits", "8", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto result = nlohmann::json::parse(outcome.output);
  EXPECT_GT(result["delivered"], 0);
  EXPECT_NEAR(result["hops_mean"].get<double>(), 3, 0.3);  // from 2, 3 and 4 switches
}

/// In the middle of a line, the link that fails is the only way to the terminal that all send to.
TEST_F(OneFile, AnAgentAndAFaultProcessAreSimulated) {
  const Outcome outcome =
      run({"simulate", "line", "switches=4", "--traffic", "to-first", "--agent", "in-turn", "--fault-process",
           "first-link:at=10000", "--load", "0.1", "--cycles", "20000", "--packet-flits", "8", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto result = nlohmann::json::parse(outcome.output);
  EXPECT_NEAR(result["delivered"].get<double>() / result["generated"].get<double>(), 0.5, 0.05);
  EXPECT_EQ(
      run({"simulate", "line", "switches=4", "--load", "0.1", "--fault-process", "first-link:on=1"}).code, 2);
}

TEST_F(OneFile, AQuestionHasItsOptionsItsTextAndItsFile) {
  EXPECT_THAT(run({"census", "--help"}).output, HasSubstr("--factor"));
  EXPECT_EQ(run({"census", "line", "switches=4", "--factor", "3"}).output, "line:switches=4: 12 counted\n");
  const Outcome outcome = run({"census", "line", "switches=4", "-o", "count", "--json"});
  EXPECT_EQ(nlohmann::json::parse(outcome.output)["census"], 4);
  EXPECT_EQ(read_file(folder_->path / "count", "test"), "4\n");
}

TEST_F(OneFile, AQuestionIsAStudysVerbAndItsSectionIsOnThePage) {
  (void)folder_->file("t.toml",
                      "[[experiment]]\nverb = \"census\"\ntopology = {kind = \"line\", switches = [3, 4]}\n");
  ASSERT_EQ(run({"study", "t.toml"}).code, 0);
  ASSERT_EQ(run({"report", "t.db"}).code, 0);
  const std::string page = read_file(folder_->path / "t.html", "test");
  EXPECT_THAT(page, HasSubstr("Census of terminals"));
  EXPECT_THAT(page, HasSubstr("line:switches=4"));
}

TEST_F(OneFile, AVerbThatAsksNothingIsACommand) {
  EXPECT_EQ(run({"census-help", "all"}).output, "census: all\n");
  EXPECT_EQ(run({"census-help"}).code, 2);
}

TEST_F(OneFile, EveryAddedComponentIsListed) {
  const auto list = nlohmann::json::parse(run({"list", "--json"}).output);
  const auto names = [&](const char* key) {
    std::set<std::string> all;
    for (const auto& kind : list.at(key)) all.insert(kind["name"].template get<std::string>());
    return all;
  };
  EXPECT_THAT(names("topologies"), testing::Contains("line"));
  EXPECT_THAT(names("routings"), testing::Contains("along-line"));
  EXPECT_THAT(names("selections"), testing::Contains("last-named"));
  EXPECT_THAT(names("agents"), testing::Contains("in-turn"));
  EXPECT_THAT(names("traffic"), testing::Contains("to-first"));
  EXPECT_THAT(names("fault_processes"), testing::Contains("first-link"));
  EXPECT_THAT(names("verbs"), testing::Contains("census"));
}

/// Of two files that are compiled as one: the object is taken from the original only if neither was changed.
TEST(ReuseObjects, OfSeveralFilesOnlyIfAllAreTheSame) {
  const TemporaryFolder folder;
  const std::string copy = (folder.path / "copy").string(), first = (folder.path / "original").string();
  for (const std::string& tree : {copy, first}) {
    fs::create_directories(tree + "/build/Unity");
    write_file(tree + "/build/Unity/both.cxx",
               "#include \"" + tree + "/a.cpp\"\n\n#include \"" + tree + "/b.cpp\"\n", "test");
    for (const char* name : {"/a.cpp", "/b.cpp"}) write_file(tree + name, "", "test");
  }
  write_file(first + "/build/both.o", "of the original", "test");
  ::setenv("COPY_SOURCE", copy.c_str(), 1);
  ::setenv("COPY_BUILD", (copy + "/build").c_str(), 1);
  ::setenv("ORIGINAL_SOURCE", first.c_str(), 1);
  ::setenv("ORIGINAL_BUILD", (first + "/build").c_str(), 1);
  const auto is_compiled = [&] {
    write_file(copy + "/build/compiled", "", "test");
    EXPECT_EQ(run_other_program(FAULTLINE_SOURCE_DIR "/tests/package/reuse_objects.sh",
                                {"/bin/true", "-c", copy + "/build/Unity/both.cxx", "-o", "both.o"},
                                copy + "/build")
                  .code,
              0);
    return !read_file(copy + "/build/compiled", "test").empty();
  };
  EXPECT_FALSE(is_compiled());
  EXPECT_EQ(read_file(copy + "/build/both.o", "test"), "of the original");
  write_file(copy + "/b.cpp", "int changed;\n", "test");
  EXPECT_TRUE(is_compiled());
}

}  // namespace
}  // namespace faultline
