// SPDX-License-Identifier: Apache-2.0
// Do the Debian packages serve other programs: the six examples, with the shared library and the static one?
// Do projects that add this one as a folder, or fetch it, get what they need?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

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
  /// A program `own` from examples/SOURCE, built against `provides`.
  static void write_project(const std::string& project, const std::string& provides,
                            const std::string& source) {
    fs::create_directories(project);
    write_file(project + "/CMakeLists.txt",
               "cmake_minimum_required(VERSION 3.25)\nproject(parent LANGUAGES CXX)\n" + provides +
                   "\nadd_executable(own " FAULTLINE_SOURCE_DIR "/examples/" + source +
                   ")\ntarget_link_libraries(own PRIVATE faultline::faultline)\n",
               "test");
  }
  /// "0.1", which the name of the shared library ends with.
  static std::string soversion() { return std::string(version).substr(0, version.rfind('.')); }
  static std::string shared_library() {
    for (const auto& entry : fs::recursive_directory_iterator(prefix() + "/lib"))
      if (entry.path().filename() == "libfaultline.so." + soversion()) return entry.path().string();
    return "no libfaultline.so." + soversion();
  }
  /// Of a program, as the linker wrote them.
  static std::string needed_libraries(const std::string& program) {
    return run({"/usr/bin/objdump", "-p", program}).output;
  }
  static Outcome example(const std::string& name, const std::vector<std::string>& arguments = {}) {
    return run_other_program(built() + "/" + name, arguments, folder_->path.string());
  }

  static TemporaryFolder* folder_;
};
TemporaryFolder* Installed::folder_ = nullptr;

TEST_F(Installed, LintianIsSilentAboutThePackages) {
  std::vector<std::string> words{"/usr/bin/lintian", "--allow-root", "--fail-on", "error,warning"};
  ASSERT_EQ(packages().size(), 3U);
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
  EXPECT_TRUE(fs::exists(own / "share/zsh/site-functions/_faultline")) << "where zsh looks below /usr/local";
  const Outcome removed = cmake({"-DMANIFEST=" FAULTLINE_BUILD_FOLDER "/install_manifest.txt", "-P",
                                 FAULTLINE_SOURCE_DIR "/cmake/Uninstall.cmake"});
  ASSERT_EQ(removed.code, 0) << removed.errors;
  ASSERT_TRUE(fs::exists(own / "bin")) << "may hold programs of others";
  for (const auto& entry : fs::recursive_directory_iterator(own)) {
    EXPECT_TRUE(entry.is_directory()) << entry.path();
    EXPECT_NE(entry.path().filename(), "faultline") << entry.path();
  }
}

/// A folder, which is not removed as a file, stands for one that may not be removed.
TEST_F(Installed, UninstallSaysWhatItCouldNotRemoveAndKeepsItsList) {
  const std::string folder = (folder_->path / "kept").string();
  fs::create_directories(folder);
  const std::string manifest = folder_->file("kept_manifest.txt", folder + "\n");
  const Outcome removed =
      cmake({"-DMANIFEST=" + manifest, "-P", FAULTLINE_SOURCE_DIR "/cmake/Uninstall.cmake"});
  EXPECT_NE(removed.code, 0);
  EXPECT_THAT(removed.errors, HasSubstr(folder));
  EXPECT_TRUE(fs::exists(manifest));
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

TEST_F(Installed, TrafficOfOnesOwnIsBoundedAndSimulated) {
  const Outcome outcome = example("own_traffic");
  EXPECT_EQ(outcome.code, 0) << outcome.output << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("allow 0.142857 flits")) << "7 clients send to each server";
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

/// The choice of engine depends on the address of a function of the library, which must be the same in the
/// program.
TEST_F(Installed, TheSharedAndTheStaticLibraryAnswerAlike) {
  const std::string project = (folder_->path / "static").string();
  write_project(project, "find_package(faultline REQUIRED COMPONENTS static)", "simulation.cpp");
  ASSERT_EQ(cmake({"-S", project, "-B", project + "/b", "-DCMAKE_PREFIX_PATH=" + prefix()}).code, 0);
  const Outcome compiled = cmake({"--build", project + "/b"});
  ASSERT_EQ(compiled.code, 0) << compiled.output << compiled.errors;
  const Outcome with_static = run({project + "/b/own"}), with_shared = example("simulation");
  EXPECT_THAT(needed_libraries(project + "/b/own"), testing::Not(HasSubstr("libfaultline")));
  EXPECT_THAT(needed_libraries(built() + "/simulation"), HasSubstr("libfaultline.so." + soversion()));
  EXPECT_EQ(with_static.code, 0) << with_static.errors;
  EXPECT_EQ(with_static.output, with_shared.output);
}

/// Exactly what public headers declare; a header without the pragma exports nothing (tests/tidy), so that the
/// examples would not link.
TEST_F(Installed, TheSharedLibraryExportsWhatPublicHeadersName) {
  std::set<std::string> words;
  const std::regex word("\\w+");
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(prefix()) / "include"))
    if (entry.is_regular_file()) {
      const std::string text = read_file(entry.path(), "test");
      for (std::sregex_iterator match(text.begin(), text.end(), word), end; match != end; ++match)
        words.insert(match->str());
    }
  const std::regex ours("faultline::(?:(?:formats|infiniband|detail)::)?(~?\\w+).*@@FAULTLINE_" +
                        soversion());
  std::istringstream symbols(run({"/usr/bin/nm", "-DC", "--defined-only", shared_library()}).output);
  std::size_t examined = 0;
  for (std::string line; std::getline(symbols, line);) {
    if (line.ends_with(" A FAULTLINE_" + soversion())) continue;
    std::smatch match;
    ASSERT_TRUE(std::regex_search(line, match, ours)) << line;
    EXPECT_TRUE(words.contains(match[1])) << line;
    ++examined;
  }
  EXPECT_GT(examined, 300U);
}

TEST_F(Installed, PublicHeadersIncludeNoOtherLibrary) {
  const std::regex include("#include [<\"]([^>\"]*)[>\"]");
  const fs::path headers = fs::path(prefix()) / "include";
  std::size_t examined = 0;
  for (const auto& entry : fs::recursive_directory_iterator(headers)) {
    if (!entry.is_regular_file()) continue;
    ++examined;
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, include)) continue;
      const std::string name = match[1];
      const bool is_standard = name.find_first_of("/.") == std::string::npos;
      const bool is_installed = name.starts_with("faultline/") && fs::exists(headers / name);
      EXPECT_TRUE(is_standard || is_installed) << entry.path() << ": " << line;
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

/// Nothing is built or installed that the project does not request, and its own targets are not affected.
TEST_F(Installed, AProjectMayAddThisOneAsAFolder) {
  const std::string project = (folder_->path / "parent").string();
  write_project(project, R"(
function(settings result)
  foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS INCLUDE_DIRECTORIES LINK_OPTIONS LINK_LIBRARIES)
    get_directory_property(value ${property})
    list(APPEND all "${property}=${value}")
  endforeach()
  foreach(variable CMAKE_CXX_FLAGS CMAKE_CXX_STANDARD CMAKE_POSITION_INDEPENDENT_CODE CMAKE_CXX_VISIBILITY_PRESET
                   CMAKE_RUNTIME_OUTPUT_DIRECTORY CMAKE_CXX_COMPILER_LAUNCHER BUILD_TESTING BUILD_SHARED_LIBS)
    list(APPEND all "${variable}=${${variable}}")
  endforeach()
  set(${result} "${all}" PARENT_SCOPE)
endfunction()
settings(before)
add_subdirectory()" FAULTLINE_SOURCE_DIR R"( faultline)
settings(after)
if(NOT before STREQUAL after)
  message(FATAL_ERROR "${before} became ${after}")
endif()
)",
                "own_routing.cpp");
  const Outcome configured = cmake({"-G", "Ninja", "-S", project, "-B", project + "/b"});
  ASSERT_EQ(configured.code, 0) << configured.errors;
  EXPECT_THAT(cmake({"--build", project + "/b", "--target", "help"}).output,
              testing::Not(HasSubstr("test_unit")));
  const Outcome compiled = cmake({"--build", project + "/b", "--target", "faultline_base"});
  EXPECT_EQ(compiled.code, 0) << compiled.output;
  (void)cmake({"--install", project + "/b", "--prefix", project + "/installed"});
  EXPECT_FALSE(fs::exists(project + "/installed"));
}

/// Links the shared library and runs, and installs what is requested.
TEST_F(Installed, AProjectMayFetchThisOne) {
  const std::string project = (folder_->path / "fetches").string();
  write_project(project, R"(
include(FetchContent)
FetchContent_Declare(faultline GIT_REPOSITORY https://example.org/faultline.git)
FetchContent_MakeAvailable(faultline)
)",
                "own_routing.cpp");
  const std::string objects = "_deps/faultline-build/";
  ::setenv("COPY_SOURCE", FAULTLINE_SOURCE_DIR, 1);
  ::setenv("COPY_BUILD", (project + "/b/" + objects).c_str(), 1);
  ::setenv("COPY_OBJECTS", objects.c_str(), 1);
  ::setenv("ORIGINAL_SOURCE", FAULTLINE_SOURCE_DIR, 1);
  ::setenv("ORIGINAL_BUILD", FAULTLINE_BUILD_FOLDER, 1);
  const Outcome configured = cmake(
      {"-G", "Ninja", "-S", project, "-B", project + "/b", "-DBUILD_SHARED_LIBS=ON", "-DFAULTLINE_INSTALL=ON",
       "-DFETCHCONTENT_SOURCE_DIR_FAULTLINE=" FAULTLINE_SOURCE_DIR,
       "-DCMAKE_UNITY_BUILD=" FAULTLINE_UNITY_BUILD, "-DCMAKE_UNITY_BUILD_BATCH_SIZE=" FAULTLINE_UNITY_BATCH,
       "-DCMAKE_CXX_COMPILER_LAUNCHER=" FAULTLINE_SOURCE_DIR "/tests/package/reuse_objects.sh"});
  ASSERT_EQ(configured.code, 0) << configured.errors;
  const Outcome compiled = cmake({"--build", project + "/b"});
  ::unsetenv("COPY_OBJECTS");
  ASSERT_EQ(compiled.code, 0) << compiled.output << compiled.errors;
  EXPECT_EQ(run({project + "/b/own"}).code, 0);
  EXPECT_THAT(needed_libraries(project + "/b/own"), HasSubstr("libfaultline.so." + soversion()));
  const std::string installed = project + "/installed";
  EXPECT_EQ(cmake({"--install", project + "/b", "--prefix", installed}).code, 0);
  EXPECT_TRUE(fs::exists(installed + "/include/faultline/faultline.h"));
  EXPECT_FALSE(fs::exists(installed + "/bin/faultline"));
}

}  // namespace
}  // namespace faultline
