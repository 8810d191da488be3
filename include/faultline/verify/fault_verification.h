// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "faultline/base/interval.h"
#include "faultline/base/progress.h"
#include "faultline/fault/components.h"
#include "faultline/routing/kind.h"
#include "faultline/verify/verify.h"

#pragma GCC visibility push(default)
namespace faultline {

/// The pairs whose packets may travel for ever under one fault set.
struct Livelocks {
  std::vector<std::string> failed;
  std::vector<std::pair<TerminalId, TerminalId>> pairs;
};

/// What verification says about the fault sets of one size. Intervals are of the fraction of all sets of that
/// size.
struct VerifiedFaults {
  std::uint32_t faults = 0;
  std::uint64_t sets = 0;  ///< verified
  bool exhaustive = false;
  std::uint64_t disconnected = 0;       ///< sets that leave some pair unreachable (Verdict)
  std::uint64_t cut_off = 0;            ///< sets that leave some pair cut off (Verdict::cut_off_pairs)
  std::uint64_t not_deadlock_free = 0;  ///< sets for which freedom of deadlock is refuted, or not proved
  std::uint64_t endless = 0;            ///< sets that let packets travel without bound
  std::uint64_t likely = 0;             ///< sets with likely pairs (PairClass::likely), all others served
  /// Sets for which the routing cannot be built (TooFewVirtualChannels): not proved, and in no other number.
  std::uint64_t not_built = 0;
  Interval disconnected_interval, not_deadlock_free_interval;
  std::vector<std::string> witness;  ///< the components of the first set that is not positive(); else empty
  std::vector<std::string> not_built_witness;  ///< of the first that the routing cannot be built for
  std::vector<Livelocks> livelocks;            ///< of every set that has any, on request

  [[nodiscard]] bool positive() const { return disconnected + not_deadlock_free + endless + not_built == 0; }
};

struct FaultVerificationSpec {
  Resolved<RoutingKind> routing;  ///< none: the topology's default
  Switching switching = Switching::cut_through;
  Knowledge knowledge = Knowledge::all();
  SourceRole source = SourceRole::any;
  std::uint32_t max_faults = 0;
  std::uint64_t max_sets = 0;  ///< per size: if there are more, this many are drawn
  std::uint64_t seed = 1;
  StopFlag stop = nullptr;         ///< once set, what has been verified is returned
  bool selection_commits = false;  ///< VerifySpec::selection_commits
  bool takes_first = false;        ///< VerifySpec::takes_first
  bool list_livelocks = false;
};

struct VerifiedFaultSets {
  std::vector<VerifiedFaults> points;  ///< sizes 1 … max_faults
  /// Stopped early: the last point has fewer sets if these are drawn, and later ones are missing.
  bool interrupted = false;
};

/// Throws Error("verify.all-faults-up-to") if there are fewer components than max_faults.
[[nodiscard]] VerifiedFaultSets verify_fault_sets(const TopologyPtr& topology,
                                                  const FaultComponents& components,
                                                  const FaultVerificationSpec& spec,
                                                  const Progress& progress);

}  // namespace faultline
#pragma GCC visibility pop
