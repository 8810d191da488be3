// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "resilience/cuts/tolerance.h"
#include "resilience/fractions/coverage.h"
#include "resilience/reliability/failure_model.h"

namespace faultline::survival {

/// Fault sets that lose a pair, drawn by Coverage for components that fail with their own probabilities.
class RareSets {
 public:
  /// For sets of at most `faults` faults.
  RareSets(Circuit requirements, const FailureModel& model, std::uint32_t faults);
  RareSets(const RareSets&) = delete;
  RareSets& operator=(const RareSets&) = delete;

  /// Of a set that is drawn; 0 if none can be.
  [[nodiscard]] double max_weight() const { return choices_.total(); }
  [[nodiscard]] std::uint32_t max_picks() const { return coverage_.largest(); }
  /// A set of at most that many faults that loses a pair may be drawn.
  [[nodiscard]] std::uint32_t known_faults() const { return known_faults_; }

  /// One thread at a time each.
  class Draws {
   public:
    Draws(const RareSets& sets, const FailureModel& model)
        : sets_(sets), model_(model), draws_(sets.coverage_, sets.choices_) {}
    /// Fills in a set and returns its weight.
    double operator()(RandomStream& random, std::vector<std::uint32_t>& failed);

   private:
    const RareSets& sets_;
    FailureModel model_;
    Coverage::Draws draws_;
  };

 private:
  Circuit requirements_;
  Coverage coverage_;
  DerivationChoices choices_;
  std::uint32_t known_faults_;
};

/// One of the two.
struct RareSetsOrObstacle {
  std::unique_ptr<const RareSets> sets;
  std::string obstacle;  ///< why there are none: "paths have cycles"
};
/// For as many faults as matter beside the witness of the tolerance. If stopped, any of the two.
[[nodiscard]] RareSetsOrObstacle rare_sets(const Subject& subject, const Tolerance& tolerance,
                                           const FailureModel& model, StopFlag stop);

}  // namespace faultline::survival
