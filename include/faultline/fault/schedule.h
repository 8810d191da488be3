// SPDX-License-Identifier: Apache-2.0
// Channels that go down and come up during a run.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "faultline/base/file.h"
#include "faultline/topology/topology.h"

#pragma GCC visibility push(default)
namespace faultline {

/// A channel is down in the cycles from `from` on and before `until`.
struct Outage {
  static constexpr std::uint64_t forever = std::numeric_limits<std::uint64_t>::max();
  ChannelId channel;
  std::uint64_t from = 0, until = forever;
  [[nodiscard]] bool is_permanent() const { return until == forever; }
  [[nodiscard]] bool covers(std::uint64_t cycle) const { return from <= cycle && cycle < until; }
  friend bool operator==(const Outage&, const Outage&) = default;
};

/// By channel, then by time; those of a channel neither overlap nor touch.
using FaultSchedule = std::vector<Outage>;

/// In the order of the schedule.
[[nodiscard]] std::vector<ChannelId> channels_down_in(const FaultSchedule& schedule, std::uint64_t cycle);

/// A component goes down, or comes up, with these channels.
struct FaultEvent {
  std::uint64_t cycle = 0;
  bool up = false;
  std::vector<ChannelId> channels;
};

/// A channel is down while any component that it belongs to is down. `events` are in order of time. Throws
/// Error("schedule") if a channel comes up that is not down.
[[nodiscard]] FaultSchedule fault_schedule(const Topology& topology, const std::vector<FaultEvent>& events);

/// Reads lines "cycle,down|up,name": the name of a channel, link, switch or terminal, as `topology` and
/// `resilience` print them. Lines may be in any order; those of one cycle keep theirs. Empty lines and lines
/// that begin with # are skipped. Throws Error(field) with file and line for anything else, for a name
/// that two components have, and for a component that goes down while it is down, or up while it is up.
[[nodiscard]] FaultSchedule read_fault_schedule(const TopologyPtr& topology, const InputFile& file,
                                                const std::string& field);

}  // namespace faultline
#pragma GCC visibility pop
