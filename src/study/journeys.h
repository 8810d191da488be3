// SPDX-License-Identifier: Apache-2.0
// How far packets travel under faults, and why some do not arrive.
#pragma once

#include <optional>
#include <vector>

#include "faultline/base/interval.h"
#include "faultline/base/progress.h"
#include "faultline/base/stop.h"
#include "faultline/fault/components.h"
#include "faultline/routing/kind.h"
#include "faultline/routing/knowledge.h"

namespace faultline {

/// A mean over fault sets, and its 95 % interval of Student's t over the sets drawn: of fractions, within
/// 0 … 1, or of lengths in links. Both ends are the mean where every set was evaluated.
struct MeanOverSets {
  double mean = 0;
  Interval interval;
};

/// Ordered pairs of different terminals by outcome, as fractions of all, and how far packets travel.
struct Journeys {
  std::uint32_t faults = 0;
  std::uint64_t sets = 0;
  bool exhaustive = false;  ///< every fault set of this size
  MeanOverSets served;      ///< every play arrives
  MeanOverSets likely;      ///< arrive with probability one, without a bound on hops (PairClass::likely)
  /// The others, each for one reason, the first that applies.
  MeanOverSets dead_leaf;  ///< no channel from the source, or to the destination, is alive
  MeanOverSets ping_pong;  ///< the packet travels for ever
  MeanOverSets
      dead_end;  ///< it comes to a switch without an option, is lost on a dead channel, or is never sent
  MeanOverSets connected;  ///< what any routing could serve: some path is alive
  /// Links from terminal to terminal, over the pairs served: those travelled, hops back included (the mean if
  /// each admissible option is taken equally often), and those of the shortest living path. Sets under which
  /// no pair is served do not count; absent if there are no others.
  std::optional<MeanOverSets> links, shortest_links;
};

struct JourneysSpec {
  Resolved<RoutingKind> routing;
  Knowledge knowledge = Knowledge::all();
  SourceRole source = SourceRole::any;
  std::uint64_t sets = 0;  ///< of a size; if there are no more, all of them
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;  ///< never changes the answer
  StopFlag stop = nullptr;    ///< once set, Stopped is thrown
};

/// Follows the packets of all pairs, one fault set after the other. O(states) for each set. Throws
/// Error("topology") for fewer than two terminals.
[[nodiscard]] std::vector<Journeys> follow_packets(const TopologyPtr& topology,
                                                   const FaultComponents& components,
                                                   const std::vector<std::uint32_t>& fault_counts,
                                                   const JourneysSpec& spec, const Progress& progress);

}  // namespace faultline
