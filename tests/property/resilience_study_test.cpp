// SPDX-License-Identifier: Apache-2.0
// A study answers each question as if it were the only one: in any order, and repeatedly.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "faultline/resilience/resilience.h"
#include "faultline/results/json.h"
#include "support/effort.h"
#include "support/sample_networks.h"

namespace faultline {
namespace {

std::string without_times(ResilienceResult result) {
  result.fractions.seconds = result.fractions.sets_per_second = 0;
  return to_json(result).dump(2);
}

/// The questions of `spec`, from the last to the first.
ResilienceResult asked_backwards(ResilienceStudy& study, const ResilienceSpec& spec) {
  ResilienceResult result{.unit = study.components().units(),
                          .scope = study.components().scope(),
                          .knowledge = study.conditions().knowledge,
                          .source = study.conditions().source,
                          .components = study.components().count()};
  if (!spec.reliability.rates.empty()) result.reliability = study.reliability(spec.reliability);
  result.fractions = study.fractions(spec.fractions);
  if (spec.adversary)
    for (std::size_t i = result.fractions.points.size(); i-- > 0;)
      result.fractions.points[i].worst_faults = study.worst(result.fractions.points[i].faults);
  if (spec.failing_set) result.smallest_failing = study.smallest_failing();
  if (spec.cuts != 0) result.minimum_cuts = study.minimum_cuts(spec.cuts);
  result.critical = study.critical();
  result.tolerance = study.tolerance();
  settle_tolerated(result.tolerance, result.fractions.points);
  return result;
}

struct AskedStudy {
  const char *topology, *routing;
  FaultUnit unit;
  ResilienceSpec spec;

  friend void PrintTo(const AskedStudy& asked, std::ostream* out) {
    *out << asked.topology << ' ' << asked.routing;
  }
};

class Studies : public testing::TestWithParam<AskedStudy> {};

TEST_P(Studies, AnswerQuestionsInAnyOrderAndAgain) {
  const auto& [topology, routing, unit, spec] = GetParam();
  const SampleNetwork network = make_network(topology, routing);
  const FaultComponents components(network.relation->shared_topology(), unit, FaultScope::network);
  const std::string expected =
      without_times(resilience(network.relation, network.survival, components, spec));
  ResilienceStudy study(network.relation, network.survival, components, spec.conditions);
  for (int repeat = 0; repeat < effort(2, 1); ++repeat)
    EXPECT_EQ(without_times(asked_backwards(study, spec)), expected) << repeat;
  ResilienceStudy moved = std::move(study);
  EXPECT_EQ(without_times(asked_backwards(moved, spec)), expected) << "moved";
}

const ReliabilitySpec rates{.rates = {{FaultUnit::link, 1e-4, 24.0}}, .samples = effort(2000U, 200U)};

INSTANTIATE_TEST_SUITE_P(
    , Studies,
    testing::Values(AskedStudy{"ft-ruft-222:k=2,n=3",
                               "",
                               FaultUnit::link,
                               {.fractions = {.fault_counts = {1, 2, 5}, .samples = effort(400U, 100U)},
                                .reliability = rates,
                                .cuts = 3,
                                .failing_set = true,
                                .adversary = true}},
                    AskedStudy{"ruft:k=2,n=3",
                               "",
                               FaultUnit::link,
                               {.fractions = {.fault_counts = {2, 3}, .method = ResilienceMethod::exact},
                                .reliability = rates,
                                .adversary = true,
                                .conditions = {.seed = 7, .threads = 2}}},
                    AskedStudy{
                        "torus:radix=4x4",
                        "shortest-path",
                        FaultUnit::link,
                        {.fractions = {.fault_counts = {1, 3, 6}, .samples = 300, .lost_terminals = true},
                         .reliability = rates,
                         .cuts = 2,
                         .adversary = true}},
                    AskedStudy{"torus:radix=3x3",
                               "duato",
                               FaultUnit::link,
                               {.fractions = {.fault_counts = {1, 2}, .samples = 200},
                                .adversary = true,
                                .conditions = {.knowledge = Knowledge::neighbours()}}}));

}  // namespace
}  // namespace faultline
