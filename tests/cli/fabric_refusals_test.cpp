// SPDX-License-Identifier: Apache-2.0
// What fabric repair refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fabric_files.h"
#include "program.h"
#include "support/replaced.h"

namespace faultline {
namespace {

using testing::HasSubstr;

/// A switch's name may be what a cable of another one is called. Ids tell them apart.
TEST(FabricRepair, CutsNothingThatIsAmbiguous) {
  const TemporaryFolder folder;
  const std::string dump = folder.file("dump", replaced_everywhere(small_dump, "\"leaf 2\"", "\"spine[1]\""));
  const Outcome outcome = run_program({"fabric", "repair", dump, "--cut", "spine[1]"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.errors,
              HasSubstr("cut = 'spine[1]': may be the switch spine[1] or the cable leaf # 1[3] - "
                        "spine[1]; write a switch by its id in the dump, and a cable as "
                        "\"id[port]\""));
  const auto failed = [&](const char* cut) {
    return nlohmann::json::parse(
        run_program({"fabric", "repair", dump, "--cut", cut, "--json"}).output)["failed"];
  };
  EXPECT_EQ(failed("S-00000000000000a2"), nlohmann::json({"spine[1]"}));
  EXPECT_EQ(failed("S-00000000000000b1[1]"), nlohmann::json({"leaf # 1[3] - spine[1]"}));
  EXPECT_EQ(failed("spine[2]"), nlohmann::json({"leaf # 1[4] - spine[2]"}));
}

/// What is cut is passed on by name, to the proof and to the dump that is written.
TEST(FabricRepair, CutsTheSwitchThatIsNamedLikeACable) {
  const TemporaryFolder folder;
  const std::string dump =
      folder.file("dump", replaced_everywhere(small_dump, "\"leaf 2\"", "\"leaf # 1[3] - spine[1]\""));
  const std::string out = (folder.path / "out").string();
  const auto failed = [&](const char* cut) {
    return nlohmann::json::parse(
        run_program({"fabric", "repair", dump, "--cut", cut, "--json", "-o", out}).output)["failed"];
  };
  EXPECT_EQ(failed("S-00000000000000a2"), nlohmann::json({"S-00000000000000a2 (leaf # 1[3] - spine[1])"}));
  const std::string living = read_file(out + "/fabric.ibnetdiscover", "test");
  EXPECT_THAT(living, testing::Not(HasSubstr("\"S-00000000000000a2\"["))) << "no cable leads there";
  EXPECT_THAT(living, HasSubstr("[3]\t\"S-00000000000000b1\"[1]"));
  EXPECT_EQ(failed("spine[1]"), nlohmann::json({"leaf # 1[3] - spine[1]"}));
  EXPECT_THAT(
      run_program({"fabric", "repair", dump, "--cut", "leaf # 1[3] - spine[1]"}).errors,
      HasSubstr("may be the switch S-00000000000000a2 (leaf # 1[3] - spine[1]) or the cable leaf # 1[3] - "
                "spine[1]; write a switch by its id"));
}

/// The program calls each by its name and id.
TEST(FabricRepair, CutsNoSwitchWhoseNameAnotherHas) {
  const TemporaryFolder folder;
  const std::string dump = folder.file("dump", replaced_everywhere(small_dump, "\"leaf 2\"", "\"spine\""));
  const auto refused = [&](const char* cut) {
    const Outcome outcome = run_program({"fabric", "repair", dump, "--cut", cut});
    EXPECT_EQ(outcome.code, 2);
    return outcome.errors;
  };
  EXPECT_THAT(refused("spine"),
              HasSubstr("cut = 'spine': may be the switch spine (S-00000000000000a2) or the switch spine "
                        "(S-00000000000000b1); write a switch by its id in the dump"));
  EXPECT_THAT(refused("spine[1]"), HasSubstr("cut = 'spine[1]': may be the cable "));
  EXPECT_EQ(nlohmann::json::parse(
                run_program({"fabric", "repair", dump, "--cut", "spine[4]", "--json"}).output)["failed"],
            nlohmann::json({"spine (S-00000000000000a2)[4] - spine (S-00000000000000b1)[3]"}))
      << "the other has three ports";
}

TEST(FabricRepair, RefusesWhatItCannotCutOrWouldOverwrite) {
  const FabricFiles files;
  const auto refused = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"fabric", "repair", files.dump, "--tables", files.tables});
    const Outcome outcome = run_program(more);
    EXPECT_EQ(outcome.code, 2);
    return outcome.errors;
  };
  EXPECT_THAT(refused({"--cut", "spine[4]"}), HasSubstr("cut = 'spine[4]': is no cable or switch"));
  EXPECT_THAT(refused({"--cut", "host \"a\" HCA-1"}),
              HasSubstr("did you mean 'host \"a\" HCA-1 - leaf # 1[1]'?"));
  EXPECT_THAT(refused({"--cut", "spine[1]", "--cut", "leaf # 1[3]"}), HasSubstr("which is cut already"));
  EXPECT_THAT(refused({"--cut", "spine", "--cut-links", "1"}), HasSubstr("must be left out"));
  EXPECT_THAT(refused({"--cut", "spine", "--seed", "3"}),
              HasSubstr("seed = '3': must be used with cut-links"));
  EXPECT_THAT(refused({"--cut-links", "4"}),
              HasSubstr("cut-links = '4': must be at most the number of cables between switches, 3"));
  EXPECT_THAT(refused({"-o", files.path("no/such")}), HasSubstr("cannot be created as a folder"));
  EXPECT_THAT(refused({"--engine", "nca"}), HasSubstr("levels of a k-ary n-tree"));
  const std::string own = files.folder.file("fabric.ibnetdiscover", small_dump);
  const Outcome outcome = run_program({"fabric", "repair", own, "-o", files.folder.path.string()});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(read_file(own, "test"), small_dump);
}

TEST(FabricRepair, NamesWhatIsWrongAsItWasGiven) {
  const FabricFiles files;
  const auto refused = [&](const std::string& dump, std::vector<std::string> more) {
    more.insert(more.begin(), {"fabric", "repair", dump, "--dry-run"});
    const Outcome outcome = run_program(more);
    EXPECT_EQ(outcome.code, 2) << outcome.output;
    return outcome.errors;
  };
  const std::string missing = files.path("missing");
  EXPECT_THAT(refused(files.dump, {"--tables", files.tables, "--reference", missing}),
              HasSubstr("faultline: reference = '" + missing + "': no such file"));
  EXPECT_THAT(
      refused(files.dump, {"--reference", files.tables, "--engine", "repair:reference=" + files.tables}),
      HasSubstr("reference = '" + files.tables + "': must be given once"));
  EXPECT_THAT(refused(files.dump, {"--reference", files.tables, "--engine", "repair:base=dfsssp"}),
              HasSubstr("one of the two must be left out"));
  const std::string shared =
      files.folder.file("shared", replaced_everywhere(small_dump, "lid 9 lmc", "lid 8 lmc"));
  EXPECT_THAT(refused(shared, {}), HasSubstr("topology.file = 'LID 8': is given to"));
}

}  // namespace
}  // namespace faultline
