// SPDX-License-Identifier: Apache-2.0
// Which channels are down in a cycle.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "faultline/fault/schedule.h"
#include "faultline/routing/relation.h"
#include "faultline/simulate/clock.h"

namespace faultline {

class Outages {
 public:
  Outages(const Topology& topology, const FaultSchedule& schedule);

  /// Called with cycle after cycle: true if a channel has gone down or come up.
  bool advance(Time now) {
    return advance(now, [](ChannelId) {});
  }
  /// The same; visit(channel) for each that has.
  template <class Visit>
  bool advance(Time now, Visit visit) {
    const std::size_t first = next_;
    for (; next_ != changes_.size() && changes_[next_].at <= now; ++next_) {
      down_[changes_[next_].channel.index()] = !changes_[next_].up;
      down_for_good_[changes_[next_].channel.index()] = changes_[next_].for_good;
      visit(changes_[next_].channel);
    }
    return next_ != first;
  }

  /// As of the last cycle.
  [[nodiscard]] bool is_down(ChannelId channel) const { return !down_.empty() && down_[channel.index()]; }
  /// Likewise, and it never comes up again: no packet can wait for it.
  [[nodiscard]] bool is_down_for_good(ChannelId channel) const {
    return !down_for_good_.empty() && down_for_good_[channel.index()];
  }
  [[nodiscard]] bool are_down_for_good(std::span<const ChannelId> channels) const {
    return std::ranges::all_of(channels, [this](ChannelId channel) { return is_down_for_good(channel); });
  }
  /// A packet with these options, of a relation that no other follows, has nothing to wait for.
  [[nodiscard]] bool none_comes_up(std::span<const RouteOption> options) const {
    return std::ranges::all_of(
        options, [this](const RouteOption& option) { return is_down_for_good(option.channel); });
  }
  /// Some channel will still go down or come up before cycle `end`.
  [[nodiscard]] bool any_ahead(Time end) const {
    return next_ != changes_.size() && changes_[next_].at < end;
  }
  /// A channel goes down after cycle `after` and before cycle `before`.
  [[nodiscard]] bool goes_down(ChannelId channel, Time after, Time before) const {
    return !down_.empty() && finds_failure(channel, after, before);
  }

 private:
  struct Change {
    Time at;
    bool up;
    ChannelId channel;
    bool for_good;
  };

  [[nodiscard]] bool finds_failure(ChannelId channel, Time after, Time before) const;

  std::vector<Change> changes_;  // by time
  std::size_t next_ = 0;
  std::vector<bool> down_, down_for_good_;  // by channel; empty where nothing ever fails
  std::vector<Outage> by_channel_;          // by channel and time
};

}  // namespace faultline
