// SPDX-License-Identifier: Apache-2.0
// Which routing an answer is for, what it leaves out of its virtual channels, and where it cannot be built.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "faultline/results/store.h"
#include "program.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

using testing::HasSubstr;
using testing::Not;

using Words = std::vector<std::string>;

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Resilience, NamesTheRoutingThatItsAnswerIsFor) {
  const Words asked{"resilience", "torus", "radix=4x4"};
  const auto own = json_answer(asked), other = json_answer(with(asked, {"--routing", "shortest-path"}));
  EXPECT_EQ(own["routing"], "dimension-order");
  EXPECT_EQ(other["routing"], "shortest-path");
  EXPECT_EQ(own["tolerated_faults"], 0);
  EXPECT_EQ(other["tolerated_faults"], 3);  // each switch has four outputs
  EXPECT_THAT(run_program(asked).output,
              HasSubstr("\n  routing                dimension-order, the topology's default\n"));
  const std::string text = run_program(with(asked, {"--routing", "shortest-path"})).output;
  EXPECT_THAT(text, HasSubstr("\n  routing                shortest-path\n"));
}

TEST(Studies, KeepTheAnswerThatAVerbPrints) {
  const TemporaryFolder folder;
  const std::string results = (folder.path / "s.db").string();
  const std::string study = folder.file(
      "s.toml",
      "[[experiment]]\nverb = \"simulate\"\ntopology = \"torus:radix=4x4\"\nload = 0.1\ncycles = 500\n");
  ASSERT_EQ(run_program({"study", study, "--results", results}).code, 0);
  const std::vector<Record> records = ResultsStore(results, ResultsStore::Mode::read).all();
  ASSERT_EQ(records.size(), 1U);
  auto kept = nlohmann::json::parse(records.front().result_text),
       printed = json_answer({"simulate", "torus", "radix=4x4", "--load", "0.1", "--cycles", "500"});
  for (nlohmann::json* answer : {&kept, &printed}) answer->erase("seconds");
  EXPECT_EQ(kept, printed);
}

TEST(Resilience, SaysThatTheLimitOfVirtualChannelsIsNotExamined) {
  const Words asked{"resilience", "mesh", "radix=3x3", "--unit", "link"};
  for (const auto& [routing, most] : {std::pair{"lash:vcs=1", 1}, {"lash", 8}, {"dfsssp:vcs=3", 3}}) {
    const Words with_limit = with(asked, {"--routing", routing});
    const auto answer = json_answer(with_limit);
    EXPECT_EQ(answer["most_virtual_channels"], most) << routing;
    ASSERT_EQ(answer["remarks"].size(), 1U) << routing;
    EXPECT_THAT(answer["remarks"][0].get<std::string>(), HasSubstr("--all-faults-up-to")) << routing;
    EXPECT_THAT(run_program(with_limit).output, HasSubstr("not examined")) << routing;
  }
  for (const Words& unlimited :
       {Words{"--routing", "shortest-path"}, Words{"--routing", "lash", "--knowledge", "neighbours"}}) {
    const auto answer = json_answer(with(asked, unlimited));
    EXPECT_FALSE(answer.contains("most_virtual_channels")) << unlimited[1];
    EXPECT_THAT(run_program(with(asked, unlimited)).output, Not(HasSubstr("not examined"))) << unlimited[1];
  }
}

TEST(Verify, GoesOnAfterAFaultSetThatTheRoutingCannotBeBuiltFor) {
  const Words asked{"verify",    "mesh",       "radix=3x3",          "--unit", "link",
                    "--routing", "lash:vcs=1", "--all-faults-up-to", "2"};
  const Outcome text = run_program(asked);
  EXPECT_EQ(text.code, 3) << text.errors;
  EXPECT_THAT(text.output, HasSubstr("all 66 sets: 4 leave some pair unserved"));
  EXPECT_THAT(text.output, HasSubstr("22 not proved"));
  const auto point = nlohmann::json::parse(run_program(with(asked, {"--json"})).output)["by_faults"][1];
  EXPECT_EQ(point["not_built_sets"], 22);
  ASSERT_EQ(point["not_built_witness"].size(), 2U);
  // The set that it names is one of these.
  const TemporaryFolder folder;
  (void)folder.file("set", point["not_built_witness"][0].get<std::string>() + "\n" +
                               point["not_built_witness"][1].get<std::string>() + "\n");
  const Outcome one = run_program(
      {"verify", "mesh", "radix=3x3", "--unit", "link", "--routing", "lash:vcs=1", "--faults", "set"},
      folder.path);
  EXPECT_EQ(one.code, 2);
  EXPECT_THAT(one.errors, HasSubstr("too few virtual channels with these faults"));
}

}  // namespace
}  // namespace faultline
