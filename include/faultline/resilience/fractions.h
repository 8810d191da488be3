// SPDX-License-Identifier: Apache-2.0
// What a number of simultaneous faults does to connectivity: the question and the answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faultline/base/interval.h"
#include "faultline/fault/components.h"
#include "faultline/routing/kind.h"

#pragma GCC visibility push(default)
namespace faultline {

enum class ResilienceMethod : std::uint8_t {
  automatic,  ///< exhaustive if there are at most `samples` fault sets, else sampled
  exhaustive,
  sampled,
  /// Intolerable sets counted exactly, without listing them, for as many numbers of faults as a minute
  /// allows; the others say so (FaultPoint::not_counted). Connected pairs as in automatic.
  exact,
  rare,  ///< intolerable fraction by an estimator for small probabilities; connected pairs as in automatic
};

/// Where the faults of a drawn set may be.
struct Placement {
  /// Absent: anywhere. Else within this many hops of a random switch: a switch qualifies if it is, any other
  /// component if all switches that its channels touch are; if there are fewer components than faults, the
  /// radius grows.
  std::optional<std::uint32_t> radius;
};

struct FractionsSpec {
  std::vector<std::uint32_t> fault_counts = {};  ///< points to evaluate; may be empty
  ResilienceMethod method = ResilienceMethod::automatic;
  std::uint64_t samples = 100'000;            ///< fault sets per point
  std::uint64_t exact_steps = 2'000'000'000;  ///< exact: work for all points together; about a minute
  /// Sampling ends a point once the 95 % interval of its intolerable fraction is narrower than this
  /// (absolute: 0.01 is one percentage point), however many sets that takes, up to `budget`. Tested at fixed
  /// numbers of sets, at most an eighth apart.
  std::optional<double> interval_width = {};
  /// Most fault sets per point; absent: with a width budget_for_width, else no limit.
  std::optional<std::uint64_t> budget = {};
  static constexpr std::uint64_t budget_for_width = 10'000'000;
  Placement placement = {};     ///< clustered sets are always drawn, even if there are few
  bool lost_terminals = false;  ///< count them for each point
};

/// True if every fault set of a point is evaluated, and none is drawn.
[[nodiscard]] bool evaluates_every_set(const FractionsSpec& spec, const FaultComponents& components,
                                       std::uint32_t faults);

/// True if one set is evaluated from each class of symmetric ones (every_fault_set()), the number of which is
/// not known before. `survival`: fixed_paths where the routing is not recomputed after faults.
[[nodiscard]] bool evaluates_symmetry_classes(const FractionsSpec& spec, const FaultComponents& components,
                                              std::uint32_t faults, Survival survival);

/// How many sets a point takes if it is not stopped; with an interval width, the most that it is likely to
/// take. At most 2^64 - 1. Throws for numbers of faults that resilience() refuses.
[[nodiscard]] std::uint64_t expected_sets(const FractionsSpec& spec, const FaultComponents& components,
                                          std::uint32_t faults);

/// Terminals outside the largest set of terminals of which every two are connected both ways, over the fault
/// sets evaluated.
struct LostTerminalsFigure {
  std::uint32_t worst = 0;
  double mean = 0;
  bool exact =
      true;  ///< otherwise upper bounds: for some fault sets, larger connected sets were not ruled out
  /// If every fault set was evaluated and terminals count as connected by any path: a set with the largest
  /// loss, and the terminals that it loses.
  std::vector<std::string> worst_set, worst_set_terminals;
  std::vector<std::uint64_t> by_lost;  ///< likewise: sets that lose 0, 1, 2 … terminals
};

/// The most harmful faults that were found.
struct WorstFaults {
  std::vector<std::string> components;  ///< empty if no pair can be lost
  std::uint64_t pairs_lost = 0;         ///< ordered pairs
  std::uint64_t bound = 0;              ///< upper bound: no set of as many faults loses more pairs
  bool exact = false;                   ///< proven: no set is worse
};

/// Fault sets under which the network stays connected but the routing leaves a pair unserved.
struct UnservedSets {
  std::uint64_t disconnected = 0;  ///< sets that disconnect the network, which do not count
  std::uint64_t sets = 0;
  /// Of the sets that leave the network connected; none if all disconnect it.
  std::optional<double> fraction;
  Interval interval{0, 1};
};

/// Pairs that arrive with probability one but without a bound on hops (pair_classes.h): they do not count as
/// connected.
struct LikelyPairsFigure {
  double fraction = 0;  ///< mean over the sets, of all ordered pairs
  Interval interval;
  std::uint64_t sets = 0;  ///< enumerated
};

/// What `faults` simultaneous faults do. Fractions are of fault sets or of ordered pairs of different
/// terminals.
struct FaultPoint {
  std::uint32_t faults = 0;
  std::uint64_t sets = 0;           ///< fault sets evaluated
  bool exhaustive = false;          ///< every one of them
  double intolerable_fraction = 0;  ///< sets that disconnect at least one pair
  Interval intolerable_interval;
  double connected_pairs_fraction = 0;
  Interval connected_pairs_interval;
  double connected_live_pairs_fraction =
      0;  ///< among pairs whose own terminals still have a living switch each
  std::optional<std::string> intolerable_sets, sets_total;  ///< exact counts, decimal
  /// Exact: why this number of faults was sampled instead of counted.
  std::optional<std::string> not_counted;
  std::optional<LikelyPairsFigure> likely_pairs;      ///< if packets may revisit a state
  std::optional<UnservedSets> unserved;               ///< if sources plan (Survival::plans)
  std::optional<LostTerminalsFigure> lost_terminals;  ///< on request
  std::optional<WorstFaults> worst_faults;            ///< of resilience(), on request
};

struct Fractions {
  std::vector<FaultPoint> points;
  bool interrupted =
      false;           ///< stopped early: the last point may have fewer sets, and later ones are missing
  double seconds = 0;  ///< CPU time of evaluating the points
  double sets_per_second = 0;  ///< per second of CPU time
};

}  // namespace faultline
#pragma GCC visibility pop
