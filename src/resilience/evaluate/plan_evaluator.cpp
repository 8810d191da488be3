// SPDX-License-Identifier: Apache-2.0
// Fault sets of a routing whose sources plan: one after the other, by the routing's own search.
#include "resilience/evaluate/evaluator.h"

namespace faultline::survival {
namespace {

class PlanEvaluator final : public Evaluator {
 public:
  PlanEvaluator(const Subject& subject, std::unique_ptr<PlanSearch> search)
      : subject_(subject), search_(std::move(search)) {}

  [[nodiscard]] std::unique_ptr<Evaluator> clone() const override {
    return std::make_unique<PlanEvaluator>(subject_, search_->clone());
  }
  [[nodiscard]] std::uint32_t lanes() const override { return 64; }

  void evaluate(const FaultBlock& block, Verdicts& verdicts) override {
    verdicts.lost_pairs.assign(block.lanes, 0);
    verdicts.live_pairs.assign(block.lanes, 0);
    verdicts.disconnected.assign(block.lanes, false);
    for (std::uint32_t lane = 0; lane < block.lanes; ++lane) {
      dead_.clear();
      for (const std::uint32_t component : block.set(lane)) {
        const auto channels = subject_.components.channels(component);
        dead_.insert(dead_.end(), channels.begin(), channels.end());
      }
      const PlanSearch::Losses losses = search_->evaluate(dead_);
      verdicts.lost_pairs[lane] = losses.pairs;
      verdicts.disconnected[lane] = losses.disconnected;
      verdicts.live_pairs[lane] = live_pairs(block.set(lane));
    }
  }

 private:
  /// Pairs whose own switches are alive.
  [[nodiscard]] std::uint64_t live_pairs(std::span<const std::uint32_t> set) const {
    const Topology& topology = subject_.components.topology();
    const std::uint64_t terminals = topology.terminal_count();
    const FaultComponents& components = subject_.components;
    if (std::ranges::none_of(
            set, [&](std::uint32_t component) { return components.unit(component) == FaultUnit::switch_; }))
      return terminals * (terminals - 1);
    const FaultSet dead = components.fault_set(set);
    std::uint64_t sources = 0, destinations = 0, both = 0;
    for (const TerminalId terminal : topology.terminals()) {
      const bool sends = std::ranges::any_of(topology.injection(terminal), [&](ChannelId channel) {
        return !dead.failed(topology.target(channel));
      });
      const bool receives = std::ranges::any_of(topology.ejection(terminal), [&](ChannelId channel) {
        return !dead.failed(topology.source(channel));
      });
      sources += sends ? 1 : 0;
      destinations += receives ? 1 : 0;
      both += sends && receives ? 1 : 0;
    }
    return sources * destinations - both;
  }

  Subject subject_;
  std::unique_ptr<PlanSearch> search_;
  std::vector<ChannelId> dead_;
};

}  // namespace

std::unique_ptr<Evaluator> make_plan_evaluator(const Subject& subject, std::string_view kernel) {
  auto search = subject.relation->plan_search(kernel);
  if (!search)
    throw Error("resilience.routing", subject.relation->topology().name(),
                "must be a relation with a plan_search() where sources plan");
  return std::make_unique<PlanEvaluator>(subject, std::move(search));
}

}  // namespace faultline::survival
