// SPDX-License-Identifier: Apache-2.0
// The buffers, channels and packets of the event-driven engine as flat arrays: all of its state that is the
// same for any number of ports a switch.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "faultline/topology/topology.h"
#include "simulate/cut_through/arbiters.h"
#include "simulate/cut_through/channel_outages.h"
#include "simulate/cut_through/model.h"
#include "simulate/cut_through/packets.h"
#include "simulate/cut_through/rings.h"
#include "simulate/faults/lasting_paths.h"
#include "simulate/injection/injection_process.h"
#include "simulate/switches/huge_pages.h"

namespace faultline::cut_through {

/// The sender of an input: an output of a switch, or an injector of a terminal.
class Sender {
 public:
  Sender() = default;
  static Sender output(std::size_t index) { return Sender(static_cast<std::uint32_t>(index)); }
  static Sender injector(std::size_t index) {
    return Sender(static_cast<std::uint32_t>(index) | injector_bit);
  }
  [[nodiscard]] bool is_injector() const { return (value_ & injector_bit) != 0; }
  [[nodiscard]] std::uint32_t index() const { return value_ & ~injector_bit; }

 private:
  static constexpr std::uint32_t injector_bit = std::uint32_t{1} << 31;
  explicit Sender(std::uint32_t value) : value_(value) {}
  std::uint32_t value_ = 0;
};

/// Room for a packet in a buffer.
struct Slot {
  PacketId packet = 0;
  Time time = 0;  ///< when the packet's head is there (in an input: when it has been routed), or the slot is
                  ///< free
};

/// Of a switch: virtual channels at its inputs, or at its outputs.
inline constexpr std::uint32_t max_ports = 256;

/// Buffers of more slots have them in arrays of their own.
inline constexpr std::uint32_t near_slots = 2;

/// The inputs of a channel with at most this many virtual channels share a cache line.
inline constexpr std::uint32_t near_vcs = 2;

/// Half a cache line, like an output: what a packet touches per hop is most of its cost in a large network.
struct alignas(32) Input {
  Time read = 0;  ///< the channel gives its next packet from here on; see BufferState::read_from
  std::uint16_t fly_less_one = 0;  ///< of the channel
  std::uint8_t head = 0;
  std::uint8_t count : 7 = 0;
  std::uint8_t by_option : 1 = 0;  ///< the head's Choice is; else the packet has its new tag
  Sender sender;
  std::uint32_t tie = 0;  ///< breaks ties between the head's options, if there are several
  Slot near[near_slots] = {};
};
static_assert(sizeof(Input) == 32 && max_delay_cycles <= 65'536);

/// The slots hold packets that wait for the channel or, if none does, say when slots at its other end become
/// free: never both.
struct alignas(32) Output {
  static constexpr std::uint32_t ejects = std::uint32_t{1} << 31;
  Time sent = 0;     ///< the channel takes the next packet from here on
  Time written = 0;  ///< the buffer takes the next packet from here on; kept by the first virtual channel
  std::uint32_t target = ejects;  ///< input at the other end, or ejects | cycles to fly
  std::uint8_t head = 0, waiting = 0, credits = 0;
  std::uint8_t unknown = 0;    ///< slots of which it is not known when they will be free
  Slot near[near_slots] = {};  ///< of an ejecting output, which holds nobody: the terminal that it leads to
};
static_assert(sizeof(Output) == 32);

/// What the virtual channels of an output channel share.
struct OutputChannel {
  std::uint32_t target = Output::ejects;  ///< Output::target of the first one, or ejects | terminal
  Time written = 0;  ///< the channel takes the next packet from here on; if it ejects, its cycles to fly
};

/// A terminal's end of an injection channel; its slots are those of the input at the other end.
struct Injector {
  Time sent = 0;  ///< the channel takes the next packet from here on; kept by the first virtual channel
  std::uint32_t target = 0;
  std::uint32_t terminal = 0;
  std::uint32_t unknown = 0;
  std::uint64_t flits = 0;  ///< of the packets that it has sent
};

/// Which packets a run has besides those that sources generate: `learns`, control packets; `sends_again`,
/// packets that terminals re-inject.
struct Traffic {
  bool learns, sends_again;
  Time control_flits;  ///< 0 without packets of control

  Traffic(const RoutingRelation& relation, const SimulationSpec& spec)
      : learns(spec.cut_through().agents.has_value()),
        sends_again(relation.sends_again()),
        control_flits(learns ? static_cast<Time>(spec.cut_through().agents->control_flits) : 0) {
    for (const Rerouting& change : spec.faults.reroutings) sends_again |= change.relation->sends_again();
  }
  [[nodiscard]] bool any() const { return learns || sends_again; }
};

/// How the three bufferings differ; otherwise they run alike.
struct BufferRules {
  std::uint32_t slots_per_input;  ///< packets that an input holds
  bool free_when_credited;  ///< an output's slot is free when the receiver says so, not when the tail has
                            ///< left
  bool ejection_has_slots;  ///< an ejecting output has a buffer that can be full

  explicit BufferRules(const Timing& timing)
      : slots_per_input(timing.buffers == Buffering::output ? 1 : timing.slots),
        free_when_credited(timing.buffers != Buffering::both),
        ejection_has_slots(timing.buffers != Buffering::input) {}
};

/// The smallest number of cycles between …
struct Lookahead {
  Time grant;      ///< … a grant and the next switch's examination of the packet
  Time injection;  ///< … an injection and the first switch's examination of the packet
  Time credit;     ///< … a grant and the sender's use of the slot that it will free
  Time letter;     ///< … a grant of an ejection channel and the terminal's reaction
};

/// The position after `position`, and the one of an entry fewer than 2 * size from the start of a ring.
inline std::uint8_t next_in_ring(std::uint8_t position, std::uint32_t size) {
  return position + 1U == size ? std::uint8_t{0} : static_cast<std::uint8_t>(position + 1);
}
inline std::uint32_t in_ring(std::uint32_t position, std::uint32_t size) {
  return position < size ? position : position - size;
}

/// Which relation switches and terminals use from which cycle on.
struct RelationFrom {
  Time at;
  const RoutingRelation* relation;
};

/// Port p of switch s is input (output) s * ports + p. Each virtual channel has a port: that of channel i (in
/// the topology's order) and VC v is i * VCs + v. Ports that a switch lacks are never due.
struct BufferState {
  BufferState(const RoutingRelation& relation, const SimulationSpec& spec, std::uint32_t ports_a_switch);

  [[nodiscard]] std::size_t bytes() const;
  /// How many of the packets are in buffers.
  [[nodiscard]] std::uint64_t packets_generated_before(Time end) const;
  [[nodiscard]] Lookahead lookahead(const Topology& topology) const;
  /// From output_flits and those of the injectors, less what is injected at or after `end`.
  [[nodiscard]] std::vector<std::uint64_t> flits_by_channel(const Topology& topology,
                                                            const InjectionProcess& injection,
                                                            Time end) const;

  [[nodiscard]] OutputChannel& output_channel(std::uint32_t at, std::uint32_t port) {
    return output_channels[at * channels + channel_of_port[port]];
  }
  /// From when on the channel of an input gives its next packet: its virtual channels take turns. With one or
  /// two, the first keeps the time. With more, a row does: a packet that arrives on another virtual channel
  /// would wait for the first one's cache line, which took 15 % of a run with 8.
  [[nodiscard]] Time& read_from(std::uint32_t at, std::uint32_t port) {
    return vcs <= near_vcs ? inputs[at * ports + port - vc_of_port[port]].read
                           : input_read[at * channels + channel_of_port[port]];
  }
  /// A virtual channel of control packets only, with space for all of them.
  [[nodiscard]] bool is_lane(std::uint32_t port) const {
    return traffic.learns && vc_of_port[port] == vcs - 1U;
  }
  /// Behind the head of a lane, in order of time: an input has no slots for these.
  [[nodiscard]] std::vector<Slot>& behind_head(std::uint32_t input) {
    return lanes[std::size_t{input / ports} * (ports / vcs + 1) + input % ports / vcs];
  }
  [[nodiscard]] const std::vector<Slot>& behind_head(std::uint32_t input) const {
    return const_cast<BufferState*>(this)->behind_head(input);
  }
  [[nodiscard]] const Slot* slots_of_input(std::uint32_t input) const {
    return slots_per_input <= near_slots ? inputs[input].near
                                         : &input_slots[std::size_t{input} * slots_per_input];
  }
  [[nodiscard]] Slot* slots_of_input(std::uint32_t input) {
    return const_cast<Slot*>(std::as_const(*this).slots_of_input(input));
  }
  [[nodiscard]] const Slot* slots_of_output(std::uint32_t output) const {
    return slots_per_output <= near_slots ? outputs[output].near
                                          : &output_slots[std::size_t{output} * slots_per_output];
  }
  [[nodiscard]] Slot* slots_of_output(std::uint32_t output) {
    return const_cast<Slot*>(std::as_const(*this).slots_of_output(output));
  }
  /// Level l of a switch: for each of its outputs, from when on l + 1 slots are free; `never` if the
  /// departure of the packet in question is not known. Level 0 is never before `written`.
  [[nodiscard]] const Time* free_from(std::uint32_t at, std::uint32_t level) const {
    return &output_free[(std::size_t{at} * slots_per_output + level) * ports];
  }
  [[nodiscard]] Time* free_from(std::uint32_t at, std::uint32_t level) {
    return const_cast<Time*>(std::as_const(*this).free_from(at, level));
  }
  [[nodiscard]] Time* free_of_injector(std::uint32_t injector) {
    return &injector_free[std::size_t{injector} * slots_per_input];
  }
  /// From when on the injection channel of `injector`, which is port `port` of its terminal, takes the next
  /// packet.
  [[nodiscard]] Time& sent_by_channel_of(std::uint32_t injector, std::uint32_t port) {
    return injectors[injector - vc_of_port[port]].sent;
  }
  /// From the grant of a packet of `flits` until its slot is free for the sender.
  [[nodiscard]] Time credit_delay(Time flits, Time fly) const {
    return timing.buffers != Buffering::output ? flits : std::max<Time>(1, flits - timing.routing - fly);
  }

  /// Of what a switch or terminal is offered, in the course of the run.
  [[nodiscard]] bool changes() const { return !outages.of_switches().empty() || relations.size() > 1; }
  /// Buffers of two packets, and only packets that sources generate: the case of most runs.
  [[nodiscard]] bool is_common() const { return !traffic.any() && slots_per_output == near_slots; }

  Timing timing;
  BufferRules buffer_rules;
  std::uint32_t slots_per_output, slots_per_input;
  Traffic traffic;
  bool own_lanes;    ///< control packets take those, and no slots of others
  std::uint8_t vcs;  ///< of a channel: those of the relation, and the lane where there is one
  std::uint8_t channel_of_port[max_ports];
  std::uint8_t vc_of_port[max_ports];  ///< by port: which of its channel's it is
  std::uint32_t ports;                 ///< of a switch, from 8 to max_ports
  std::uint32_t switch_count;
  std::uint32_t channels;                   ///< that enter or leave the widest switch
  std::vector<std::uint32_t> input_counts;  ///< by switch
  Rings rings;
  std::vector<std::vector<Slot>> lanes;  ///< by switch and input channel
  HugeVector<Time> eligible;             ///< by input: when its head may be granted
  HugeVector<VirtualChannel> held;       ///< by input
  HugeVector<Tag> arrival_tags;          ///< by input: its head's; empty where no switch `changes`
  HugeVector<Time> input_read;           ///< by switch and channel; for more than near_vcs
  HugeVector<Input> inputs;
  HugeVector<Slot> input_slots;
  HugeVector<Output> outputs;
  /// In place of those where outputs start at once what they are granted (Shape::input_buffered): a few
  /// bytes, which stay in the cache.
  HugeVector<OutputChannel> output_channels;  ///< by switch and channel
  HugeVector<std::uint8_t> unknown;           ///< by output: Output::unknown
  Arbiters output_arbiters;                   ///< by output: the first virtual channel's chooses among inputs
  Arbiters input_arbiters;  ///< by input: the first virtual channel's chooses among all of that input
  HugeVector<Slot> output_slots;
  HugeVector<Time> output_free;
  HugeVector<std::uint64_t> output_flits;  ///< granted, on request
  HugeVector<Injector> injectors;          ///< by terminal, numbered like ports
  std::vector<std::uint32_t> first_injector;
  HugeVector<Time> injector_free;
  HugeVector<std::uint8_t>
      position_of_channel;  ///< among the outputs of its switch or the injection channels of its terminal
  PacketStore packets;
  ChannelOutages outages;
  LastingPaths lasting_paths;           ///< copied by each thread
  std::vector<RelationFrom> relations;  ///< in the order of time; the first is that of the run
  bool has_rings;                       ///< one of them has

 private:
  [[nodiscard]] std::uint64_t flits_injected_from(std::uint32_t input, const InjectionProcess& injection,
                                                  Time end) const;
  /// visit(packet) for each in the inputs.
  template <class Visit>
  void for_each_in_inputs(Visit visit) const {
    for (std::uint32_t i = 0; i < inputs.size(); ++i) {
      for (std::uint32_t k = 0; k < inputs[i].count; ++k)
        visit(slots_of_input(i)[in_ring(inputs[i].head + k, slots_per_input)].packet);
      if (inputs[i].count != 0 && is_lane(i % ports))
        for (const Slot& slot : behind_head(i)) visit(slot.packet);
    }
  }
};

}  // namespace faultline::cut_through
