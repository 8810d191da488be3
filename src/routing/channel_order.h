// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
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
    if (held == wanted) return false;
    begin(behind_, wanted);
    begin(before_, held);
    const auto look_behind = [&] {
      return look(behind_, before_, for_each_wanted, [&](ChannelId one) { return is_before(one, held); });
    };
    const auto look_before = [&] {
      return look(before_, behind_, for_each_holder, [&](ChannelId one) { return is_before(wanted, one); });
    };
    // From both ends at once: where a switch has many ports, what is refused meets after few channels.
    while (behind_.has_more() && before_.has_more())
      if (behind_.examined <= before_.examined ? look_behind() : look_before()) return false;
    while (behind_.has_more()) look_behind();
    while (before_.has_more()) look_before();
    share_out_positions();
    return true;
  }
  /// Channels that searches have examined so far: what all of this costs.
  [[nodiscard]] std::uint64_t examined() const { return examined_; }

 private:
  /// What dependencies lead to from one channel, or from what to it, between the two that are put in order.
  struct Search {
    std::vector<ChannelId> found;
    std::size_t next = 0;        // of them: what it leads to is not known yet
    std::uint64_t mark = 0;      // of what was found
    std::uint64_t examined = 0;  // channels

    [[nodiscard]] bool has_more() const { return next < found.size(); }
  };

  void begin(Search& search, ChannelId first) {
    search = {.found = std::move(search.found), .mark = ++searches_};
    search.found.assign(1, first);
    mark_[first.index()] = search.mark;
  }
  /// One channel further. True if the other search has been there.
  template <class ForEachNext, class IsBetween>
  bool look(Search& search, const Search& other, ForEachNext for_each_next, IsBetween is_between) {
    bool meets = false;
    const std::uint64_t before = search.examined;
    for_each_next(search.found[search.next++], [&](ChannelId channel) {
      ++search.examined;
      std::uint64_t& mark = mark_[channel.index()];
      meets = meets || mark == other.mark;
      if (mark == search.mark || mark == other.mark || !is_between(channel)) return;
      mark = search.mark;
      search.found.push_back(channel);
    });
    examined_ += search.examined - before;
    return meets;
  }

  /// What was found before, and then what was found behind, takes the positions that they have together.
  void share_out_positions() {
    const auto position = [&](ChannelId channel) { return position_[channel.index()]; };
    std::vector<ChannelId>& moved = before_.found;
    std::ranges::sort(moved, {}, position);
    std::ranges::sort(behind_.found, {}, position);
    moved.insert(moved.end(), behind_.found.begin(), behind_.found.end());
    positions_.clear();
    for (const ChannelId channel : moved) positions_.push_back(position(channel));
    std::ranges::sort(positions_);
    for (std::size_t i = 0; i < moved.size(); ++i) set_position(moved[i], positions_[i]);
  }

  std::vector<std::uint32_t> position_;  // by channel
  std::vector<std::uint64_t> mark_;      // by channel: the last search that found it
  std::uint64_t searches_ = 0;
  std::uint64_t examined_ = 0;
  Search behind_, before_;
  std::vector<std::uint32_t> positions_;  // scratch
};

}  // namespace faultline
