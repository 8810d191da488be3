// SPDX-License-Identifier: Apache-2.0
// Which faults a network and its routing survive.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "faultline/base/progress.h"
#include "faultline/base/stop.h"
#include "faultline/fault/components.h"
#include "faultline/resilience/fractions.h"
#include "faultline/resilience/reliability.h"
#include "faultline/routing/kind.h"

#pragma GCC visibility push(default)
namespace faultline {

/// What switches know of the faults, and who chooses at the sources; a pair survives if it is served
/// (routing/pair_classes.h). With a radius, a further fault may reconnect a pair.
struct StudyConditions {
  Knowledge knowledge = Knowledge::all();
  SourceRole source = SourceRole::any;
  std::uint64_t seed = 1;  ///< of everything that is drawn
  std::uint32_t threads = 1;
  /// Once set, fractions, the smallest failing set and reliability end at their next block; tolerance,
  /// minimum cuts and worst faults are found to their end.
  StopFlag stop = nullptr;
  std::string kernel =
      {};  ///< "reference", "word", …; empty: the fastest here (or what FAULTLINE_KERNEL names)
};

/// How many faults of any type leave every pair connected.
struct ToleratedFaults {
  std::uint32_t faults = 0;          ///< the largest N such that any N faults leave every pair connected
  bool exact = false;                ///< otherwise a lower bound
  bool if_connected = false;         ///< sets that disconnect the network do not count (Survival::plans)
  std::vector<std::string> witness;  ///< faults + 1 components whose failure disconnects witness_pair
  std::string witness_pair;          ///< "terminal 0 -> terminal 7"
};

/// The sets of `size` components that disconnect a pair; no smaller set does.
struct MinimumCutList {
  std::uint32_t size = 0;
  std::optional<std::string> count;  ///< exact, decimal; absent if there are too many to count
  std::vector<std::vector<std::string>> listed;
};

/// The smallest set found under which the routing leaves a pair unserved although the network stays
/// connected.
struct SmallestFailing {
  std::vector<std::string> components;  ///< empty if none was found
  std::uint64_t tried = 0;              ///< fault sets evaluated in the search
  std::uint64_t patterns_tried = 0;     ///< of these, sets with one component less than those found
};

/// A critical component.
struct CriticalComponent {
  std::string name;
  /// By how many more ordered pairs are disconnected when it fails alone than without faults.
  std::uint64_t pairs_lost = 0;
  /// Of the terminal pairs that the fewest faults disconnect: the share for which it is one of such faults
  /// (is in a minimum cut, and no other component removes the same and more); absent where tolerance was not
  /// found by cuts, or where the search for all minimum cuts of a pair gave up.
  std::optional<double> cut_share;
};

/// One network, one routing, and what may fail: compiled once, for any number of questions. Not to be shared
/// by threads; it uses several itself. Whatever is not possible throws Error("resilience.…").
class ResilienceStudy {
 public:
  /// `relation` is that of the healthy network, `survival` how its routing handles faults that all switches
  /// know: with less knowledge, switches keep to the paths of the healthy network.
  ResilienceStudy(RelationPtr relation, Survival survival, FaultComponents components,
                  StudyConditions conditions = {}, const Progress& progress = {});
  ResilienceStudy(ResilienceStudy&&) noexcept;
  ResilienceStudy& operator=(ResilienceStudy&&) noexcept;
  ~ResilienceStudy();

  [[nodiscard]] const FaultComponents& components() const;
  [[nodiscard]] const StudyConditions& conditions() const;

  /// Computed on first use, here or by another question.
  [[nodiscard]] const ToleratedFaults& tolerance(const Progress& progress = {});

  /// Ordered pairs that are disconnected although nothing has failed. All other figures but
  /// CriticalComponent::pairs_lost count them as well.
  [[nodiscard]] std::uint64_t lost_without_faults(const Progress& progress = {});

  /// All that disconnect a pair alone or, where tolerance was found by cuts, are in a minimum cut, most
  /// harmful first.
  [[nodiscard]] std::vector<CriticalComponent> critical();

  /// All sets of the fewest faults that disconnect a pair, at most `max_listed` of them listed. Absent if no
  /// set does. Throws if the tolerance is only a lower bound.
  [[nodiscard]] std::optional<MinimumCutList> minimum_cuts(std::uint64_t max_listed);

  [[nodiscard]] SmallestFailing smallest_failing() const;

  /// `progress` counts fault sets over all points. Throws for a fault count above the number of components, a
  /// budget of 0, an interval width outside 0 … 1, or a method that cannot answer (exact: too large for any
  /// number of faults; exact and rare: too many minimal cuts if the routing is recomputed after faults; rare:
  /// knowledge within a radius).
  [[nodiscard]] Fractions fractions(const FractionsSpec& spec, const Progress& progress = {}) const;

  /// Throws Stopped once asked to stop.
  [[nodiscard]] WorstFaults worst(std::uint32_t faults);

  /// Absent if stopped. Throws for rates that do not fit the components, and for knowledge within a radius.
  [[nodiscard]] std::optional<Reliability> reliability(const ReliabilitySpec& spec);

 private:
  struct [[gnu::visibility("hidden")]] State;
  std::unique_ptr<State> state_;
};

/// The questions to one study. Those left at their defaults are not asked.
struct ResilienceSpec {
  FractionsSpec fractions = {};
  ReliabilitySpec reliability = {};
  std::uint64_t cuts = 0;    ///< minimum cuts to list; 0: no search
  bool failing_set = false;  ///< search for the smallest failing set (SmallestFailing)
  bool adversary = false;    ///< search for the most harmful faults at each point
  StudyConditions conditions = {};
};

struct ResilienceResult {
  FaultUnits unit = FaultUnit::channel;
  FaultScope scope = FaultScope::network;
  Knowledge knowledge = Knowledge::all();
  SourceRole source = SourceRole::any;
  std::size_t components = 0;
  ToleratedFaults tolerance;
  std::uint64_t lost_without_faults = 0;
  std::vector<CriticalComponent> critical;
  /// On request; absent if no set of components disconnects a pair.
  std::optional<MinimumCutList> minimum_cuts;
  std::optional<SmallestFailing> smallest_failing;  ///< on request
  Fractions fractions;
  std::optional<Reliability> reliability;  ///< if rates are given
  bool interrupted = false;                ///< stopped early: later answers are missing
};

/// Intervals of points with at most as many faults as are tolerated are exact, whichever sets were drawn.
void settle_tolerated(const ToleratedFaults& tolerance, std::vector<FaultPoint>& points);

/// The answers of one ResilienceStudy to all questions of `spec`, which are checked before any is answered.
[[nodiscard]] ResilienceResult resilience(const RelationPtr& relation, Survival survival,
                                          const FaultComponents& components, const ResilienceSpec& spec,
                                          const Progress& progress = {});

}  // namespace faultline
#pragma GCC visibility pop
