// SPDX-License-Identifier: Apache-2.0
// What a number of simultaneous faults does to the pairs: the question, and the answer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faultline/base/interval.h"

#pragma GCC visibility push(default)
namespace faultline {

enum class ResilienceMethod : std::uint8_t {
  automatic,  ///< exhaustive where all fault sets are at most `samples`, else sampled
  exhaustive,
  sampled,
  /// Intolerable sets counted exactly, without listing them, for the numbers of faults that take about a
  /// minute together; the others say so (FaultPoint::not_counted). Connected pairs as by automatic.
  exact,
  rare,  ///< intolerable fraction by an estimator for small probabilities; connected pairs as by automatic
};

/// Where the faults of a drawn set are.
struct Placement {
  /// Absent: anywhere. Else within this many hops of a switch that is drawn first: a component counts where
  /// all switches that its channels touch are; where fewer components than faults are, the radius grows.
  std::optional<std::uint32_t> radius;
};

struct FractionsSpec {
  std::vector<std::uint32_t> fault_counts = {};  ///< points to evaluate; may be empty
  ResilienceMethod method = ResilienceMethod::automatic;
  std::uint64_t samples = 100'000;            ///< fault sets a point
  std::uint64_t exact_steps = 2'000'000'000;  ///< exact: work for all points together; about a minute
  /// Sampling ends a point once the 95 % interval of its intolerable fraction is narrower than this
  /// (absolute: 0.01 is one percentage point), however many sets that takes, up to `budget`. Tested at fixed
  /// numbers of sets, at most an eighth apart.
  std::optional<double> interval_width = {};
  std::optional<std::uint64_t> budget = {};  ///< most fault sets a point; absent: 10 million with a width
  Placement placement = {};                  ///< clustered sets are always drawn, even where there are few
  bool lost_terminals = false;               ///< count them for each point
};

/// Terminals outside the largest set of terminals of which every two are connected both ways, over the fault
/// sets evaluated.
struct LostTerminalsFigure {
  std::uint32_t worst = 0;
  double mean = 0;
  bool exact =
      true;  ///< otherwise, for some fault sets, larger connected sets were not ruled out: upper bounds
  /// Where every fault set was evaluated and terminals are connected by whatever path there is: a set that
  /// loses most, and the terminals that it loses.
  std::vector<std::string> worst_set, worst_set_terminals;
  std::vector<std::uint64_t> by_lost;  ///< likewise: sets that lose 0, 1, 2 … terminals
};

/// The most harmful faults that were found.
struct WorstFaults {
  std::vector<std::string> components;  ///< empty where no pair can be lost
  std::uint64_t pairs_lost = 0;         ///< ordered pairs
  std::uint64_t bound = 0;              ///< no set of as many faults loses more pairs
  bool exact = false;                   ///< proven: no set is worse
};

/// Fault sets under which the network stays connected but the routing leaves a pair unserved.
struct UnservedSets {
  std::uint64_t disconnected = 0;  ///< sets that cut the network apart, which do not count
  std::uint64_t sets = 0;
  double fraction = 0;  ///< of the sets that leave the network connected
  Interval interval;
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
  std::optional<LikelyPairsFigure> likely_pairs;      ///< where packets may pass a state twice
  std::optional<UnservedSets> unserved;               ///< where sources plan (Survival::plans)
  std::optional<LostTerminalsFigure> lost_terminals;  ///< where asked for
  std::optional<WorstFaults> worst_faults;            ///< of resilience(), where asked for
};

struct Fractions {
  std::vector<FaultPoint> points;
  bool interrupted = false;    ///< stopped: the last point may have fewer sets, and further ones are missing
  double seconds = 0;          ///< CPU time of evaluating the points
  double sets_per_second = 0;  ///< per second of CPU time
};

}  // namespace faultline
#pragma GCC visibility pop
