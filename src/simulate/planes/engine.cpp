// SPDX-License-Identifier: Apache-2.0
#include "simulate/planes/engine.h"

#include <algorithm>

#include "simulate/planes/inspect.h"

namespace faultline::wormhole::planes {
namespace {

#ifdef FAULTLINE_CHECKS
constexpr bool checked = true;
#else
constexpr bool checked = false;
#endif

template <class Word, std::uint32_t Vcs>
class Engine : private Inspectable<Word, Vcs> {
  using Base = Inspectable<Word, Vcs>;

 public:
  Engine(const Kernel& kernel, const RoutingRelation& relation, const TrafficPattern& pattern,
         const SimulationSpec& spec, std::vector<Delivery>* log)
      : Base(kernel, relation, pattern, spec, log) {
    for (const ChannelId channel : topology_.channels())
      if (topology_.kind(channel) == ChannelKind::network) {
        const std::uint32_t from = topology_.source(channel).value() / this->lanes_;
        const std::uint32_t to = topology_.target(channel).value() / this->lanes_;
        neighbours_.emplace_back(from, to);
        neighbours_.emplace_back(to, from);
      }
    for (std::uint32_t group = 0; group < this->groups_; ++group) neighbours_.emplace_back(group, group);
    std::ranges::sort(neighbours_);
    neighbours_.erase(std::ranges::unique(neighbours_).begin(), neighbours_.end());
    for (const auto& [from, to] : neighbours_) first_neighbour_.resize(from + 2);
    for (const auto& [from, to] : neighbours_) ++first_neighbour_[from + 1];
    for (std::size_t i = 1; i < first_neighbour_.size(); ++i) first_neighbour_[i] += first_neighbour_[i - 1];
  }

  Outcome run(const Progress& progress) {
    return outcome(this->run_bins(
        progress, [this] { step(); }, [this] { return this->gone_ + landed(); },
        [this] { return deadlock(); }));
  }

 private:
  using Base::vectors_, Base::now_, Base::spec_, Base::topology_, Base::measurement_;

  void step() {
    if (this->network_changes()) this->choose_again();
    this->begin();
    this->send();
    for (std::uint32_t group = 0; group < this->groups_; ++group) {
      if (this->active_until_[group] < now_) {
        stay_quiet(group);
        continue;
      }
      this->quiet_for_[group] = 0;
      vectors_.lists = this->other_lists(vectors_.lists);
      const Work work = this->advance_(vectors_, group, now_);
      if (work.holds) this->keep_active(group, now_ + 1);
      if (work.sent) wake_neighbours(group);
      this->fetch(group, vectors_.lists, work);
      finish_pending();
      pending_ = {group, vectors_.lists, work};
    }
    finish_pending();
    if (!this->discards_.empty()) this->discard();
    if constexpr (checked) this->check_conservation();
  }

  /// The scalar part of a group follows the vector part of the next one: meanwhile what it needs is fetched.
  void finish_pending() {
    if (this->work_off(pending_.group, pending_.lists, pending_.work)) wake_neighbours(pending_.group);
    pending_.work = {};
  }

  /// Nothing comes to these switches, and they hold nothing: only their log goes on.
  void stay_quiet(std::uint32_t group) {
    if (this->quiet_for_[group] == vectors_.slots) return;
    ++this->quiet_for_[group];
    std::fill_n(vectors_.log_of(now_) + vectors_.log_offset(group, 0),
                std::size_t{vectors_.ports} * vectors_.lanes, std::uint8_t{0});
  }

  void wake_neighbours(std::uint32_t group) {
    for (std::size_t i = first_neighbour_[group]; i < first_neighbour_[group + 1]; ++i)
      this->keep_active(neighbours_[i].second, now_ + this->pulls_.longest);
  }

  /// Packets that have arrived at terminals.
  std::uint64_t landed() {
    return this->landed_ += std::erase_if(this->landings_, [this](Time at) { return at < now_; });
  }

  /// None while the network still changes: nobody waits for ever then.
  [[nodiscard]] std::vector<VcIndex> deadlock() {
    return this->network_will_change() ? std::vector<VcIndex>{} : find_deadlock(this->vc_states());
  }

  Outcome outcome(const std::vector<VcIndex>& deadlock) {
    landed();
    const std::uint64_t in_flight =
        this->sources_.drain(now_) + this->packets_.count() + this->landings_.size();
    Outcome outcome{measurement_.result(now_, in_flight), measurement_.checksum(now_)};
    SimulationResult& result = outcome.result;
    count_hops(result);
    outcome.bytes = this->network_bytes() + this->injection_bytes();
    result.deadlock = !deadlock.empty();
    for (const VcIndex vc : deadlock) {
      const ChannelId channel(vc / this->vc_count_);
      result.deadlock_cycle.push_back(topology_.name(channel));
      const VcIndex number = this->number_of_input(channel, vc % this->vc_count_);
      result.deadlock_packets.push_back(this->packets_[this->heads_[number].packet].name(topology_));
    }
    return outcome;
  }

  /// All flits of packets that were given an output VC have passed, but for those that are left.
  void count_hops(SimulationResult& result) {
    std::uint64_t active = 0, left = 0;
    std::vector<std::uint64_t>& by_channel = this->given_flits_by_output_;
    this->for_each_active([&](ChannelId channel, std::uint32_t flits) {
      ++active;
      left += flits;
      if (spec_.measurement.channel_load) by_channel[channel.index()] -= flits;
    });
    result.packet_hops = this->given_ - active;
    result.flit_hops =
        (this->counts_flits_ ? this->given_flits_ : this->given_ * spec_.injection.packet_flits) - left;
    if (!spec_.measurement.channel_load) return;
    for (const ChannelId channel : topology_.channels())
      if (topology_.kind(channel) == ChannelKind::injection)
        by_channel[channel.index()] = this->flits_sent(channel);
    result.channel_flits = by_channel;
  }

  struct Pending {
    std::uint32_t group = 0;
    Lists lists;
    Work work;
  };
  Pending pending_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> neighbours_;  // pairs of groups, in order
  std::vector<std::size_t> first_neighbour_;                         // by group
};

}  // namespace

Outcome run(const Kernel& kernel, const RoutingRelation& relation, const TrafficPattern& pattern,
            const SimulationSpec& spec, const Progress& progress, std::vector<Delivery>* log) {
  const auto with = [&]<class Word>(Word) {
    if (vc_count(relation, spec) <= few_vcs)
      return Engine<Word, few_vcs>(kernel, relation, pattern, spec, log).run(progress);
    return Engine<Word, most_vcs>(kernel, relation, pattern, spec, log).run(progress);
  };
  const std::uint32_t ports = Wiring(relation.topology()).ports;
  if (ports <= 8) return with(Byte{});
  if (ports <= 16) return with(std::uint16_t{});
  if (ports <= 32) return with(std::uint32_t{});
  return with(std::uint64_t{});
}

}  // namespace faultline::wormhole::planes
