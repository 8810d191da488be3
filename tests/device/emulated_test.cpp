// SPDX-License-Identifier: Apache-2.0
// The GPU kernel on an emulated GPU: not its speed, but every line of it.
#include <cuda_runtime.h>

#include "support/device_checks.h"
#include "support/effort.h"

namespace faultline::survival {
namespace {

/// More sets than the warps of the emulated device take at once, and no whole number of warps.
constexpr std::uint64_t many_sets = 8 * 2048 + 700;

class EmulatedDevice : public testing::TestWithParam<std::string> {};

TEST_P(EmulatedDevice, GivesTheReferencesCounts) {
  // Two of them: one vote takes an emulated warp 32 context switches.
  for (const SampleNetwork& network : {make_network(GetParam()), sample_networks(GetParam()).back()})
    for (const Failing& failing : all_failing(network.survival)) {
      expect_device_agrees(network, failing, effort(70U, 34U));
      if (HasFatalFailure()) return;
    }
}

/// Every third, and fewer under sanitizers.
std::vector<std::string> some_topologies() {
  std::vector<std::string> some;
  const std::vector<std::string> all = sample_topologies();
  for (std::size_t i = 0; i < all.size(); i += effort(3U, 8U)) some.push_back(all[i]);
  return some;
}

INSTANTIATE_TEST_SUITE_P(Samples, EmulatedDevice, testing::ValuesIn(some_topologies()));

TEST(EmulatedDevice, TakesMoreSetsThanItHoldsAtOnce) {
  expect_device_agrees(make_network("ft-ruft-212:k=2,n=3"), {FaultUnit::channel, FaultScope::all}, many_sets);
}

TEST(EmulatedDevice, CountsRandomCircuits) {
  for (std::uint64_t seed = 0; seed < effort(60U, 2U); ++seed)
    for (const bool counting : {false, true}) {
      expect_device_counts_circuit(seed, 2100, counting);
      if (HasFatalFailure()) return;
    }
}

/// With the rest of the engine around it.
class Engine : public testing::Test {
 protected:
  [[nodiscard]] ResilienceResult run(const std::string& kernel, ResilienceSpec spec) const {
    spec.conditions.kernel = kernel;
    spec.fractions.fault_counts = {1, 2, 5};
    return resilience(network_.relation, network_.survival, components_, spec);
  }

  void expect_same(const ResilienceSpec& spec) const {
    const ResilienceResult device = run("cuda", spec), word = run("word", spec);
    ASSERT_EQ(device.fractions.points.size(), word.fractions.points.size());
    for (std::size_t i = 0; i < word.fractions.points.size(); ++i) {
      const FaultPoint &a = device.fractions.points[i], &b = word.fractions.points[i];
      EXPECT_EQ(a.sets, b.sets);
      EXPECT_EQ(a.intolerable_fraction, b.intolerable_fraction);
      EXPECT_EQ(a.connected_pairs_fraction, b.connected_pairs_fraction);
      EXPECT_EQ(a.connected_live_pairs_fraction, b.connected_live_pairs_fraction);
      EXPECT_EQ(a.connected_pairs_interval.low, b.connected_pairs_interval.low);
      EXPECT_EQ(a.worst_faults.has_value(), b.worst_faults.has_value());
    }
    ASSERT_EQ(device.critical.size(), word.critical.size());
    for (std::size_t i = 0; i < word.critical.size(); ++i) {
      EXPECT_EQ(device.critical[i].name, word.critical[i].name);
      EXPECT_EQ(device.critical[i].pairs_lost, word.critical[i].pairs_lost);
    }
  }

  SampleNetwork network_ = make_network("ruft:k=2,n=3");
  FaultComponents components_{network_.relation->shared_topology(), FaultUnit::channel, FaultScope::all};
};

TEST_F(Engine, SamplesAlike) {
  expect_same(
      {.fractions = {.method = ResilienceMethod::sampled, .samples = 3000}, .conditions = {.threads = 2}});
  expect_same({.fractions = {.samples = 3000, .interval_width = 0.05}, .conditions = {.threads = 2}});
}

TEST_F(Engine, EnumeratesAlike) { expect_same({.fractions = {.method = ResilienceMethod::exhaustive}}); }

TEST_F(Engine, FindsTheWorstAndTheLostAlike) {
  expect_same({.fractions = {.samples = 600, .lost_terminals = true}, .adversary = true});
}

class BadDevice : public testing::Test {
 protected:
  ~BadDevice() override { emulated::device = {}; }

  std::string refusal() {
    try {
      const SampleNetwork network = make_network("fat-tree:k=2,n=3");
      const FaultComponents components(network.relation->shared_topology(), FaultUnit::link,
                                       FaultScope::network);
      const Subject subject{network.relation, network.survival, components};
      (void)make_evaluator(subject, "cuda")->evaluate(DrawnSets{1, 2, 0, 10});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(BadDevice, MissingIsNamedWithTheKernelsThatAreThere) {
  emulated::device.present = false;
  const std::string text = refusal();
  EXPECT_NE(text.find("resilience.kernel"), std::string::npos) << text;
  EXPECT_NE(text.find("reference"), std::string::npos) << text;
  EXPECT_NE(text.find("no CUDA-capable device is detected"), std::string::npos) << text;
}

TEST_F(BadDevice, TooLittleMemoryIsSaidWithWhatIsNeeded) {
  emulated::device.free_bytes = 100'000;
  const std::string text = refusal();
  EXPECT_NE(text.find("MiB for this network"), std::string::npos) << text;
}

}  // namespace
}  // namespace faultline::survival
