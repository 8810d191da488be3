// SPDX-License-Identifier: Apache-2.0
// The network as one region sees it.
#pragma once

#include <span>
#include <vector>

#include "simulate/planes/network_state.h"
#include "simulate/wormhole/engine_base.h"

namespace faultline::wormhole::planes {

/// What a run consists of, besides the state of the network.
struct Run {
  const RoutingRelation& relation;
  const TrafficPattern& pattern;
  const SimulationSpec& spec;
};

template <class Word, std::uint32_t Vcs>
class Network : protected EngineBase {
 protected:
  using State = NetworkState<Word, Vcs>;
  static constexpr std::size_t list_sets = 3;                       ///< of groups under way at a time
  static constexpr std::size_t cache_bytes = std::size_t{1} << 20;  ///< of a second-level cache

  Network(const Run& run, State& state, std::uint32_t region, std::vector<Delivery>* log)
      : EngineBase(run.relation, run.pattern, run.spec, state.partition.terminals[region], log),
        state_(state),
        region_(region),
        region_of_group_(state.partition.by_group),
        wiring_(state.wiring),
        lanes_(state.lanes),
        lane_bits_(state.lane_bits()),
        planes_(state.planes),
        rows_(state.rows),
        max_counted_(state.max_counted),
        words_(state.words.data()),
        heads_(state.heads),
        exceeds_cache_(heads_.size_bytes() > cache_bytes),
        output_ports_(state.output_ports),
        rest_(state.rest),
        asks_from_(state.asks_from),
        tags_(state.tags),
        given_at_(state.given_at),
        packets_(state.packets, region),
        queues_(state.queues),
        active_until_(state.groups, -1),
        events_(std::size_t{3} * list_sets * lanes_ * wiring_.ports * Vcs),
        vectors_(state.vectors) {}

  [[nodiscard]] Lane<Word> lane(std::uint32_t at) const {
    return {words_ + (std::size_t{at >> lane_bits_} * rows_.count() << lane_bits_) + (at & (lanes_ - 1)),
            lane_bits_};
  }
  /// Number of an input or output VC.
  [[nodiscard]] VcIndex number_of(std::uint32_t at, std::uint32_t port, std::uint32_t vc) const {
    return (at * wiring_.ports + port) * Vcs + vc;
  }
  [[nodiscard]] OutputPort<Vcs>& output_port(std::uint32_t at, std::uint32_t port) {
    return output_ports_[at * wiring_.ports + port];
  }
  [[nodiscard]] ChannelId input_channel(VcIndex number) const { return wiring_.input[number / Vcs]; }
  [[nodiscard]] ChannelId output_channel(VcIndex number) const { return wiring_.output[number / Vcs]; }
  [[nodiscard]] std::uint32_t switch_of(VcIndex number) const { return number / Vcs / wiring_.ports; }
  [[nodiscard]] std::uint32_t port_of(VcIndex number) const { return number / Vcs % wiring_.ports; }

  [[nodiscard]] std::uint32_t flits_of(const Packet& packet) const {
    return injection_.flits(packet.source, packet.sequence);
  }
  [[nodiscard]] bool drops() const {
    return spec_.faults.on_failure == OnFailure::drop && !spec_.faults.outages.empty();
  }
  [[nodiscard]] bool is_dead(ChannelId channel) const {
    return spec_.faults.unseen && spec_.faults.unseen->failed(channel);
  }
  /// Flits of the front packet beyond those that the planes count.
  [[nodiscard]] std::uint32_t rest_of(VcIndex number) const { return rest_.empty() ? 0 : rest_[number]; }
  [[nodiscard]] std::size_t list_length() const { return events_.size() / (3 * list_sets); }
  /// There are some sets of lists, used in turns.
  [[nodiscard]] Lists next_lists() {
    const std::size_t length = list_length();
    list_set_ = (list_set_ + 1) % list_sets;
    Event* const first = events_.data() + 3 * length * list_set_;
    return {first, first + length, first + 2 * length};
  }

  [[nodiscard]] bool owns_group(std::uint32_t group) const { return region_of_group_[group] == region_; }
  [[nodiscard]] bool owns(std::uint32_t at) const { return owns_group(at >> lane_bits_); }
  [[nodiscard]] RegionMail& own_mail() { return state_.mail[region_]; }

  /// Something arrives at a switch of the group until then.
  void keep_active(std::uint32_t group, Time until) {
    if (owns_group(group))
      active_until_[group] = std::max(active_until_[group], until);
    else
      own_mail().wakes[now_ & 1].push_back({group, until});
  }
  /// What the other regions have published in the cycle before.
  void read_wakes() {
    own_mail().wakes[now_ & 1].clear();
    for (const RegionMail& mail : state_.mail)
      for (const RegionMail::Wake& wake : mail.wakes[(now_ & 1) ^ 1])
        if (owns_group(wake.group)) keep_active(wake.group, wake.until);
  }

  State& state_;
  std::uint32_t region_;
  std::span<const std::uint8_t> region_of_group_;
  WiringView wiring_;
  std::uint32_t lanes_, lane_bits_, planes_;
  Rows<Word, Vcs> rows_;
  std::uint32_t max_counted_;
  // Pointers into the state: what is read most.
  Word* words_;
  std::span<Head<Word, Vcs>> heads_;
  bool exceeds_cache_;  ///< these do
  std::span<OutputPort<Vcs>> output_ports_;
  std::span<std::uint32_t> rest_;
  std::span<Time> asks_from_;
  std::span<Tag> tags_;
  std::span<Time> given_at_;
  RegionPackets packets_;
  PacketQueues::View queues_;
  std::vector<Time> active_until_;  // by group; of those of the region
  std::vector<Event> events_;
  std::size_t list_set_ = 0;
  VectorState<Word> vectors_;  // with lists of its own
};

}  // namespace faultline::wormhole::planes
