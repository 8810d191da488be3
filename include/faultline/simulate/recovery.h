// SPDX-License-Identifier: Apache-2.0
// What a failure does to throughput, and how long the throughput takes to recover.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "faultline/fault/fault_set.h"
#include "faultline/simulate/simulate.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Of the cycle `at`, in which channels went down. Throughputs are in flits/cycle/terminal; all that follows
/// counts up to the next cycle in which channels go down, or the end of the run, whether channels come up
/// meanwhile or not.
struct Recovery {
  std::uint64_t at = 0;
  std::size_t channels_down = 0;  ///< from then on, those that were down before included
  /// Mean over the bins since the throughput was back after the previous failure and the queues that failures
  /// had filled have drained (what was owed has arrived, and no later bins are higher than before by more
  /// than chance explains), without the warm-up of the run. If it was not back, or there is none: since that
  /// failure (or the beginning), without the warm-up that MSER-5 finds. If fewer than four bins are left for
  /// a comparison, nothing was delivered in them or queues still drain in all of them, that of the failure
  /// before. Absent if there is none, or if bins scatter so much that not even a total loss would stand out:
  /// then `back_after` is also unknown.
  std::optional<double> before;
  double lowest = 0;  ///< of any bin from the failure on
  double after = 0;   ///< mean over the second half of the time
  /// Cycles from the failure within which throughput is back: to the end of the first bin after the drop.
  /// What brought it back, such as a repair, may lie anywhere in that bin, so the throughput may have been
  /// back up to a bin earlier. The drop ends where it most likely does, by least squares: the last bins of
  /// one need not be low for themselves, and where few packets arrive in a bin the end may be a few bins off.
  /// There is a drop where bins are below `before` by more than a hundredth, and significantly so: one bin
  /// (a prediction limit by Student's t that all bins together satisfy with a probability of 99.7 % if
  /// nothing has happened, with the lower tail of a Poisson-distributed number; where the bins of `before`
  /// are too few for any to be low, their scatter is estimated together with that of the bins that earlier
  /// failures were compared with), or, of what follows the last low bin, the mean of 2, 4, 8, … bins in a
  /// row, wherever they begin, or else, by Welch's t, that of the first 4, 8, 16, … bins after the failure.
  /// 0 if there is none: a drop that is too short for its few packets is not told from chance (about 15 that
  /// do not arrive where none does; more where only some of them are held up). Absent if the throughput does
  /// not recover: if fewer bins follow the drop than the last low mean is of, or if `after` is below `before`
  /// by more than a hundredth and, by Welch's t, significantly (where means of several bins scatter by more
  /// than those of independent bins would, their scatter counts). Of bins that are independent of each
  /// other, 1 % of failures without an effect look low by one of the three tests; near saturation and in
  /// long bursts, where they are not, more.
  std::optional<std::uint64_t> back_after;
};

/// One for each cycle in which channels of `outages` go down, unless no whole bin ends before the next such
/// cycle; in order of time. The resolution is the length of a bin; bins of another length (a requested
/// warm-up, the rest at the end) are left out. `dead`: channels that are down in the whole run, whether
/// among the outages or not. The traffic that is offered is taken to be stationary: in a trace, a lull looks
/// like a loss.
[[nodiscard]] std::vector<Recovery> recoveries(std::span<const ThroughputBin> throughput,
                                               const FaultSchedule& outages,
                                               const std::optional<FaultSet>& dead = {});

}  // namespace faultline
#pragma GCC visibility pop
