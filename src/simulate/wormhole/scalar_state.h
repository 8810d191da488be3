// SPDX-License-Identifier: Apache-2.0
// What the plain engine keeps of virtual channels, terminals and switches.
#pragma once

#include <bit>
#include <vector>

#include "simulate/switches/waiting.h"
#include "simulate/wormhole/allocator.h"
#include "simulate/wormhole/choices.h"
#include "simulate/wormhole/model.h"
#include "simulate/wormhole/packets.h"

namespace faultline::wormhole::scalar {

[[nodiscard]] inline std::uint32_t lowest_bit(std::uint32_t bits) {
  return static_cast<std::uint32_t>(std::countr_zero(bits));
}

/// Items in flight, by the cycle of their arrival.
class Flights {
 public:
  explicit Flights(Time longest) : due_(std::bit_ceil(static_cast<std::size_t>(longest) + 1)) {}
  void add(Time arrival, VcIndex vc) { at(arrival).push_back(vc); }
  [[nodiscard]] std::vector<VcIndex>& at(Time cycle) {
    return due_[static_cast<std::size_t>(cycle) & (due_.size() - 1)];
  }
  [[nodiscard]] const std::vector<std::vector<VcIndex>>& all() const { return due_; }

 private:
  std::vector<std::vector<VcIndex>> due_;
};

/// Flits in the buffer before a channel: none without a speed-up, else at most one for each credit.
[[nodiscard]] inline Time max_before_a_channel(const SimulationSpec& spec, std::uint32_t vcs) {
  return spec.speedup.none() ? 0 : static_cast<Time>(vcs * spec.wormhole().buffer_flits);
}

/// The buffer of a virtual channel, at the receiving end.
struct InputVc {
  enum class State : std::uint8_t {
    idle,     ///< no packet at the front
    waiting,  ///< the front packet wants an output VC
    active,   ///< it has one
    discard,  ///< it has no continuation
  };
  State state = State::idle;
  std::uint32_t flits = 0;            ///< in the buffer, of any packet
  std::uint32_t left = 0;             ///< flits of the front packet that have not left
  PacketQueues::Position popped = 0;  ///< where the next packet of its queue is
  PacketIndex front = no_packet;
  Time asks_from = 0;  ///< waiting: first cycle in which it makes a request
  VcIndex output = no_vc;
  std::vector<Choice> choices;
};

/// What the sender knows of a virtual channel.
struct OutputVc {
  std::uint32_t credits = 0;
  PacketQueues::Position pushed = 0;  ///< where the next packet that is given the VC is queued
  bool allocated = false;
  VcIndex holder = no_vc;  ///< the input VC whose packet has it
  Time given = 0;          ///< when it was given to the packet that has it
};

/// For the search for a deadlock; the owner knows whether the buffer is full and the virtual channel free.
[[nodiscard]] inline VcState state_of(const InputVc& input, const OutputVc& output, std::uint32_t vc_count) {
  VcState state;
  state.empty = input.flits == 0;
  state.holder = output.holder;
  state.output = input.output;
  if (input.state == InputVc::State::active) state.front = VcState::Front::active;
  if (input.state != InputVc::State::waiting || input.choices.empty()) return state;
  state.front = VcState::Front::waiting;
  for (const Choice& choice : input.choices)
    for (std::uint32_t vcs = choice.vcs; vcs != 0; vcs &= vcs - 1)
      state.wants.push_back(choice.channel.value() * vc_count + lowest_bit(vcs));
  return state;
}

/// A channel, numbered at its switches in the order of their inputs and outputs.
struct Channel {
  std::uint32_t input = 0, output = 0;
  SwitchId target;           ///< none if it ends at a terminal
  std::uint32_t filled = 0;  ///< bit v: flits are in the buffer of virtual channel v
  Time flit_delay = 0, credit_delay = 0;
  Time free_from = 0;  ///< first cycle in which a flit may enter it
};

[[nodiscard]] inline std::vector<Channel> channels_of(const Topology& topology, const Timing& timing) {
  std::vector<Channel> channels(topology.channel_count());
  for (const ChannelId id : topology.channels()) {
    Channel& channel = channels[id.index()];
    channel.target = topology.target(id);
    channel.flit_delay = timing.flit_delay(topology, id);
    channel.credit_delay = timing.credit_delay(topology, id);
  }
  for (const SwitchId at : topology.switches()) {
    std::uint32_t input = 0, output = 0;
    for (const ChannelId channel : topology.inputs(at)) channels[channel.index()].input = input++;
    for (const ChannelId channel : topology.outputs(at)) channels[channel.index()].output = output++;
  }
  return channels;
}
struct Wanted {
  VcIndex vc;
  Choice choice;
};

/// What a terminal is sending on an injection channel.
struct Sender {
  std::uint32_t left = 0;
  std::uint32_t vc = 0;  ///< of the packet, or of the last one
};

struct Switch {
  Allocator vcs, crossbar, speculative;
  std::vector<std::uint32_t> next_vc;  ///< by input: where the search for the next VC to serve begins
};

}  // namespace faultline::wormhole::scalar
