// SPDX-License-Identifier: Apache-2.0
// The paths that packets may take, one class of destinations at a time, so that a large network is never held
// whole.
#pragma once

#include <functional>
#include <vector>

#include "faultline/base/progress.h"
#include "faultline/routing/kind.h"
#include "faultline/routing/states.h"

namespace faultline::survival {

using Move = DestinationStates::Move;

/// Sources whose packets enter the states of a destination alike, up to the names of their own channels.
struct SourceGroup {
  std::vector<TerminalId> sources;
  TerminalId drawn_for;          ///< the destination for which `injections` was read
  std::vector<Move> injections;  ///< of sources.front()
};

/// Destinations that packets reach alike, up to the names of their own ejection channels.
struct DestinationClass {
  std::vector<TerminalId> members;
  DestinationStates states;  ///< of members.front()
  std::vector<SourceGroup> groups;

  /// Ordered pairs (source, member) of different terminals.
  [[nodiscard]] std::uint64_t pairs(const SourceGroup& group) const;
};

/// The channel of `to` that corresponds to `channel` of `from`: channels of other terminals map to
/// themselves.
[[nodiscard]] ChannelId translate(const Topology& topology, ChannelId channel, TerminalId from,
                                  TerminalId to);

/// Progress of the compilation: the callback and its label.
struct DestinationsProgress {
  std::string_view what;
  Progress progress;
};

/// Calls `visit` for each class of destinations, always in the same order. For Survival::fixed_paths the
/// paths are those of the relation; otherwise all paths of the topology, one state per switch, nearest first.
void for_each_destination_class(const RoutingRelation& relation, Survival survival,
                                const std::function<void(const DestinationClass&)>& visit,
                                const DestinationsProgress& told = {});

}  // namespace faultline::survival
