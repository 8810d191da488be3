// SPDX-License-Identifier: Apache-2.0
// A real GPU, if there is one (tests/device emulates one).
#include "support/device_checks.h"

namespace faultline::survival {
namespace {

class GraphicsProcessor : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_device(); !why.empty())
      GTEST_SKIP() << "no kernel is tested on a GPU: " << why;
  }
};

/// Of one topology each: all of them take minutes.
class GraphicsProcessorSample : public testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GraphicsProcessorSample);

TEST_P(GraphicsProcessorSample, GivesTheReferencesCounts) {
  for (const SampleNetwork& network : sample_networks(GetParam()))
    for (const Failing& failing : all_failing(network.survival)) {
      expect_device_agrees(network, failing, 70);
      if (HasFatalFailure()) return;
    }
}

INSTANTIATE_TEST_SUITE_P(Samples, GraphicsProcessorSample,
                         testing::ValuesIn(why_no_device().empty() ? sample_topologies()
                                                                   : std::vector<std::string>{}));

TEST_F(GraphicsProcessor, TakesMoreSetsThanItHoldsAtOnce) {
  expect_device_agrees(make_network("ft-ruft-212:k=2,n=3"), {FaultUnit::channel, FaultScope::all}, 100'000);
}

TEST_F(GraphicsProcessor, CountsRandomCircuits) {
  for (std::uint64_t seed = 0; seed < 400; ++seed)
    for (const bool counting : {false, true}) {
      expect_device_counts_circuit(seed, 2100, counting);
      if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace faultline::survival
