// SPDX-License-Identifier: Apache-2.0
// Terminals that send. The rows tell what a terminal knows of the buffers at its switch: flits that have left
// them less than a flight time ago still count, as do those on their way there.
#pragma once

#include "simulate/planes/network.h"

namespace faultline::wormhole::planes {

template <class Word, std::uint32_t Vcs>
class Injection : protected Network<Word, Vcs> {
  using Base = Network<Word, Vcs>;

 protected:
  using State = typename Base::State;

  Injection(const Run& run, State& state, std::uint32_t region, std::vector<Delivery>* log)
      : Base(run, state, region, log),
        terminals_(state.partition.terminals[region]),
        runs_(state.partition.injections[region]),
        senders_(state.injectors.senders),
        injected_flits_(state.injectors.injected_flits),
        returning_(state.injectors.returning),
        pushed_(state.injectors.pushed),
        ring_(state.injectors.ring),
        wake_((terminals_.size() + wake_block - 1) / wake_block * wake_block, never) {
    for (std::size_t i = 0; i < terminals_.size(); ++i) {
      wake_[i] = sources_.first_generated(terminals_[i]);
      for (const ChannelId channel : topology_.injection(terminals_[i])) connect(channel);
    }
  }

  using Base::injection_, Base::chooser_, Base::vectors_, Base::measurement_, Base::now_, Base::outages_,
      Base::packets_, Base::planes_, Base::queues_, Base::rows_, Base::sources_, Base::spec_, Base::wormhole_,
      Base::timing_, Base::topology_, Base::vc_count_, Base::wiring_, Base::flits_of;

  [[gnu::noinline]] void send() {
    for (std::uint32_t block = 0; block < wake_.size(); block += wake_block)
      if (anybody_wakes(block))
        for (std::uint32_t awake = those_awake(block); awake != 0;)
          awake_.push_back(block + take_lowest(awake));
    for (const std::uint32_t number : awake_) fetch(terminals_[number]);
    for (const std::uint32_t number : awake_) wake_[number] = send_from(terminals_[number]);
    awake_.clear();
    std::uint8_t* const due = ring_.at(now_);
    std::uint8_t* const arriving = vectors_.log_of(now_) + vectors_.log_offset(vectors_.groups, 0);
    for (const Partition::Injections& run : runs_) {
      std::copy_n(due + run.first, run.count, arriving + run.offset);
      std::fill_n(due + run.first, run.count, std::uint8_t{0});
    }
  }

  /// A flit of an injection channel's VC was dropped; its credit is in flight, or has arrived.
  void credit_returns(ChannelId channel, std::uint32_t vc, bool has_come) {
    std::uint32_t& returning = returning_[sender_number(channel) * Vcs + vc];
    returning = has_come ? returning - 1 : returning + 1;
  }

  /// Flits that have been sent on an injection channel by now.
  [[nodiscard]] std::uint64_t flits_sent(ChannelId channel) {
    const std::size_t number = sender_number(channel);
    const Sender& sender = senders_[number];
    std::uint64_t flits = injected_flits_[number] - sender.left;
    for (Time at = now_ + sender.flit_delay; at < now_ + sender.flit_delay + longest_burst; ++at)
      flits -= ring_.at(at)[number] != 0 ? 1U : 0U;
    return flits;
  }
  /// Flits on their way to input VC `vc` of the channel.
  [[nodiscard]] std::uint32_t flying(ChannelId channel, std::uint32_t vc) {
    const std::size_t number = sender_number(channel);
    std::uint32_t flits = 0;
    for (Time at = now_; at < now_ + senders_[number].flit_delay; ++at)
      flits += ring_.at(at)[number] == code_of(Vcs, vc) ? 1U : 0U;
    return flits;
  }

  [[nodiscard]] std::size_t injection_bytes() const { return wake_.size() * sizeof(Time) + sources_.bytes(); }

 private:
  static constexpr std::uint32_t wake_block = 16;
  static constexpr Time longest_burst = Injectors::longest_burst;

  /// Prefetches what tells whether the next VC has space.
  void fetch(TerminalId terminal) {
    const Sender& sender = sender_on(topology_.injection(terminal).front());
    const std::uint32_t vc = sender.left != 0 ? sender.vc : sender.vc + 1U < vc_count_ ? sender.vc + 1U : 0;
    for (std::uint32_t plane = 0; plane < planes_; ++plane)
      __builtin_prefetch(&this->lane(sender.at)[rows_.flits(vc) + plane]);
    __builtin_prefetch(ring_.at(now_ + sender.flit_delay) + sender_number(sender.channel), 1);
  }

  void connect(ChannelId channel) {
    Sender& sender = senders_[sender_number(channel)];
    sender.channel = channel;
    sender.at = topology_.target(channel).value();
    sender.port = wiring_.input_port[channel.index()];
    sender.vc = static_cast<std::uint8_t>(vc_count_ - 1);
    sender.flit_delay = timing_.flit_delay(topology_, channel);
    sender.credit_delay = timing_.credit_delay(topology_, channel);
  }
  [[nodiscard]] std::size_t sender_number(ChannelId injection) const {
    return injection.index() - topology_.network_channel_count();
  }
  [[nodiscard]] Sender& sender_on(ChannelId injection) { return senders_[sender_number(injection)]; }
  [[nodiscard]] bool anybody_wakes(std::uint32_t block) const {
    const Time* const wake = wake_.data() + block;
    std::uint32_t awake = 0;
    for (std::uint32_t i = 0; i < wake_block; ++i) awake |= wake[i] <= now_ ? 1U : 0U;
    return awake != 0;
  }

  [[nodiscard]] std::uint32_t those_awake(std::uint32_t block) const {
    std::uint32_t awake = 0;
    for (std::uint32_t i = 0; i < wake_block; ++i) awake |= (wake_[block + i] <= now_ ? 1U : 0U) << i;
    return awake;
  }

  /// Returns the next cycle in which the terminal has something to do.
  [[gnu::noinline]] Time send_from(TerminalId terminal) {
    const auto channels = topology_.injection(terminal);
    while (sources_.first_generated(terminal) <= now_ && start_packet(terminal)) {
    }
    Time wake = never;
    bool one_is_free = false;
    for (const ChannelId channel : channels) {
      Sender& sender = sender_on(channel);
      if (sender.left != 0 && sender.free_from <= now_) send_burst(sender);
      if (sender.left != 0 || sender.free_from > now_)
        wake = std::min(wake, std::max(sender.free_from, now_ + 1));
      one_is_free |= sender.left == 0 && sender.free_from <= now_;
    }
    const Time next = sources_.first_generated(terminal);
    // A waiting packet tries again when a channel may have become free, or have received credit.
    if (next != never && (next > now_ || one_is_free || !spec_.faults.reroutings.empty()))
      wake = std::min(wake, std::max(next, now_ + 1));
    return wake;
  }

  /// All flits for which there is space already, one per cycle from now on: nothing can take their slots.
  void send_burst(Sender& sender) {
    const std::uint32_t room = wormhole_.buffer_flits - slots_taken(sender, sender.vc);
    const auto flits =
        static_cast<Time>(std::min({room, sender.left, static_cast<std::uint32_t>(longest_burst)}));
    const std::uint8_t code = code_of(Vcs, sender.vc);
    const std::size_t number = sender_number(sender.channel);
    for (Time i = 0; i < flits; ++i) ring_.at(now_ + sender.flit_delay + i)[number] = code;
    sender.looked_when = -1;
    sender.left -= static_cast<std::uint32_t>(flits);
    sender.free_from = now_ + std::max(flits, Time{1});
    if (flits == 0) return;
    const Time arrival = now_ + flits - 1 + sender.flit_delay;  // of the last of them
    this->keep_active((sender.at >> this->lane_bits_), arrival);
    if (sender.left != 0 || !this->drops()) return;
    const PacketIndex packet = queues_.at(this->number_of(sender.at, sender.port, sender.vc),
                                          pushed_[number * Vcs + sender.vc] - 1U);
    packets_[packet].lost |= outages_.goes_down(sender.channel, packets_[packet].injected, arrival);
  }

  bool start_packet(TerminalId terminal) {
    // Unless forwarding tables change, it does not matter when a packet is found to have no path.
    if (spec_.faults.reroutings.empty() && !anything_has_room(terminal)) return false;
    Packet packet = sources_.first(terminal, now_, choices_);
    if (!packet.source.valid()) return false;
    const auto slots = [&](const Choice& choice) {
      Sender& sender = sender_on(choice.channel);
      if (!is_free(sender) || next_with_room(sender, choice.vcs) == no_vc) return -1;
      return choices_.size() == 1 ? 0 : free_slots_of(sender, choice.vcs);
    };
    const Choice* const choice = chooser_.best(choices_, packet, chooser_.node_of(terminal), now_, slots);
    if (choice == nullptr) return false;
    const std::size_t number = sender_number(choice->channel);
    Sender& sender = senders_[number];
    sender.vc = static_cast<std::uint8_t>(next_with_room(sender, choice->vcs));
    sender.left = flits_of(packet);
    if (spec_.measurement.channel_load) injected_flits_[number] += sender.left;
    packet.injected = now_;
    packet.tag = choice->tag;
    packet.vc_class = chooser_.class_of(*choice, sender.vc);
    queues_.at(this->number_of(sender.at, sender.port, sender.vc), pushed_[number * Vcs + sender.vc]++) =
        packets_.add(packet);
    ++started_;
    sources_.inject(terminal, now_);
    return true;
  }

  [[nodiscard]] bool is_free(const Sender& sender) const {
    return sender.left == 0 && sender.free_from <= now_;
  }
  [[nodiscard]] bool anything_has_room(TerminalId terminal) {
    return std::ranges::any_of(topology_.injection(terminal), [&](ChannelId channel) {
      Sender& sender = sender_on(channel);
      return is_free(sender) && next_with_room(sender, ~0U) != no_vc;
    });
  }
  /// Round robin from the VC after the last one's.
  [[nodiscard]] std::uint32_t next_with_room(Sender& sender, std::uint32_t vcs) {
    for (std::uint32_t step = 1; step <= vc_count_; ++step) {
      std::uint32_t vc = sender.vc + step;
      if (vc >= vc_count_) vc -= vc_count_;
      if ((vcs >> vc & 1) == 0) continue;
      const std::uint32_t taken = slots_taken(sender, vc);
      if (wormhole_.atomic_vcs ? taken == 0 : taken < wormhole_.buffer_flits) return vc;
    }
    return no_vc;
  }
  [[nodiscard]] int free_slots_of(Sender& sender, std::uint32_t vcs) {
    std::uint32_t slots = 0;
    while (vcs != 0) slots += wormhole_.buffer_flits - slots_taken(sender, take_lowest(vcs));
    return static_cast<int>(slots);
  }

  [[nodiscard]] std::uint32_t slots_taken(Sender& sender, std::uint32_t vc) {
    if (sender.looked_when != now_ || sender.looked_at != vc) {
      sender.taken = find_slots_taken(sender, vc);
      sender.looked_at = static_cast<std::uint8_t>(vc);
      sender.looked_when = now_;
    }
    return sender.taken;
  }
  [[nodiscard]] std::uint32_t find_slots_taken(const Sender& sender, std::uint32_t vc) {
    const std::size_t number = sender_number(sender.channel);
    std::uint32_t slots = this->lane(sender.at).count(rows_.flits(vc), planes_, sender.port);
    for (Time at = now_; at < now_ + sender.flit_delay; ++at)
      slots += ring_.at(at)[number] == code_of(Vcs, vc) ? 1U : 0U;
    const std::size_t byte =
        vectors_.log_offset((sender.at >> this->lane_bits_), sender.port) + (sender.at & (this->lanes_ - 1));
    for (Time at = now_ - 1; at > now_ - sender.credit_delay; --at)
      slots += names(vectors_.log_of(at)[byte] >> 4, Vcs, vc) ? 1U : 0U;
    return slots + returning_[number * Vcs + vc];
  }

  std::span<const TerminalId> terminals_;
  std::span<const Partition::Injections> runs_;
  std::span<Sender> senders_;  // by injection channel, as what follows
  std::span<std::uint64_t> injected_flits_;
  std::span<std::uint32_t> returning_;
  std::span<std::uint16_t> pushed_;
  Injectors::Ring ring_;
  std::vector<Time> wake_;            // of terminals_: the next cycle in which one has something to do
  std::vector<std::uint32_t> awake_;  // of terminals_, now
  std::vector<Choice> choices_;

 protected:
  std::uint64_t started_ = 0;
};

}  // namespace faultline::wormhole::planes
