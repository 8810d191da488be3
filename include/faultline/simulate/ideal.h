// SPDX-License-Identifier: Apache-2.0
// What the channels could carry at best, before any packet moves. All throughputs in flits/cycle/terminal,
// silent terminals included in the count.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "faultline/routing/relation.h"
#include "faultline/traffic/pattern.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Expected flits per cycle on each channel, by channel, when every source that is not silent injects one
/// flit per cycle and every packet takes any channel that its routing offers first (the lowest tier) with the
/// same probability: γ of Dally & Towles, section 3.3.1. Packets of pairs that are not connected load only
/// the channels that they reach; those that go in circles for ever load them without bound (infinity).
[[nodiscard]] std::vector<double> expected_channel_loads(const RoutingRelation& relation,
                                                         const TrafficPattern& pattern);

/// The largest of them. Absent for more than 4096 terminals or 2^20 communicating pairs, if no pair
/// communicates, and for a trace.
[[nodiscard]] std::optional<double> even_split_busiest_load(const RoutingRelation& relation,
                                                            const TrafficPattern& pattern);

/// When to stop tightening the bounds. The default takes a few seconds at most.
struct IdealEffort {
  double gap = 0.01;  ///< relative gap allowed between `reached` and `bound`, at least 1e-4
  /// The linear program is used up to this number of arcs, which are steps that the packets of one
  /// destination may take, summed over the destinations.
  std::size_t lp_arcs = 12'000;
  /// Arcs times rounds of multiplicative weights, after which the gap stays as it is; as many times more as
  /// `gap` is smaller than the default.
  double arc_rounds = 3e7;
  bool channels_fail = false;   ///< during the run: options of every tier may be taken
  bool sources_choose = false;  ///< source agents inject by options of every tier
};

/// A pattern's throughput when no channel carries more than one flit per cycle.
struct IdealThroughput {
  /// If packets take every channel that the routing offers with the same probability: a bound for oblivious
  /// selection, not for adaptive selection. 0 if some go in circles for ever.
  double even_split = 0;
  /// If the routing divides each pair's packets over all its paths in the best way for the pattern: a maximum
  /// concurrent flow. No selection function serves each pair in proportion at more than `bound`; some
  /// division serves `reached`.
  double bound = 0, reached = 0;
  /// Packets that choose obliviously may run into dead ends. `bound` holds if all arrive; those that are lost
  /// leave more bandwidth to the others.
  bool loses_some = false;
  /// "even split" (as good as any, or the network is too large to look for a better one), "linear program",
  /// "multiplicative weights".
  std::string_view method;
};

/// Pairs that are not connected do not count. Absent as even_split_busiest_load().
[[nodiscard]] std::optional<IdealThroughput> ideal_throughput(const RoutingRelation& relation,
                                                              const TrafficPattern& pattern,
                                                              const IdealEffort& effort = {});

}  // namespace faultline
#pragma GCC visibility pop
