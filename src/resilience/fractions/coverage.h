// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "base/sort_unique.h"
#include "resilience/fractions/derivation_choices.h"
#include "resilience/fractions/distinct_picks.h"

namespace faultline::survival {

/// Karp and Luby's coverage estimator (J. Algorithms 1989) with derivations for the clauses: draw a
/// derivation d with a weight w(d), fill up with random faults to a set S, and take
///   X = P(d) / (w(d) D(S)),
/// P(d) the probability that a random set contains the components of d, D(S) the number of derivations in S.
/// Its mean, times the sum T of all weights, is the probability of an intolerable set, also where derivations
/// pick a component twice, as long as each intolerable set contains a derivation of at most `largest` picks.
/// Weights are w(d) = a bound of P(d), a function of the fewest components that a derivation of the output
/// and size of d picks: so 0 <= X <= 1, and T bounds the probability itself (it is the union bound).
class Coverage {
 public:
  /// For sets of at most `faults` faults: of some more picks, because a component may be picked twice.
  Coverage(const Circuit& requirements, std::uint32_t faults);

  /// Picks of a derivation.
  [[nodiscard]] std::uint32_t largest() const { return derivations_.largest(); }
  [[nodiscard]] std::uint32_t components() const { return derivations_.circuit().components(); }
  /// `bound`: of P(d), by the fewest components of d.
  [[nodiscard]] DerivationChoices choices(const std::function<double(std::uint32_t fewest)>& bound) const;
  /// Whether each intolerable set of that many faults contains a derivation of at most `largest` picks.
  [[nodiscard]] bool knows_all(std::uint32_t faults) const {
    return distinct_.largest_of(faults) <= derivations_.largest();
  }

  /// One thread at a time each.
  class Draws {
   public:
    Draws(const Coverage& coverage, const DerivationChoices& choices)
        : derivations_(coverage.derivations_), choices_(choices), contained_(coverage.derivations_) {}

    /// X, and S in `set`. `probability(set)` is P(d), and `fill_up(set)` adds the other faults to the
    /// components of d; it is left out where P(d) is 0.
    double operator()(RandomStream& random, std::vector<std::uint32_t>& set, const auto& probability,
                      const auto& fill_up) {
      const auto& choice = choices_.pick(random.next_unit());
      set.clear();
      derivations_.draw(choice.output, choice.size, random, set);
      sort_unique(set);
      const double contains = probability(set);
      if (contains == 0) return 0;
      fill_up(set);
      return contains / choice.weight / contained_.count(set);
    }

   private:
    const Derivations& derivations_;
    const DerivationChoices& choices_;
    Derivations::Contained contained_;
  };

 private:
  Derivations derivations_;
  DistinctPicks distinct_;
};

}  // namespace faultline::survival
