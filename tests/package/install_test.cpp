// SPDX-License-Identifier: Apache-2.0
// Do the Debian packages serve other programs: the five examples, and a project that adds this one as a
// folder?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "cli/program.h"
#include "faultline/base/version.h"

namespace faultline {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// The Debian packages, unpacked, and what is built on them, once for all tests of this process.
class Installed : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    const Outcome packed = run({FAULTLINE_CPACK, "-G", "DEB", "--config",
                                FAULTLINE_BUILD_FOLDER "/CPackConfig.cmake", "-B", folder_->path.string()});
    ASSERT_EQ(packed.code, 0) << packed.output << packed.errors;
    for (const std::string& package : packages()) {
      const Outcome unpacked = run({"/usr/bin/dpkg-deb", "-x", package, (folder_->path / "root").string()});
      ASSERT_EQ(unpacked.code, 0) << unpacked.errors;
    }
    const Outcome configured = cmake({"-S", std::string(FAULTLINE_SOURCE_DIR) + "/examples", "-B", built(),
                                      "-DCMAKE_PREFIX_PATH=" + prefix()});
    ASSERT_EQ(configured.code, 0) << configured.errors;
    const Outcome compiled = cmake({"--build", built()});
    ASSERT_EQ(compiled.code, 0) << compiled.output << compiled.errors;
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }

  static Outcome run(const std::vector<std::string>& words) {
    return run_other_program(words.front(), {words.begin() + 1, words.end()}, folder_->path.string());
  }
  static Outcome cmake(const std::vector<std::string>& arguments) {
    return run_other_program(FAULTLINE_CMAKE, arguments, folder_->path.string());
  }
  static std::vector<std::string> packages() {
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(folder_->path))
      if (entry.path().extension() == ".deb") files.push_back(entry.path().string());
    return files;
  }
  static std::string prefix() { return (folder_->path / "root/usr").string(); }
  static std::string built() { return (folder_->path / "examples").string(); }
  static Outcome example(const std::string& name, const std::vector<std::string>& arguments = {}) {
    return run_other_program(built() + "/" + name, arguments, folder_->path.string());
  }

  static TemporaryFolder* folder_;
};
TemporaryFolder* Installed::folder_ = nullptr;

TEST_F(Installed, LintianIsSilentAboutThePackages) {
  std::vector<std::string> words{"/usr/bin/lintian", "--allow-root", "--fail-on", "error,warning"};
  ASSERT_EQ(packages().size(), 2U);
  for (const std::string& package : packages()) words.push_back(package);
  const Outcome outcome = run(words);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.output, "");
}

TEST_F(Installed, TheProgramBringsItsManualAndItsCompletion) {
  for (const char* file :
       {"bin/faultline-check", "share/man/man1/faultline.1.gz", "share/man/man1/faultline-check.1.gz",
        "share/bash-completion/completions/faultline", "share/zsh/vendor-completions/_faultline",
        "share/fish/vendor_completions.d/faultline.fish"})
    EXPECT_TRUE(fs::exists(fs::path(prefix()) / file)) << file;
}

TEST_F(Installed, UninstallLeavesNothing) {
  const fs::path own = folder_->path / "own";
  const Outcome installed = cmake({"--install", FAULTLINE_BUILD_FOLDER, "--prefix", own.string()});
  ASSERT_EQ(installed.code, 0) << installed.errors;
  ASSERT_TRUE(fs::exists(own / "bin/faultline"));
  const Outcome removed = cmake({"-DMANIFEST=" FAULTLINE_BUILD_FOLDER "/install_manifest.txt", "-P",
                                 FAULTLINE_SOURCE_DIR "/cmake/Uninstall.cmake"});
  ASSERT_EQ(removed.code, 0) << removed.errors;
  ASSERT_TRUE(fs::exists(own / "bin")) << "may hold programs of others";
  for (const auto& entry : fs::recursive_directory_iterator(own)) {
    EXPECT_TRUE(entry.is_directory()) << entry.path();
    EXPECT_NE(entry.path().filename(), "faultline") << entry.path();
  }
}

TEST_F(Installed, ATopologyOfOnesOwnIsProvedAndReadBackByTheProgram) {
  const Outcome outcome = example("own_topology");
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("20 terminals, 35 links"));
  EXPECT_THAT(outcome.output, HasSubstr("at most 3 switches"));
  const Outcome read = run_other_program(
      prefix() + "/bin/faultline", {"verify", "graph", "file=petersen.graphml"}, folder_->path.string());
  EXPECT_EQ(read.code, 0) << read.errors;
}

TEST_F(Installed, ARoutingOfOnesOwnIsVerified) {
  const Outcome outcome = example("own_routing");
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("without dateline: deadlock"));
  EXPECT_THAT(outcome.output, HasSubstr("with dateline: acyclic-dependencies"));
}

TEST_F(Installed, AResilienceStudyRuns) {
  const Outcome outcome = example("resilience_study");
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("torus:radix=8x8"));
}

TEST_F(Installed, ASimulationReportsItsProgress) {
  const Outcome outcome = example("simulation");
  EXPECT_EQ(outcome.code, 0) << outcome.output << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("load 0.3"));
}

TEST_F(Installed, AFabricIsReadAndABadOneRefused) {
  const std::string dump = std::string(FAULTLINE_SOURCE_DIR) + "/examples/data/small.ibnetdiscover";
  const Outcome outcome = example("read_fabric", {dump});
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("3 switches, 5 terminals, 3 cables"));
  EXPECT_THAT(outcome.output, HasSubstr("leaf 2[4] - spine[3] cuts 12 pairs off"));
  EXPECT_EQ(example("read_fabric", {"no-such-file"}).code, 2);
}

/// Random123 is headers alone, and no type of it stands in an interface: random.h calls it in one function.
TEST_F(Installed, NoPublicHeaderNamesAnotherLibraryButRandom123) {
  const std::regex include("#include [<\"]([^>\"]*)[>\"]");
  const fs::path headers = fs::path(prefix()) / "include";
  std::size_t examined = 0;
  for (const auto& entry : fs::recursive_directory_iterator(headers)) {
    if (!entry.is_regular_file()) continue;
    ++examined;
    const std::string file = fs::relative(entry.path(), headers).string();
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, include)) continue;
      const std::string name = match[1];
      const bool is_standard = name.find_first_of("/.") == std::string::npos;
      const bool is_installed = name.starts_with("faultline/") && fs::exists(headers / name);
      const bool is_random = file == "faultline/base/random.h" && name == "Random123/philox.h";
      EXPECT_TRUE(is_standard || is_installed || is_random) << file << ": " << line;
    }
  }
  EXPECT_GT(examined, 60U);
}

TEST_F(Installed, OneHeaderIncludesAllOthers) {
  std::ifstream stream(fs::path(prefix()) / "include/faultline/faultline.h");
  const std::string all{std::istreambuf_iterator<char>(stream), {}};
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(prefix()) / "include")) {
    const std::string name = fs::relative(entry.path(), fs::path(prefix()) / "include").string();
    if (!entry.is_regular_file() || name == "faultline/faultline.h") continue;
    EXPECT_THAT(all, HasSubstr("\"" + name + "\""));
  }
}

TEST_F(Installed, TheVersionOfThePackageIsThatOfTheLibrary) {
  const std::string project = (folder_->path / "version").string();
  fs::create_directories(project);
  write_file(project + "/CMakeLists.txt",
             "cmake_minimum_required(VERSION 3.25)\nproject(asks LANGUAGES CXX)\nfind_package(faultline " +
                 std::string(version) + " EXACT REQUIRED)\n",
             "test");
  EXPECT_EQ(cmake({"-S", project, "-B", project + "/b", "-DCMAKE_PREFIX_PATH=" + prefix()}).code, 0);
}

TEST_F(Installed, AProjectMayAddThisOneAsAFolder) {
  const std::string project = (folder_->path / "parent").string();
  fs::create_directories(project);
  write_file(
      project + "/CMakeLists.txt",
      "cmake_minimum_required(VERSION 3.25)\nproject(parent LANGUAGES CXX)\nadd_subdirectory(\"" +
          std::string(FAULTLINE_SOURCE_DIR) +
          "\" faultline)\nadd_executable(own main.cpp)\ntarget_link_libraries(own faultline::faultline)\n",
      "test");
  write_file(project + "/main.cpp", "int main() {}\n", "test");
  const Outcome configured = cmake({"-S", project, "-B", project + "/b"});
  ASSERT_EQ(configured.code, 0) << configured.errors;
  EXPECT_THAT(cmake({"--build", project + "/b", "--target", "help"}).output,
              testing::Not(HasSubstr("test_unit")));
  EXPECT_EQ(cmake({"--build", project + "/b", "--target", "faultline_base"}).code, 0);
}

}  // namespace
}  // namespace faultline
