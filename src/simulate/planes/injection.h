// SPDX-License-Identifier: Apache-2.0
// Terminals that send. All senders count credits and send flits at once, as rows (kernels/senders.h); only
// where a packet is generated, or starts, is one examined.
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
        layout_(state.sender_layout.regions[region]),
        sender_of_(state.sender_layout.sender_of),
        steps_(state.sender_steps),
        sender_rows_(state.injectors.rows),
        senders_(state.injectors.senders),
        injected_flits_(state.injectors.injected_flits),
        wake_((terminals_.size() + wake_block - 1) / wake_block * wake_block, never),
        block_wakes_(wake_.size() / wake_block, never),
        listed_(layout_.end - layout_.first + 1),
        reads_classes_(!chooser_.by_bits() || !spec_.faults.reroutings.empty()) {
    for (std::uint32_t i = 0; i < terminals_.size(); ++i) {
      wake_at(i, sources_.first_generated(terminals_[i]));
      for (const ChannelId channel : topology_.injection(terminals_[i])) {
        SenderOf& sender = senders_[number_of_sender(channel)];
        sender.channel = channel;
        sender.terminal = i;
        sender.vc_0 =
            this->number_of(topology_.target(channel).value(), wiring_.input_port[channel.index()], 0);
        sender.vc = static_cast<std::uint8_t>(vc_count_ - 1);
      }
    }
    if (start_on_one_channel())
      for (const TerminalId terminal : terminals_)
        only_sender_.push_back(number_of_sender(topology_.injection(terminal).front()));
  }

  using Base::injection_, Base::chooser_, Base::vectors_, Base::measurement_, Base::now_, Base::outages_,
      Base::packets_, Base::queues_, Base::sources_, Base::spec_, Base::wormhole_, Base::topology_,
      Base::vc_count_, Base::wiring_, Base::flits_of;

  [[gnu::noinline]] void send() {
    wake_terminals();
    start_packets();
    const bool watches = this->drops() || spec_.injection.packet_flits > max_left;
    for (const SenderRun& run : layout_.runs) {
      const Time arrival = now_ + run.flit_delay;
      std::uint8_t* const arrivals = vectors_.log_of(arrival) + vectors_.log_offset(vectors_.groups, 0);
      const SenderSteps::Sent sent =
          steps_.send(sender_rows_, run, arrivals, watches ? listed_.data() : nullptr);
      if (sent.any) this->keep_active(run.group, arrival);
      for (std::uint32_t i = 0; i < sent.ended; ++i) end_packet(listed_[i], arrival);
    }
  }

  /// The credit of a flit that was dropped has come back to an injection channel, perhaps of another region.
  void credit_returns(ChannelId channel, std::uint32_t vc) {
    const std::uint32_t number = number_of_sender(channel);
    if (number >= layout_.first && number < layout_.end) ++credits(number, vc);
  }

  /// Flits that have been sent on an injection channel.
  [[nodiscard]] std::uint64_t flits_sent(ChannelId channel) const {
    const std::uint32_t number = number_of_sender(channel);
    return injected_flits_[number] - sender_rows_.left[number] - senders_[number].rest;
  }
  /// At the end of a cycle: flits on their way to input VC `vc` of the channel.
  [[nodiscard]] std::uint32_t flying(ChannelId channel, std::uint32_t vc) const {
    const std::size_t byte = vectors_.log_offset(vectors_.groups, 0) + number_of_sender(channel);
    const Time delay = this->timing_.flit_delay(topology_, channel);
    std::uint32_t flits = 0;
    for (Time at = now_ + 1; at <= now_ + delay; ++at)
      flits += vectors_.log_of(at)[byte] == code_of(Vcs, vc) ? 1U : 0U;
    return flits;
  }
  /// Those of a terminal.
  [[nodiscard]] std::uint32_t credits_of_sender(ChannelId channel, std::uint32_t vc) {
    return credits(number_of_sender(channel), vc);
  }

  [[nodiscard]] std::size_t injection_bytes() const { return wake_.size() * sizeof(Time) + sources_.bytes(); }

 private:
  using SenderOf = Sender<Vcs>;
  static constexpr std::uint32_t wake_block = 16;
  static constexpr std::uint32_t max_left = 0xffff;  ///< flits that a row counts

  /// Each terminal has one channel, which stays up, and the relation stays the same.
  [[nodiscard]] bool start_on_one_channel() const {
    return spec_.faults.outages.empty() && spec_.faults.reroutings.empty() &&
           std::ranges::all_of(
               terminals_, [this](TerminalId terminal) { return topology_.injection(terminal).size() == 1; });
  }
  [[nodiscard]] std::uint32_t number_of_sender(ChannelId injection) const {
    return sender_of_[injection.index() - topology_.network_channel_count()];
  }
  [[nodiscard]] std::uint16_t& credits(std::uint32_t sender, std::uint32_t vc) {
    return sender_rows_.credits[std::size_t{vc} * sender_rows_.senders + sender];
  }

  // Packets that wait

  void wake_at(std::uint32_t number, Time when) {
    wake_[number] = when;
    block_wakes_[number / wake_block] = std::min(block_wakes_[number / wake_block], when);
  }
  /// Those for which a packet is generated now.
  void wake_terminals() {
    for (std::uint32_t block = 0; block < block_wakes_.size(); ++block) {
      if (block_wakes_[block] > now_) continue;
      block_wakes_[block] = never;
      for (std::uint32_t i = block * wake_block; i < (block + 1) * wake_block; ++i)
        if (wake_[i] <= now_) {
          wake_[i] = never;
          set_waiting(i, true);
        } else {
          block_wakes_[block] = std::min(block_wakes_[block], wake_[i]);
        }
    }
  }
  void set_waiting(std::uint32_t number, bool waits) {
    const std::uint16_t all_or_none = waits ? 0xffff : 0;
    if (!only_sender_.empty()) {
      sender_rows_.waits[only_sender_[number]] = all_or_none;
      return;
    }
    for (const ChannelId channel : topology_.injection(terminals_[number]))
      sender_rows_.waits[number_of_sender(channel)] = all_or_none;
  }

  /// From terminals where a packet waits and a channel is free, with a credit. A terminal's channels may be
  /// in several runs: all take their credits first.
  void start_packets() {
    std::uint32_t ready = 0;
    for (const SenderRun& run : layout_.runs)
      ready += steps_.take_credits(sender_rows_, run, vectors_.log_of(now_ - run.credit_delay),
                                   listed_.data() + ready);
    // While forwarding tables change, it matters when a packet is found to have no path.
    if (!spec_.faults.reroutings.empty()) return start_wherever_one_waits();
    for (std::uint32_t i = 0; i < ready; ++i) prefetch(&senders_[listed_[i]]);
    if (this->exceeds_cache_)
      for (std::uint32_t i = 0; i < ready; ++i) fetch_for_start(senders_[listed_[i]]);
    if (only_sender_.empty()) {
      for (std::uint32_t i = 0; i < ready; ++i) start_packets_of(senders_[listed_[i]].terminal);
    } else {
      if (chooser_.queries_injection())
        for (std::uint32_t i = 0; i < ready; ++i)
          sources_.prefetch_injection(terminals_[senders_[listed_[i]].terminal]);
      for (std::uint32_t i = 0; i < ready; ++i) start_on(listed_[i]);
    }
  }
  void fetch_for_start(const SenderOf& sender) const {
    sources_.prefetch(terminals_[sender.terminal]);
    const std::uint32_t next = sender.vc + 1U, vc = next < vc_count_ ? next : 0;
    queues_.prefetch(sender.vc_0 + vc, sender.pushed[vc]);
  }
  void start_wherever_one_waits() {
    for (std::uint32_t i = 0; i < terminals_.size(); ++i)
      if (sources_.first_generated(terminals_[i]) <= now_) start_packets_of(i);
  }

  [[gnu::noinline]] void start_packets_of(std::uint32_t number) {
    const TerminalId terminal = terminals_[number];
    while (sources_.first_generated(terminal) <= now_ && start_packet(terminal) && may_start_more(terminal)) {
    }
    sleep_if_empty(number);
  }
  /// Until the next packet is generated.
  void sleep_if_empty(std::uint32_t number) {
    const Time next = sources_.first_generated(terminals_[number]);
    if (next <= now_) return;
    set_waiting(number, false);
    wake_at(number, next);
  }

  /// The same from the only channel of a terminal.
  void start_on(std::uint32_t number) {
    SenderOf& sender = senders_[number];
    const TerminalId terminal = terminals_[sender.terminal];
    Packet& packet = packets_.next();
    sources_.write_first(terminal, packet);
    const Choice choice = chooser_.known_injection(packet, sender.channel);
    if (choice.vcs == 0) return start_packets_of(sender.terminal);
#ifdef FAULTLINE_CHECKS
    chooser_.check_injection(packet, {&choice, 1});
#endif
    start_packet(number, next_with_room(number, choice.vcs), choice);
    sources_.inject(terminal, now_);
    sleep_if_empty(sender.terminal);
  }

  /// A channel is free, or forwarding tables change: then the next packet is examined too.
  [[nodiscard]] bool may_start_more(TerminalId terminal) const {
    return !spec_.faults.reroutings.empty() ||
           std::ranges::any_of(topology_.injection(terminal), [this](ChannelId channel) {
             return sender_rows_.left[number_of_sender(channel)] == 0;
           });
  }

  bool start_packet(TerminalId terminal) {
    Packet& packet = packets_.next();
    if (!sources_.first(terminal, now_, packet, choices_)) return false;
    const Choice* const choice = choices_.size() == 1 ? &choices_.front() : best_choice(packet);
    if (choice == nullptr) return false;
    const std::uint32_t number = number_of_sender(choice->channel), vc = open_vc(number, choice->vcs);
    if (vc == no_vc) return false;
    start_packet(number, vc, *choice);
    sources_.inject(terminal, now_);
    return true;
  }
  /// The next one of packets_, which has been written.
  void start_packet(std::uint32_t number, std::uint32_t vc, const Choice& choice) {
    Packet& packet = packets_.next();
    SenderOf& sender = senders_[number];
    sender.vc = static_cast<std::uint8_t>(vc);
    sender.rest = flits_of(packet);
    if (spec_.measurement.channel_load) injected_flits_[number] += sender.rest;
    sender_rows_.code[number] = code_of(Vcs, sender.vc);
    count_on(number);
    packet.injected = now_;
    packet.hops = no_hops;
    packet.tag = choice.tag;
    if (reads_classes_) packet.vc_class = chooser_.class_of(choice, sender.vc);
    queues_.pass(sender.vc_0 + sender.vc, sender.pushed[sender.vc]) = packets_.take_next();
    ++started_;
  }

  /// Of several options that are open; nullptr if there is none.
  [[nodiscard]] const Choice* best_choice(const Packet& packet) {
    return chooser_.best(
        choices_, packet, chooser_.vertex_of(packet.source), now_, [&](const Choice& choice) {
          const std::uint32_t number = number_of_sender(choice.channel);
          return open_vc(number, choice.vcs) == no_vc ? -1 : free_slots_of(number, choice.vcs);
        });
  }
  /// The VC on which a packet may start now.
  [[nodiscard]] std::uint32_t open_vc(std::uint32_t number, std::uint32_t vcs) {
    return sender_rows_.left[number] != 0 ? no_vc : next_with_room(number, vcs);
  }
  /// Round robin from the VC after the last one's.
  [[nodiscard]] std::uint32_t next_with_room(std::uint32_t number, std::uint32_t vcs) {
    for (std::uint32_t step = 1; step <= vc_count_; ++step) {
      std::uint32_t vc = senders_[number].vc + step;
      if (vc >= vc_count_) vc -= vc_count_;
      if ((vcs >> vc & 1) == 0) continue;
      const std::uint16_t free = credits(number, vc);
      if (wormhole_.atomic_vcs ? free == wormhole_.buffer_flits : free != 0) return vc;
    }
    return no_vc;
  }
  [[nodiscard]] int free_slots_of(std::uint32_t number, std::uint32_t vcs) {
    int slots = 0;
    while (vcs != 0) slots += credits(number, take_lowest(vcs));
    return slots;
  }

  // Packets whose flits have been sent, as far as the rows count them

  void count_on(std::uint32_t number) {
    SenderOf& sender = senders_[number];
    const std::uint32_t counted = std::min(sender.rest, max_left);
    sender_rows_.left[number] = static_cast<std::uint16_t>(counted);
    sender.rest -= counted;
  }
  /// The last of them arrives at `arrival`.
  void end_packet(std::uint32_t number, Time arrival) {
    const SenderOf& sender = senders_[number];
    if (sender.rest != 0) return count_on(number);
    if (!this->drops()) return;
    Packet& packet = packets_[queues_.at(sender.vc_0 + sender.vc, queues_.before(sender.pushed[sender.vc]))];
    packet.lost |=
        outages_.goes_down(sender.channel, packet.injected, arrival - this->timing_.after_channel(false));
  }

  std::span<const TerminalId> terminals_;
  const SenderLayout::Region& layout_;
  std::span<const std::uint32_t> sender_of_;  // by injection channel
  SenderSteps steps_;
  SenderRows sender_rows_;
  std::span<SenderOf> senders_;
  std::span<std::uint64_t> injected_flits_;
  std::vector<Time> wake_;         // of terminals_: when the next packet is generated; never while one waits
  std::vector<Time> block_wakes_;  // of blocks of wake_: the earliest
  std::vector<std::uint32_t> listed_;  // senders that a step has listed
  std::vector<Choice> choices_;
  std::vector<std::uint32_t> only_sender_;  // of terminals_, where each has one, which stays up

 protected:
  bool reads_classes_;  ///< the relation reads packets' classes of VCs at switches
  std::uint64_t started_ = 0;
};

}  // namespace faultline::wormhole::planes
