// SPDX-License-Identifier: Apache-2.0
// Every kernel against the plain reference, on every sample of every topology with every routing that fits
// it.
#include <gtest/gtest.h>

#include "resilience/evaluate/evaluator.h"
#include "resilience/evaluate/fault_sets.h"
#include "support/effort.h"
#include "support/failing.h"
#include "support/sample_networks.h"

namespace faultline::survival {
namespace {

std::uint64_t count_sets(std::uint64_t n, std::uint64_t k) {
  return k == 0 ? 1 : k == 1 ? n : k == 2 ? n * (n - 1) / 2 : n * (n - 1) * (n - 2) / 6;
}

/// All sets of `faults` components, or a sample of them if there are many.
FaultBlock sets_to_try(std::uint32_t components, std::uint32_t faults, std::uint32_t most) {
  FaultBlock block{.faults = faults, .lanes = most, .members = {}};
  if (faults <= 3 && count_sets(components, faults) <= most) {
    block.lanes = static_cast<std::uint32_t>(count_sets(components, faults));
    list_fault_sets(block, components, 0);
  } else {
    FaultSetSampler(components, 7).draw(block, 0);
  }
  return block;
}

FaultBlock part(const FaultBlock& block, std::uint32_t first, std::uint32_t lanes) {
  const auto begin = block.members.begin() + static_cast<std::ptrdiff_t>(first * block.faults);
  return {block.faults, lanes, {begin, begin + static_cast<std::ptrdiff_t>(lanes * block.faults)}};
}

Verdicts evaluate_all(Evaluator& evaluator, const FaultBlock& block) {
  Verdicts all, some;
  for (std::uint32_t first = 0; first < block.lanes; first += evaluator.lanes()) {
    evaluator.evaluate(part(block, first, std::min(evaluator.lanes(), block.lanes - first)), some);
    all.lost_pairs.insert(all.lost_pairs.end(), some.lost_pairs.begin(), some.lost_pairs.end());
    all.live_pairs.insert(all.live_pairs.end(), some.live_pairs.begin(), some.live_pairs.end());
  }
  return all;
}

class EveryNetwork : public testing::TestWithParam<std::string> {};

/// The reference visits every state: where virtual channels and tags multiply them, fewer sets must do.
std::uint32_t sets_within_reach(const RoutingRelation& relation) {
  const std::uint64_t states =
      relation.topology().channel_count() * relation.virtual_channels() * relation.tag_count();
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(15'000 / states, 8, 150));
}

void expect_all_kernels_agree(const SampleNetwork& network) {
  const std::uint32_t sets = effort(sets_within_reach(*network.relation), 8U);
  for (const Failing& failing : all_failing(network.survival)) {
    const FaultComponents components(network.relation->shared_topology(), failing.unit, failing.scope);
    const auto count = static_cast<std::uint32_t>(components.count());
    const Subject subject{network.relation, network.survival, components, failing.knowledge, failing.source};
    const auto compiled = compile(subject);
    const auto reference = make_reference_evaluator(subject);
    for (const std::uint32_t faults : {0U, 1U, 2U, 3U, count / 4, count / 2, count - 1, count}) {
      if (faults > count) continue;
      const FaultBlock block = sets_to_try(count, faults, sets);
      const Verdicts expected = evaluate_all(*reference, block);
      for (const Kernel* kernel : kernels()) {
        if (!kernel->available()) continue;
        const Verdicts got = evaluate_all(*make_program_evaluator(compiled, *kernel, subject), block);
        ASSERT_EQ(got.lost_pairs, expected.lost_pairs)
            << network.name << ' ' << failing.text() << ' ' << faults << " faults, kernel " << kernel->name;
        ASSERT_EQ(got.live_pairs, expected.live_pairs) << network.name << ' ' << failing.text();
      }
    }
  }
}

TEST_P(EveryNetwork, AllKernelsGiveTheReferencesCounts) {
  for (const SampleNetwork& network : sample_networks(GetParam())) {
    expect_all_kernels_agree(network);
    if (HasFatalFailure()) return;
  }
}

/// Each source uses one of its injection options alone: sources that are attached differently enter the same
/// states.
class OneInjection final : public RoutingRelation {
 public:
  explicit OneInjection(RelationPtr base)
      : RoutingRelation(base->shared_topology()), base_(std::move(base)) {}
  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    base_->inject(source, destination, options);
    if (!options.empty()) options = {options[source.index() % options.size()]};
  }
  void route(const RouteState& state, RouteOptions& options) const override { base_->route(state, options); }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return base_->virtual_channels(); }
  [[nodiscard]] std::uint64_t tag_count() const override { return base_->tag_count(); }
  [[nodiscard]] bool reads_held_channel() const override { return base_->reads_held_channel(); }

 private:
  RelationPtr base_;
};

TEST(PartOfTheInjectionChannels, AllKernelsGiveTheReferencesCounts) {
  for (const char* topology : {"switch-ring:n=4,degree=2", "switch-ring:n=5,degree=3",
                               "switch-clique:switches=4,degree=2,terminals=6"}) {
    const SampleNetwork all =
        make_network(parse_compact("topology", topology), parse_compact("routing", "shortest-path"));
    expect_all_kernels_agree({std::string(topology) + ", one injection option each",
                              std::make_shared<const OneInjection>(all.relation), Survival::fixed_paths});
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, EveryNetwork, testing::ValuesIn(sample_topologies()));

}  // namespace
}  // namespace faultline::survival
