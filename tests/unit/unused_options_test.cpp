// SPDX-License-Identifier: Apache-2.0
// An option that changes nothing is refused on the command line (tests/cli/bad_input_test.cpp). A study may
// give it: to all of its experiments, or to networks of which only some use it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "faultline/study/answer.h"
#include "faultline/study/study.h"
#include "faultline/topology/kind.h"
#include "support/temporary_folder.h"

namespace faultline {
namespace {

Study study(const std::string& experiment,
            const std::vector<std::pair<std::string, std::string>>& overrides = {}) {
  const TemporaryFolder folder;
  return read_study(folder.file("s.toml", "[[experiment]]\n" + experiment), overrides);
}

TEST(UnusedOptions, MayBeGivenToAllExperimentsOfAStudy) {
  EXPECT_EQ(study("verb = 'resilience'\ntopology = 'mesh:radix=3'\nexhaustive = [true, false]\n"
                  "faults = 1\nsamples = 7\n")
                .cases.size(),
            2U);
  const std::string resilience = "verb = 'resilience'\ntopology = 'mesh:radix=3'\n";
  EXPECT_EQ(study(resilience, {{"seed", "1..3"}, {"samples", "7"}}).cases.size(), 3U);
  const std::string verify = "verb = 'verify'\ntopology = 'mesh:radix=3'\n";
  EXPECT_EQ(study(verify, {{"samples", "7"}}).cases.size(), 1U);
  const std::string simulate = "verb = 'simulate'\ntopology = 'mesh:radix=3'\nload = 0.1\n";
  EXPECT_EQ(study(simulate, {{"unit", "link"}, {"scope", "all"}}).cases.size(), 1U);
}

TEST(UnusedOptions, OfGridsMayBeGivenBesideOtherNetworks) {
  const Study both =
      study("verb = 'topology'\ntopology = ['mesh:radix=3', 'fat-tree:k=2,n=2']\nvcs = 4\noptions = 2\n");
  ASSERT_EQ(both.cases.size(), 2U);
  for (std::size_t i = 0; i < both.cases.size(); ++i) {
    const Case one = both.cases[i];
    const Answer answer = run_case(one, build_topology(one.topology), {});
    EXPECT_EQ(answer.json.contains("routing_memory"), i == 0) << i;
  }
}

}  // namespace
}  // namespace faultline
