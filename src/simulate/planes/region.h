// SPDX-License-Identifier: Apache-2.0
// Some of the switches and terminals of a network, cycle by cycle. In a cycle no region needs to know what
// another does in it: flits and credits take at least one cycle.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "simulate/planes/inspect.h"

namespace faultline::wormhole::planes {

template <class Word, std::uint32_t Vcs>
class Region : private Inspectable<Word, Vcs> {
  using Base = Inspectable<Word, Vcs>;

 public:
  using State = typename Base::State;

  Region(const Run& run, State& state, std::uint32_t region, std::vector<Delivery>* log)
      : Base(run, state, region, log),
        advance_(state.steps.advance),
        longest_pull_(state.pulls.longest),
        groups_(state.partition.groups[region]),
        quiet_for_(state.groups) {
    for (const ChannelId channel : topology_.channels())
      if (topology_.role(channel) == ChannelRole::network) {
        const std::uint32_t from = topology_.source(channel).value() / this->lanes_;
        const std::uint32_t to = topology_.target(channel).value() / this->lanes_;
        if (this->owns_group(from)) neighbours_.emplace_back(from, to);
        if (this->owns_group(to)) neighbours_.emplace_back(to, from);
      }
    for (const std::uint32_t group : groups_) neighbours_.emplace_back(group, group);
    std::ranges::sort(neighbours_);
    neighbours_.erase(std::ranges::unique(neighbours_).begin(), neighbours_.end());
    first_neighbour_.resize(std::size_t{state.groups} + 1);
    for (const auto& [from, to] : neighbours_) ++first_neighbour_[from + 1];
    for (std::size_t i = 1; i < first_neighbour_.size(); ++i) first_neighbour_[i] += first_neighbour_[i - 1];
  }

  // The parts of a cycle, in this order.

  /// Messages of other regions and changes are read.
  void open() {
    this->packets_.look_again();
    if (this->network_changes()) this->choose_again();
    if (this->state_.mail.size() > 1) this->read_wakes();
    this->begin();
  }
  /// Terminals send: they read the buffers of switches of this region, or of all.
  using Base::send;
  void run_switches() {
    UnderWay before, earlier;
    for (const std::uint32_t group : groups_) {
      if (this->active_until_[group] < now_) {
        stay_quiet(group);
        continue;
      }
      quiet_for_[group] = 0;
      if (this->exceeds_cache_) {
        this->fetch_packets(earlier.group, earlier.lists, earlier.work);
        this->fetch_behind_heads(before.group, before.lists, before.work);
      }
      vectors_.lists = this->next_lists();
      this->choose_way(group);
      const UnderWay now{group, vectors_.lists, advance_(vectors_, group, now_)};
      if (now.work.holds) this->keep_active(group, now_ + 1);
      if (now.work.sent) wake_neighbours(group);
      if (this->exceeds_cache_) {
        this->fetch_heads(now.group, now.lists, now.work);
        finish(std::exchange(earlier, std::exchange(before, now)));
      } else {
        finish(now);
      }
    }
    finish(earlier);
    finish(before);
    if (!this->discards_.empty()) this->discard();
  }
  void close() { ++now_; }

  // At the end of a cycle, or between two, while no region works. What concerns all switches is the same in
  // each.

  using Base::route_unrouted, Base::check_credits, Base::waits, Base::number_of_input, Base::for_each_active,
      Base::flits_sent, Base::network_will_change;
  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] Measurement& measurement() { return this->measurement_; }
  [[nodiscard]] std::size_t senders() const { return this->sources_.senders(); }
  /// Packets that have left the network.
  [[nodiscard]] std::uint64_t gone() {
    landed_ += std::erase_if(this->landings_, [this](Time at) { return at < now_; });
    return this->gone_ + landed_;
  }
  /// Tails on their way to terminals, after gone().
  [[nodiscard]] std::size_t landing() const { return this->landings_.size(); }
  [[nodiscard]] std::uint64_t started() const { return this->started_; }
  /// Packets, and flits of them, that were given an output VC.
  [[nodiscard]] std::uint64_t given() const { return this->given_; }
  [[nodiscard]] std::uint64_t given_flits() const {
    return this->counts_flits_ ? this->given_flits_ : this->given_ * this->spec_.injection.packet_flits;
  }
  [[nodiscard]] std::string name_of_head(VcIndex number) {
    this->packets_.look_again();
    return this->packets_[this->heads_[number].packet].name(topology_);
  }
  /// Empties the source queues at the end of a run: the number of packets that were waiting.
  [[nodiscard]] std::uint64_t drain() { return this->sources_.drain(now_); }
  [[nodiscard]] std::size_t bytes() const { return this->injection_bytes(); }

 private:
  using Base::vectors_, Base::now_, Base::topology_;

  /// A group whose vector part has run, and its scalar part not yet.
  struct UnderWay {
    std::uint32_t group = 0;
    Lists lists;
    Work work;
  };

  /// The scalar part. In networks that exceed the cache it follows the vector parts of the next two groups:
  /// meanwhile its data is prefetched.
  void finish(const UnderWay& of) {
    if (this->work_off(of.group, of.lists, of.work)) wake_neighbours(of.group);
  }

  /// Nothing arrives at these switches, and they hold nothing: only their log advances.
  void stay_quiet(std::uint32_t group) {
    if (quiet_for_[group] == vectors_.slots) return;
    ++quiet_for_[group];
    std::fill_n(vectors_.log_of(now_) + vectors_.log_offset(group, 0),
                std::size_t{vectors_.ports} * vectors_.lanes, std::uint8_t{0});
  }

  void wake_neighbours(std::uint32_t group) {
    for (std::size_t i = first_neighbour_[group]; i < first_neighbour_[group + 1]; ++i)
      this->keep_active(neighbours_[i].second, now_ + longest_pull_);
  }

  Advance<Word> advance_;
  Time longest_pull_;
  std::span<const std::uint32_t> groups_;
  std::vector<std::uint32_t> quiet_for_;                             // by group: cycles
  std::vector<std::pair<std::uint32_t, std::uint32_t>> neighbours_;  // pairs of groups, in order
  std::vector<std::size_t> first_neighbour_;                         // by group
  std::uint64_t landed_ = 0;                                         // tails that have arrived at terminals
};

}  // namespace faultline::wormhole::planes
