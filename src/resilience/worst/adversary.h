// SPDX-License-Identifier: Apache-2.0
// The most harmful faults.
#pragma once

#include "faultline/base/stop.h"
#include "resilience/evaluate/evaluator.h"
#include "resilience/worst/loss_bounds.h"

namespace faultline::survival {

/// Limits of the work, as counts and not as time, so that a result can be reproduced.
struct AdversaryEffort {
  std::uint64_t max_sets = 2'000'000;    ///< all sets are tried if there are at most this many
  std::uint64_t max_arcs = 300'000'000;  ///< examined by bounds
  std::uint32_t restarts = 8;            ///< of the local search
  StopFlag stop = nullptr;               ///< once set, Stopped is thrown
};

struct Worst {
  std::vector<Component> components;  ///< ascending; empty if no pair is lost
  std::uint64_t pairs_lost = 0;
  std::uint64_t bound = 0;  ///< no set of as many faults disconnects more
  [[nodiscard]] bool exact() const { return pairs_lost == bound; }
};

/// Finds sets that disconnect the most pairs: by trying all, or by branch and bound that starts from a greedy
/// choice improved by swaps. A function of the seed.
class Adversary {
 public:
  Adversary(const Subject& subject, const Evaluator& evaluator, std::uint64_t seed,
            AdversaryEffort effort = {});

  [[nodiscard]] Worst worst(std::uint32_t faults);

 private:
  using Set = std::vector<Component>;

  [[nodiscard]] Worst try_all(std::uint32_t faults);
  [[nodiscard]] std::vector<std::uint64_t> lost(const std::vector<Set>& sets);
  void fill_up(Set& set, std::uint32_t faults) const;
  void consider(Set set, Worst& best);
  void improve(Set set, Worst& best);
  void branch_and_bound(std::uint32_t faults, Worst& best);
  [[nodiscard]] Set greedy(std::uint32_t faults);
  [[nodiscard]] bool try_cuts(std::uint32_t faults, Worst& best);

  Subject subject_;
  std::uint32_t components_;
  std::uint64_t pairs_;
  std::unique_ptr<Evaluator> evaluator_;
  LossBounds bounds_;
  std::uint64_t seed_;
  AdversaryEffort effort_;
};

}  // namespace faultline::survival
