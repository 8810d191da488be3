// SPDX-License-Identifier: Apache-2.0
// The channels and buffers of the cycle-driven engine in one cycle: their contents, free slots and
// departures.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "simulate/cut_through/cycle_state.h"
#include "simulate/cut_through/model.h"
#include "simulate/faults/outages.h"

namespace faultline::cut_through::plain {

class CycleNetwork {
 public:
  CycleNetwork(const RoutingRelation& relation, const SimulationSpec& spec)
      : topology_(relation.topology()),
        spec_(spec),
        cut_through_(spec.cut_through()),
        vcs_(relation.virtual_channels()),
        lane_(static_cast<std::uint8_t>(vcs_)),
        timing_(relation, spec),
        outages_(topology_, spec.faults.outages),
        channels_(topology_.channel_count(), Channel{.sending = {},
                                                     .receiving = std::vector<Buffer>(buffers_an_input()),
                                                     .written = Ways(spec.speedup.output),
                                                     .read = Ways(spec.speedup.input)}) {}

 protected:
  /// One a virtual channel, and a lane of control packets.
  [[nodiscard]] std::uint32_t buffers_an_input() const { return vcs_ + (cut_through_.agents ? 1 : 0); }
  [[nodiscard]] bool own_lanes() const { return cut_through_.agents && cut_through_.agents->own_lanes; }

  /// Control packets of a lane that could be granted.
  [[nodiscard]] std::size_t ready_in_lane(ChannelId channel) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        channels_[channel.index()].receiving[lane_].slots,
        [&](const Slot& slot) { return slot.leaves == never && slot.arrives + timing_.routing <= now_; }));
  }

  /// visit(input, head) for each head that may be granted.
  template <class Visit>
  void for_each_ready(SwitchId at, Visit visit) {
    for (const ChannelId channel : topology_.inputs(at))
      for (std::size_t vc = 0; vc < channels_[channel.index()].receiving.size(); ++vc) {
        const VirtualChannel input{channel, static_cast<std::uint8_t>(vc)};
        if (Slot* const head = ready_head(input); head != nullptr) visit(input, *head);
      }
  }

  Slot* ready_head(VirtualChannel input) {
    Channel& channel = channels_[input.channel.index()];
    Slot* const head = channel.receiving[input.vc].head();
    return head != nullptr && head->arrives + timing_.routing <= now_ && channel.read.free_from() <= now_
               ? head
               : nullptr;
  }

  /// Occupied slots in the buffers that an option leads to, and heads that have waited for these since
  /// before now. While a channel is being written to, one slot of each of its buffers counts as occupied.
  [[nodiscard]] std::uint32_t queued(SwitchId at, const RouteOption& option) const {
    const bool written = channels_[option.channel.index()].written.free_from() > now_;
    std::size_t packets = 0;
    for_each_vc(option.vcs, [&](std::uint8_t vc) {
      const std::size_t free = free_at_output({option.channel, vc});
      packets += timing_.slots - free + (written && free != 0 ? 1 : 0);
      packets += heads_waiting_for(at, {option.channel, vc});
    });
    return static_cast<std::uint32_t>(packets);
  }
  [[nodiscard]] std::size_t heads_waiting_for(SwitchId at, VirtualChannel output) const {
    std::size_t heads = 0;
    for (const ChannelId channel : topology_.inputs(at))
      for (const Buffer& buffer : channels_[channel.index()].receiving) {
        const auto head = std::ranges::find(buffer.slots, never, &Slot::leaves);
        // Where a port has several inputs to the crossbar, one that was behind another may be the first now.
        if (head == buffer.slots.end() || !head->routed || head->arrives + timing_.routing >= now_ ||
            channels_[channel.index()].read.free_from() >= now_)
          continue;
        heads +=
            static_cast<std::size_t>(std::ranges::count(head->routed->candidates, output, &Candidate::taken));
      }
    return heads;
  }

  /// The packet in `slot` starts to leave the input buffer of `input`.
  void leave(ChannelId input, Slot& slot) {
    Channel& channel = channels_[input.index()];
    const Time flits = slot.packet.flits, passed = passed_at(slot, now_, spec_.speedup.internal);
    channel.read.take(passed);
    slot.leaves = passed;
    if (timing_.buffers != Buffering::output) return;
    // Without a buffer here the tail leaves the sender as much earlier as the head did, but not before the
    // sender can know.
    const Time tail_left = now_ + std::max<Time>(1, flits - timing_.routing - fly(input));
    slot.leaves = tail_left;
    channel.sent = std::max(channel.sent, tail_left);
    for (Slot& waiting : channel.sending.slots)
      if (waiting.leaves == never) {
        waiting.leaves = tail_left;
        break;
      }
  }

  [[nodiscard]] bool can_be_had(const Candidate& candidate) const {
    return channels_[candidate.taken.channel.index()].written.free_from() <= now_ &&
           free_at_output(candidate.taken) >= candidate.needed;
  }

  [[nodiscard]] bool ejects(ChannelId channel) const {
    return topology_.role(channel) == ChannelRole::ejection;
  }

  [[nodiscard]] std::size_t free_at_output(VirtualChannel output) const {
    if (timing_.buffers == Buffering::input) return free_at_receiver(output);
    return timing_.slots - channels_[output.channel.index()].sending.slots.size();
  }
  [[nodiscard]] std::size_t free_at_receiver(VirtualChannel at) const {
    if (at.vc == lane_) return std::numeric_limits<std::size_t>::max();
    const std::size_t slots = timing_.buffers == Buffering::output ? 1 : timing_.slots;
    return slots - channels_[at.channel.index()].receiving[at.vc].slots.size();
  }

  [[nodiscard]] bool is_dead(ChannelId channel) const {
    return spec_.faults.unseen && spec_.faults.unseen->failed(channel);
  }

  /// A packet that is on the channel between these cycles is lost with it.
  [[nodiscard]] bool loses(ChannelId channel, Time from, Time until) const {
    return spec_.faults.on_failure == OnFailure::drop && outages_.goes_down(channel, from, until);
  }
  [[nodiscard]] Time fly(ChannelId channel) const { return static_cast<Time>(topology_.fly_cycles(channel)); }

  /// Too few slots, unless the head at the other end moves.
  [[nodiscard]] bool shut(const Candidate& candidate) const {
    if (ejects(candidate.taken.channel)) return false;
    const Channel& channel = channels_[candidate.taken.channel.index()];
    const std::size_t at_receiver =
        free_at_receiver(candidate.taken) + channel.receiving[candidate.taken.vc].slots_that_will_be_free();
    if (timing_.buffers == Buffering::input) return at_receiver < candidate.needed;
    return at_receiver == 0 &&
           free_at_output(candidate.taken) + channel.sending.slots_that_will_be_free() < candidate.needed;
  }

  const Topology& topology_;
  const SimulationSpec& spec_;
  const CutThroughSwitches& cut_through_;
  std::uint32_t vcs_;
  std::uint8_t lane_;  // of control packets, among the virtual channels of an input
  Timing timing_;
  Outages outages_;
  std::vector<Channel> channels_;
  Time now_ = 0;
};

}  // namespace faultline::cut_through::plain
