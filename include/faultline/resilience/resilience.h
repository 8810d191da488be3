// SPDX-License-Identifier: Apache-2.0
// Which faults a network and its routing survive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faultline/base/interval.h"
#include "faultline/base/progress.h"
#include "faultline/base/stop.h"
#include "faultline/fault/components.h"
#include "faultline/resilience/reliability.h"
#include "faultline/routing/kind.h"

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

struct ResilienceSpec {
  std::vector<std::uint32_t> fault_counts;  ///< points to evaluate; may be empty
  ResilienceMethod method = ResilienceMethod::automatic;
  std::uint64_t samples = 100'000;            ///< fault sets a point
  std::uint64_t exact_steps = 2'000'000'000;  ///< exact: work for all points together; about a minute
  /// Sampling ends a point once the 95 % interval of its intolerable fraction is narrower than this
  /// (absolute: 0.01 is one percentage point), however many sets that takes, up to `budget`. Tested at fixed
  /// numbers of sets, at most an eighth apart.
  std::optional<double> interval_width;
  std::optional<std::uint64_t> budget;  ///< most fault sets a point; absent: 10 million with a width
  /// What switches know of the faults, and who chooses at the sources; a pair survives while it is served
  /// (routing/pair_classes.h). Within a radius, a further fault may reconnect a pair.
  Knowledge knowledge = Knowledge::all();
  SourceRole source = SourceRole::any;
  std::uint64_t seed = 1;
  Placement placement;               ///< clustered sets are always drawn, even where there are few
  bool failing_set = false;          ///< look for the smallest failing set (SmallestFailing)
  bool adversary = false;            ///< look for the most harmful faults at each point
  std::uint64_t cuts = 0;            ///< minimum cuts to list; 0: none is looked for
  std::vector<ComponentRate> rates;  ///< one for each unit that fails; empty: no reliability is asked for
  bool lost_terminals = false;       ///< count them for each point
  std::uint32_t threads = 1;
  StopFlag stop = nullptr;  ///< once set, points end at their next block
  std::string kernel;  ///< "reference", "word", …; empty: the fastest here (or what FAULTLINE_KERNEL names)
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
  std::optional<WorstFaults> worst_faults;            ///< where asked for
};

/// Every set of `size` components that disconnects a pair; no smaller set does.
struct MinimumCutList {
  std::uint32_t size = 0;
  std::optional<std::string> count;  ///< exact, decimal; nothing where they are too many to be counted
  std::vector<std::vector<std::string>> listed;
};

/// The smallest set found that fails the routing though the network stays connected (where that is
/// distinguished: Survival::plans; else any set that disconnects a pair).
struct SmallestFailing {
  std::vector<std::string> components;  ///< empty where none was found
  std::uint64_t tried = 0;              ///< fault sets evaluated in the search
  std::uint64_t patterns_tried = 0;     ///< of them, sets of one component less around those found
};

/// A component worth watching.
struct CriticalComponent {
  std::string name;
  std::uint64_t pairs_lost = 0;  ///< ordered pairs disconnected when it fails alone
  double cut_share = 0;  ///< share of the minimum-cut terminal pairs that have it in their minimum cut
};

struct ResilienceResult {
  FaultUnits unit = FaultUnit::channel;
  FaultScope scope = FaultScope::network;
  Knowledge knowledge = Knowledge::all();
  SourceRole source = SourceRole::any;
  std::size_t components = 0;
  std::uint32_t tolerated_faults = 0;  ///< the largest N of which any N faults leave every pair connected
  bool tolerated_exact = false;        ///< otherwise a lower bound
  std::vector<std::string>
      witness;               ///< tolerated_faults + 1 components whose failure disconnects witness_pair
  std::string witness_pair;  ///< "terminal 0 -> terminal 7"
  /// Where asked for; nothing where no set of components disconnects a pair.
  std::optional<MinimumCutList> minimum_cuts;
  std::optional<SmallestFailing> smallest_failing;  ///< where asked for
  std::vector<CriticalComponent> critical;          ///< most harmful first
  std::vector<FaultPoint> by_faults;
  std::optional<Reliability> reliability;  ///< where rates are given
  bool interrupted = false;    ///< stopped: the last point may have fewer sets, and further ones are missing
  double seconds = 0;          ///< CPU time of evaluating the points
  double sets_per_second = 0;  ///< per second of CPU time
};

/// `relation` is the one of the healthy network, `survival` what its routing does about faults that all
/// switches know: with less knowledge, they keep to the paths of the healthy network.
/// `progress` counts fault sets over all points. Throws Error("resilience.…") for a fault count above the
/// number of components, a budget of 0, an interval width outside 0 … 1, or a method that cannot do this
/// (exact: too large for any number of faults; exact and rare: too many minimal cuts where the routing is
/// computed anew after faults; rare and reliability: knowledge within a radius, where a further fault may
/// reconnect a pair).
[[nodiscard]] ResilienceResult resilience(const RelationPtr& relation, Survival survival,
                                          const FaultComponents& components, const ResilienceSpec& spec,
                                          const Progress& progress = {});

}  // namespace faultline
#pragma GCC visibility pop
