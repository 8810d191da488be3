// SPDX-License-Identifier: Apache-2.0
// The oracle: implements the model as directly as possible. Only switches and virtual channels with flits are
// examined.
#include <algorithm>
#include <bit>
#include <stdexcept>

#include "simulate/wormhole/engine_base.h"
#include "simulate/wormhole/model.h"
#include "simulate/wormhole/scalar_state.h"

namespace faultline::wormhole {
namespace {

using namespace scalar;

#ifdef FAULTLINE_CHECKS
constexpr bool checked = true;
#else
constexpr bool checked = false;
#endif

class Scalar : private EngineBase {
 public:
  Scalar(const RoutingRelation& relation, const TrafficPattern& pattern, const SimulationSpec& spec,
         std::vector<Delivery>* log)
      : EngineBase(relation, pattern, spec, all_terminals(relation.topology()), log),
        inputs_(topology_.channel_count() * vc_count_),
        outputs_(inputs_.size()),
        queue_slots_(inputs_.size(), max_queued(spec.wormhole().buffer_flits, least_flits(spec.injection))),
        queues_(queue_slots_),
        senders_(topology_.injection_channel_count()),
        busy_(topology_.switch_count()),
        vcs_of_way_(std::min(vc_count_, spec_.speedup.input)),
        channels_(channels_of(topology_, timing_)),
        flits_(longest(&Channel::flit_delay) + max_before_a_channel(spec, vc_count_)),
        credits_(longest(&Channel::credit_delay)) {
    for (OutputVc& output : outputs_) output.credits = wormhole_.buffer_flits;
    for (Sender& sender : senders_) sender.vc = vc_count_ - 1;
    for (std::uint32_t vc = 0; vc < vc_count_; ++vc) vcs_of_way_[vc % spec_.speedup.input] |= 1U << vc;
    if (spec.measurement.channel_load) channel_flits_.resize(topology_.channel_count());
    for (const SwitchId at : topology_.switches()) add_switch(at);
  }

  Outcome run(const Progress& progress) { return outcome(run_bins(timeline_, progress, *this)); }

  void run_until(Time edge) {
    for (; now_ < edge; ++now_) {
      end_if_set(spec_.stop);
      step();
    }
  }
  [[nodiscard]] bool may_stop(Time edge) { return measurement_.may_stop(edge, sources_.senders()); }
  [[nodiscard]] std::uint64_t gone() const { return gone_; }
  /// None while the network still changes: nobody waits for ever then.
  [[nodiscard]] std::vector<VcIndex> deadlock() const {
    return network_will_change() ? std::vector<VcIndex>{} : find_deadlock(vc_states());
  }

 private:
  [[nodiscard]] Time longest(Time Channel::*delay) const {
    Time longest = 0;
    for (const Channel& channel : channels_) longest = std::max(longest, channel.*delay);
    return longest;
  }

  void add_switch(SwitchId at) {
    const auto inputs = static_cast<std::uint32_t>(topology_.inputs(at).size());
    const auto outputs = static_cast<std::uint32_t>(topology_.outputs(at).size());
    const std::uint32_t crossbar_inputs = inputs * spec_.speedup.input,
                        crossbar_outputs = outputs * spec_.speedup.output;
    const std::uint32_t speculates = wormhole_.pipeline.speculative ? 1 : 0;
    constexpr std::uint32_t apart = std::uint32_t{1} << 28;  // of the arbiters of one allocator and the next
    const auto arbiter = [&](std::uint32_t number) { return ArbiterKey{spec_.seed, at.value(), number}; };
    switches_.push_back(
        {Allocator(inputs * vc_count_, outputs * vc_count_, spec_, arbiter(0)),
         Allocator(crossbar_inputs, crossbar_outputs, spec_, arbiter(apart)),
         Allocator(crossbar_inputs * speculates, crossbar_outputs * speculates, spec_, arbiter(2 * apart)),
         std::vector<std::uint32_t>(crossbar_inputs)});
  }

  void step() {
    if (network_changes()) choose_again();
    for (const VcIndex vc : flits_.at(now_)) arrive(vc);
    flits_.at(now_).clear();
    for (const VcIndex vc : credits_.at(now_)) ++outputs_[vc].credits;
    credits_.at(now_).clear();
    for (const TerminalId terminal : topology_.terminals()) send_from(terminal);
    for (const SwitchId at : topology_.switches())
      for (std::uint32_t round = 0; round < spec_.speedup.internal && busy_[at.index()] != 0; ++round)
        run_switch(at);
    if constexpr (checked) check_conservation();
  }

  void arrive(VcIndex vc) {
    Channel& channel = channels_[channel_of(vc).index()];
    InputVc& input = inputs_[vc];
    if (!channel.target.valid()) {
      credits_.add(now_ + channel.credit_delay, vc);
      eject(vc, input);
    } else if (input.flits++ == 0) {
      channel.filled |= 1U << vc % vc_count_;
      ++busy_[channel.target.index()];
    }
  }

  void eject(VcIndex vc, InputVc& input) {
    if (input.left == 0) {
      input.front = queues_.pass(vc, input.popped);
      input.left = flits_of(packets_[input.front]);
    }
    if (--input.left != 0) return;
    if (const Packet& packet = packets_[input.front]; packet.lost)
      measurement_.dropped(now_, Drop::link_failed);
    else if (is_dead(channel_of(vc)))
      measurement_.dropped(now_, Drop::dead_channel);
    else
      measurement_.delivered(packet.delivered_at(now_, flits_of(packet)));
    packets_.remove(input.front);
    ++gone_;
  }

  void send_from(TerminalId terminal) {
    while (sources_.first_generated(terminal) <= now_ && start_packet(terminal)) {
    }
    for (const ChannelId channel : topology_.injection(terminal)) {
      Sender& sender = sender_on(channel);
      if (sender.left == 0) continue;
      const VcIndex vc = vc_of(channel, sender.vc);
      if (outputs_[vc].credits == 0) continue;
      const Time arrives = send(channel, vc);
      if (--sender.left == 0) tail_leaves(vc, queues_.at(vc, queues_.before(outputs_[vc].pushed)), arrives);
    }
  }

  bool start_packet(TerminalId terminal) {
    Packet packet;
    if (!sources_.first(terminal, now_, packet, choices_)) return false;
    const auto credits = [&](const Choice& choice) {
      return sender_on(choice.channel).left == 0 && next_with_room(choice) != no_vc ? credits_of(choice) : -1;
    };
    const Choice* const choice = chooser_.best(choices_, packet, chooser_.vertex_of(terminal), now_, credits);
    if (choice == nullptr) return false;
    Sender& sender = sender_on(choice->channel);
    const VcIndex vc = next_with_room(*choice);
    sender.vc = vc % vc_count_;
    sender.left = flits_of(packet);
    packet.injected = now_;
    take(packet, *choice, sender.vc);
    outputs_[vc].given = now_;
    queues_.pass(vc, outputs_[vc].pushed) = packets_.add(packet);
    ++started_;
    sources_.inject(terminal, now_);
    return true;
  }

  void take(Packet& packet, const Choice& choice, std::uint32_t vc) const {
    packet.tag = choice.tag;
    packet.vc_class = chooser_.class_of(choice, vc);
  }

  /// Round robin from the VC after the last one's.
  [[nodiscard]] VcIndex next_with_room(const Choice& choice) {
    for (std::uint32_t step = 1; step <= vc_count_; ++step) {
      const std::uint32_t vc = (sender_on(choice.channel).vc + step) % vc_count_;
      const std::uint32_t credits = outputs_[vc_of(choice.channel, vc)].credits;
      if ((choice.vcs >> vc & 1) != 0 && credits >= (wormhole_.atomic_vcs ? wormhole_.buffer_flits : 1))
        return vc_of(choice.channel, vc);
    }
    return no_vc;
  }

  /// Returns when the flit is at the other end: with a speed-up, it may wait for the channel.
  Time send(ChannelId channel, VcIndex vc) {
    --outputs_[vc].credits;
    if (spec_.measurement.channel_load) ++channel_flits_[channel.index()];
    Channel& used = channels_[channel.index()];
    const Time leaves = std::max(now_, used.free_from);
    used.free_from = leaves + 1;
    flits_.add(leaves + used.flit_delay, vc);
    return leaves + used.flit_delay;
  }

  /// One cycle of a switch. Both allocations see the state before it, except for new arrivals.
  void run_switch(SwitchId at) {
    Switch& here = switches_[at.index()];
    for_each_input_vc(at, [&](VcIndex vc, InputVc& input) {
      if (input.state == InputVc::State::idle)
        route(vc, input);
      else if (input.state == InputVc::State::discard)
        discard(vc, input);
    });
    ask_for_crossbar(at);
    allocate_vcs(at);
    const auto granted = here.crossbar.match(crossbar_requests_, now_);
    granted_.assign(granted.begin(), granted.end());
    if (timing_.speculative) add_speculative_requests(at);
    for (const Request& grant : granted_) forward(at, grant);
  }

  void route(VcIndex vc, InputVc& input) {
    input.front = queues_.pass(vc, input.popped);
    input.left = flits_of(packets_[input.front]);
    input.asks_from = now_ + timing_.head;
    choose(vc, input);
  }

  /// Heads without a virtual channel route again with the present options.
  void choose_again() {
    for (VcIndex vc = 0; vc < inputs_.size(); ++vc)
      if (InputVc& input = inputs_[vc]; input.state == InputVc::State::waiting) choose(vc, input);
  }

  void choose(VcIndex vc, InputVc& input) {
    const SwitchId at = topology_.target(channel_of(vc));
    chooser_.route(packets_[input.front], channel_of(vc), input.choices,
                   [&](const Choice& choice) { return queued(at, choice); });
    input.state = chooser_.stuck() ? InputVc::State::discard : InputVc::State::waiting;
  }

  /// Flits in the buffers that a choice leads to, as far as the switch knows, those still to come of packets
  /// that hold its virtual channels, and all of the packets whose heads wait for these.
  [[nodiscard]] std::uint32_t queued(SwitchId at, const Choice& choice) {
    std::uint32_t flits = static_cast<std::uint32_t>(std::popcount(choice.vcs)) * wormhole_.buffer_flits -
                          static_cast<std::uint32_t>(credits_of(choice));
    for (std::uint32_t vcs = choice.vcs; vcs != 0; vcs &= vcs - 1)
      if (const VcIndex holder = outputs_[vc_of(choice.channel, lowest_bit(vcs))].holder; holder != no_vc)
        flits += inputs_[holder].left;
    for_each_input_vc(at, [&](VcIndex, const InputVc& other) {
      if (other.state != InputVc::State::waiting) return;
      for (const Choice& wanted : other.choices)
        if (wanted.channel == choice.channel && (wanted.vcs & choice.vcs) != 0)
          flits += flits_of(packets_[other.front]);
    });
    return flits;
  }

  /// The last flit of a packet has been granted: does the channel go down before it has left it?
  void tail_leaves(VcIndex vc, PacketIndex packet, Time arrives) {
    if (spec_.faults.on_failure != OnFailure::drop) return;
    const bool ejects = topology_.role(channel_of(vc)) == ChannelRole::ejection;
    packets_[packet].lost |=
        outages_.goes_down(channel_of(vc), outputs_[vc].given, arrives - timing_.after_channel(ejects));
  }

  [[nodiscard]] bool is_dead(ChannelId channel) const {
    return spec_.faults.unseen && spec_.faults.unseen->failed(channel);
  }

  /// A packet that is stuck releases its slots as if it had continued.
  void discard(VcIndex vc, InputVc& input) {
    const PacketIndex packet = input.front;
    leave(vc, input);
    if (input.state != InputVc::State::idle) return;
    measurement_.dropped(now_, why_stuck(packets_[packet].lost, is_dead(channel_of(vc))));
    packets_.remove(packet);
    ++gone_;
  }

  /// A flit of the front packet leaves the buffer.
  void leave(VcIndex vc, InputVc& input) {
    Channel& channel = channels_[channel_of(vc).index()];
    if (--input.flits == 0) {
      channel.filled &= ~(1U << vc % vc_count_);
      --busy_[channel.target.index()];
    }
    credits_.add(now_ + channel.credit_delay, vc);
    if (--input.left == 0) input.state = InputVc::State::idle;
  }

  /// A crossbar input requests a crossbar output once, for the first of its VCs from its pointer that has a
  /// flit and a credit for it.
  void ask_for_crossbar(SwitchId at) {
    crossbar_requests_.clear();
    const Switch& here = switches_[at.index()];
    for (const ChannelId channel : topology_.inputs(at))
      for (std::uint32_t way = 0; way < vcs_of_way_.size(); ++way) {
        const std::uint32_t vcs = channels_[channel.index()].filled & vcs_of_way_[way];
        if (vcs != 0) ask_for_crossbar(here, channel, way, vcs);
      }
  }

  void ask_for_crossbar(const Switch& here, ChannelId channel, std::uint32_t way, std::uint32_t vcs) {
    const std::uint32_t from = channels_[channel.index()].input * spec_.speedup.input + way;
    const std::uint32_t before_pointer = (1U << here.next_vc[from]) - 1;
    const std::size_t first = crossbar_requests_.size();
    for (std::uint32_t part : {vcs & ~before_pointer, vcs & before_pointer})
      for (; part != 0; part &= part - 1) {
        const VcIndex vc = vc_of(channel, lowest_bit(part));
        const InputVc& input = inputs_[vc];
        if (input.state != InputVc::State::active || outputs_[input.output].credits == 0) continue;
        const std::uint32_t to = crossbar_output(channel_of(input.output), from);
        const auto same = [&](const Request& request) { return request.output == to; };
        if (std::any_of(crossbar_requests_.begin() + static_cast<std::ptrdiff_t>(first),
                        crossbar_requests_.end(), same))
          continue;
        crossbar_requests_.push_back({from, to, packets_[input.front].generated, vc});
      }
  }

  /// Crossbar inputs and outputs (Speedup).
  [[nodiscard]] std::uint32_t crossbar_input(VcIndex vc) const {
    return channels_[channel_of(vc).index()].input * spec_.speedup.input +
           vc % vc_count_ % spec_.speedup.input;
  }
  [[nodiscard]] std::uint32_t crossbar_output(ChannelId channel, std::uint32_t from) const {
    return channels_[channel.index()].output * spec_.speedup.output + from % spec_.speedup.output;
  }

  void allocate_vcs(SwitchId at) {
    vc_requests_.clear();
    wanted_.clear();
    for_each_input_vc(at, [&](VcIndex vc, InputVc& input) {
      if (input.state == InputVc::State::waiting && input.asks_from <= now_) ask_for_vcs(at, vc, input);
    });
    for (const Request& grant : switches_[at.index()].vcs.match(vc_requests_, now_)) {
      const ChannelId output = topology_.outputs(at)[grant.output / vc_count_];
      give(grant.from, inputs_[grant.from], vc_of(output, grant.output % vc_count_));
    }
  }

  void ask_for_vcs(SwitchId at, VcIndex vc, const InputVc& input) {
    const Packet& packet = packets_[input.front];
    const auto credits = [&](const Choice& choice) {
      return free_vcs(choice) != 0 ? credits_of(choice) : -1;
    };
    const Choice* const choice = chooser_.best(input.choices, packet, at.value(), now_, credits);
    if (choice == nullptr) return;
    const std::uint32_t from = channels_[channel_of(vc).index()].input * vc_count_ + vc % vc_count_;
    const std::uint32_t to = channels_[choice->channel.index()].output * vc_count_;
    for (std::uint32_t free = free_vcs(*choice); free != 0; free &= free - 1)
      vc_requests_.push_back({from, to + lowest_bit(free), packet.generated, vc});
    wanted_.push_back({vc, *choice});
  }

  void give(VcIndex vc, InputVc& input, VcIndex output) {
    const Choice& choice = std::ranges::find(wanted_, vc, &Wanted::vc)->choice;
    Packet& packet = packets_[input.front];
    take(packet, choice, output % vc_count_);
    ++packet.hops;
    queues_.pass(output, outputs_[output].pushed) = input.front;
    outputs_[output].allocated = true;
    outputs_[output].holder = vc;
    outputs_[output].given = now_;
    input.output = output;
    input.state = InputVc::State::active;
  }

  void forward(SwitchId at, const Request& grant) {
    const VcIndex vc = grant.from;
    InputVc& input = inputs_[vc];
    switches_[at.index()].next_vc[grant.input] = (vc + 1) % vc_count_;
    const Time arrives = send(channel_of(input.output), input.output);
    leave(vc, input);
    ++flit_hops_;
    if (input.state != InputVc::State::idle) return;
    tail_leaves(input.output, input.front, arrives);
    outputs_[input.output].allocated = false;
    outputs_[input.output].holder = no_vc;
    ++packet_hops_;
  }

  /// Heads that got a VC in this cycle and requested the crossbar at the same time use what no other request
  /// takes. A head that got no VC has made its request in vain: the outputs that it was matched with stay
  /// unused.
  void add_speculative_requests(SwitchId at) {
    speculative_requests_.clear();
    for (const auto& [vc, choice] : wanted_) {
      const std::uint32_t from = crossbar_input(vc), to = crossbar_output(choice.channel, from);
      const auto taken = [&](const Request& grant) { return grant.input == from || grant.output == to; };
      const auto same = [&](const Request& request) { return request.input == from && request.output == to; };
      if (std::ranges::any_of(granted_, taken) || std::ranges::any_of(speculative_requests_, same)) continue;
      speculative_requests_.push_back({from, to, packets_[inputs_[vc].front].generated, vc});
    }
    for (const Request& grant : switches_[at.index()].speculative.match(speculative_requests_, now_)) {
      const InputVc& input = inputs_[grant.from];
      if (input.state == InputVc::State::active && outputs_[input.output].credits != 0)
        granted_.push_back(grant);
    }
  }

  template <class Visit>
  void for_each_input_vc(SwitchId at, Visit visit) {
    for (const ChannelId channel : topology_.inputs(at))
      for (std::uint32_t vcs = channels_[channel.index()].filled; vcs != 0; vcs &= vcs - 1) {
        const VcIndex vc = vc_of(channel, lowest_bit(vcs));
        visit(vc, inputs_[vc]);
      }
  }

  [[nodiscard]] std::uint32_t flits_of(const Packet& packet) const {
    return injection_.flits(packet.source, packet.sequence);
  }
  [[nodiscard]] VcIndex vc_of(ChannelId channel, std::uint32_t vc) const {
    return channel.value() * vc_count_ + vc;
  }
  [[nodiscard]] ChannelId channel_of(VcIndex vc) const { return ChannelId(vc / vc_count_); }
  [[nodiscard]] Sender& sender_on(ChannelId injection) {
    return senders_[injection.index() - topology_.network_channel_count()];
  }

  [[nodiscard]] bool is_free(VcIndex vc) const {
    return !outputs_[vc].allocated &&
           (!wormhole_.atomic_vcs || outputs_[vc].credits == wormhole_.buffer_flits);
  }
  [[nodiscard]] std::uint32_t free_vcs(const Choice& choice) const {
    std::uint32_t free = choice.vcs;
    for (std::uint32_t vcs = choice.vcs; vcs != 0; vcs &= vcs - 1)
      if (!is_free(vc_of(choice.channel, lowest_bit(vcs)))) free &= ~(1U << lowest_bit(vcs));
    return free;
  }
  [[nodiscard]] int credits_of(const Choice& choice) const {
    std::uint32_t credits = 0;
    for (std::uint32_t vcs = choice.vcs; vcs != 0; vcs &= vcs - 1)
      credits += outputs_[vc_of(choice.channel, lowest_bit(vcs))].credits;
    return static_cast<int>(credits);
  }

  std::vector<VcState> vc_states() const {
    std::vector<VcState> states(inputs_.size());
    for (VcIndex vc = 0; vc < inputs_.size(); ++vc) {
      states[vc] = state_of(inputs_[vc], outputs_[vc], vc_count_);
      states[vc].full = inputs_[vc].flits == wormhole_.buffer_flits;
      states[vc].free = is_free(vc);
    }
    return states;
  }

  /// Every slot of every buffer is free and known to be so, free and not yet known to be so, occupied, or
  /// reserved.
  void check_conservation() const {
    std::vector<std::uint32_t> slots(outputs_.size());
    for (std::size_t vc = 0; vc < slots.size(); ++vc) slots[vc] = outputs_[vc].credits;
    for (const auto& due : flits_.all())
      for (const VcIndex vc : due) ++slots[vc];
    for (const auto& due : credits_.all())
      for (const VcIndex vc : due) ++slots[vc];
    for (std::size_t vc = 0; vc < slots.size(); ++vc) {
      if (topology_.role(channel_of(static_cast<VcIndex>(vc))) != ChannelRole::ejection)
        slots[vc] += inputs_[vc].flits;
      if (slots[vc] != wormhole_.buffer_flits) throw std::logic_error("wormhole: a credit was lost or made");
    }
    if (started_ != gone_ + packets_.count()) throw std::logic_error("wormhole: a packet was lost or made");
  }

  Outcome outcome(const std::vector<VcIndex>& deadlock) {
    const std::uint64_t in_flight = sources_.drain(now_) + packets_.count();
    Outcome outcome{measurement_.result(now_, in_flight), measurement_.checksum(now_)};
    SimulationResult& result = outcome.result;
    result.packet_hops = packet_hops_;
    result.flit_hops = flit_hops_;
    result.channel_flits = std::move(channel_flits_);
    result.deadlock = !deadlock.empty();
    for (const VcIndex vc : deadlock) {
      result.deadlock_cycle.push_back(topology_.name(channel_of(vc)));
      result.deadlock_packets.push_back(packets_[inputs_[vc].front].name(topology_));
    }
    return outcome;
  }

  std::vector<InputVc> inputs_;    // by VC
  std::vector<OutputVc> outputs_;  // by VC
  PacketPool packets_;
  PacketQueues queue_slots_;
  PacketQueues::View queues_;  // by VC
  std::vector<Sender> senders_;
  std::vector<Switch> switches_;
  std::vector<std::uint32_t> busy_;           // by switch: input VCs with flits
  std::vector<std::uint32_t> vcs_of_way_;     // by crossbar input
  std::vector<Channel> channels_;             // by channel
  std::vector<std::uint64_t> channel_flits_;  // by channel, on request
  Flights flits_, credits_;
  std::uint64_t packet_hops_ = 0, flit_hops_ = 0, started_ = 0, gone_ = 0;

  // Of the switch being examined; members, so that no cycle allocates.
  std::vector<Request> crossbar_requests_, vc_requests_, speculative_requests_, granted_;
  std::vector<Wanted> wanted_;
  std::vector<Choice> choices_;
};

}  // namespace

Outcome run_scalar(const RoutingRelation& relation, const TrafficPattern& pattern, const SimulationSpec& spec,
                   const Progress& progress, std::vector<Delivery>* log) {
  return Scalar(relation, pattern, spec, log).run(progress);
}

}  // namespace faultline::wormhole
