// SPDX-License-Identifier: Apache-2.0
// What a person reads of a run.
#include "study/simulate_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "faultline/study/answer.h"
#include "faultline/study/study.h"

namespace faultline {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SimulateText, SaysThatADeadlockRefutesAClaim) {
  const Study study = read_study_text(
      "title = \"t\"\n[[experiment]]\nverb = \"simulate\"\ntopology = \"mesh:radix=2x2\"\nload = 0.1\n"
      "cycles = 2000\npacket-flits = \"8\"\n",
      "t.toml", {});
  const Case one = study.cases[0];
  auto result = nlohmann::ordered_json::parse(
      run_to_record(one, build_topology(one.topology), study.title, {}).value().record.result_text);
  const auto text = [&] { return simulate_text({&one, 1}, {&result, 1}); };
  const std::string warning = "warning: deadlock, although the routing claims to be free of it";
  EXPECT_THAT(text(), Not(HasSubstr("warning")));
  result["deadlock"] = true;
  EXPECT_THAT(text(), HasSubstr(warning));
  result["unproved"] = "it may";
  EXPECT_THAT(text(), Not(HasSubstr(warning)));
}

}  // namespace
}  // namespace faultline
