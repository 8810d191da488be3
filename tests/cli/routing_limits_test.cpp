// SPDX-License-Identifier: Apache-2.0
// Which routing an answer is for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program.h"

namespace faultline {
namespace {

using testing::HasSubstr;

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

}  // namespace
}  // namespace faultline
