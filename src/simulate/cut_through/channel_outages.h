// SPDX-License-Identifier: Apache-2.0
// A schedule of faults for the event-driven engine, which asks about cycles ahead of time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "faultline/simulate/clock.h"
#include "faultline/simulate/simulate.h"

namespace faultline::cut_through {

/// In cycle `at` a channel of a switch or terminal goes down or comes up.
struct ChannelChange {
  Time at;
  std::uint32_t owner;
  std::uint32_t position;  ///< of the channel, among the outputs of the switch or the terminal's channels
  bool is_permanent;       ///< it never comes up again
};

class ChannelOutages {
 public:
  ChannelOutages(const Topology& topology, const SimulationSpec& spec);

  [[nodiscard]] bool any() const { return !spans_.empty(); }
  /// Some channel goes down or comes up in cycle `from` or later in the run.
  [[nodiscard]] bool any_from(Time from) const { return last_change_ >= from; }

  /// The first cycle from `from` on in which the channel is up; the end of the run if there is none in it,
  /// and `never` if it is down for good.
  [[nodiscard]] Time up_from(ChannelId channel, Time from) const;
  /// From when on the channel is down for good; `never` if it is not.
  [[nodiscard]] Time down_for_good_from(ChannelId channel) const;
  /// A packet that is on the channel in any cycle from `from` to before `until` is lost.
  [[nodiscard]] bool loses(ChannelId channel, Time from, Time until) const;

  /// Of switches, by time and switch.
  [[nodiscard]] std::span<const ChannelChange> of_switches() const { return switches_; }
  /// Of terminals, by terminal and time.
  [[nodiscard]] std::span<const ChannelChange> of_terminals() const { return terminals_; }

 private:
  struct Span {
    ChannelId channel;
    Time from, until;
  };

  /// The first that begins after `time`, of the channel or one behind it.
  [[nodiscard]] std::vector<Span>::const_iterator first_after(ChannelId channel, Time time) const;

  bool drops_;
  Time last_change_ = -1;
  std::vector<Span> spans_;  // by channel and time
  std::vector<ChannelChange> switches_, terminals_;
};

}  // namespace faultline::cut_through
