// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "faultline/base/ids.h"

namespace faultline {

/// An order of channels in which each comes before those that it depends on, changed by as little as a new
/// dependency needs (Pearce & Kelly, A dynamic topological sort algorithm for directed acyclic graphs, ACM
/// JEA 11, 2006). The dependencies are kept by the owner.
class ChannelOrder {
 public:
  /// At first in the order of their numbers.
  explicit ChannelOrder(std::size_t channels) : position_(channels), mark_(channels) {
    std::iota(position_.begin(), position_.end(), 0U);
  }

  void set_position(ChannelId channel, std::uint32_t position) { position_[channel.index()] = position; }
  [[nodiscard]] bool is_before(ChannelId one, ChannelId other) const {
    return position_[one.index()] < position_[other.index()];
  }

  /// Moves channels so that `held` comes before `wanted`. False, and nothing is moved, if dependencies lead
  /// from `wanted` to `held`. for_each_wanted(channel, visit) visits what a channel depends on,
  /// for_each_holder(channel, visit) what depends on it.
  template <class ForEachWanted, class ForEachHolder>
  bool put_before(ChannelId held, ChannelId wanted, ForEachWanted for_each_wanted,
                  ForEachHolder for_each_holder) {
    if (is_before(held, wanted)) return true;
    if (leads(wanted, held, for_each_wanted)) return false;
    before_.assign(1, held);
    mark_[held.index()] = ++searches_;
    for (std::size_t next = 0; next < before_.size(); ++next)
      for_each_holder(before_[next], [&](ChannelId channel) {
        if (is_before(wanted, channel)) find(channel, before_);
      });
    share_out_positions();
    return true;
  }

 private:
  /// Whether dependencies lead from one channel to another that is not before it in the order.
  template <class ForEachWanted>
  bool leads(ChannelId from, ChannelId to, ForEachWanted for_each_wanted) {
    behind_.assign(1, from);
    mark_[from.index()] = ++searches_;
    bool found = from == to;
    for (std::size_t next = 0; next < behind_.size() && !found; ++next)
      for_each_wanted(behind_[next], [&](ChannelId channel) {
        found = found || channel == to;
        if (is_before(channel, to)) find(channel, behind_);
      });
    return found;
  }

  void find(ChannelId channel, std::vector<ChannelId>& channels) {
    if (mark_[channel.index()] == searches_) return;
    mark_[channel.index()] = searches_;
    channels.push_back(channel);
  }

  /// What was found before, and then what was found behind, takes the positions that they have together.
  void share_out_positions() {
    const auto position = [&](ChannelId channel) { return position_[channel.index()]; };
    std::ranges::sort(before_, {}, position);
    std::ranges::sort(behind_, {}, position);
    before_.insert(before_.end(), behind_.begin(), behind_.end());
    positions_.clear();
    for (const ChannelId channel : before_) positions_.push_back(position(channel));
    std::ranges::sort(positions_);
    for (std::size_t i = 0; i < before_.size(); ++i) set_position(before_[i], positions_[i]);
  }

  std::vector<std::uint32_t> position_;  // by channel
  std::vector<std::uint64_t> mark_;      // by channel: the last search that found it
  std::uint64_t searches_ = 0;
  std::vector<ChannelId> behind_, before_;  // found by the last searches
  std::vector<std::uint32_t> positions_;    // scratch
};

}  // namespace faultline
