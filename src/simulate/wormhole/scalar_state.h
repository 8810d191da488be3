// SPDX-License-Identifier: Apache-2.0
// What the plain engine keeps of virtual channels, terminals and switches.
#pragma once

#include <bit>
#include <vector>

#include "simulate/waiting.h"
#include "simulate/wormhole/allocator.h"
#include "simulate/wormhole/choices.h"
#include "simulate/wormhole/packets.h"

namespace faultline::wormhole::scalar {

/// What is under way, by the cycle of its arrival.
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

/// The buffer of a virtual channel, at the receiving end.
struct InputVc {
  enum class State : std::uint8_t {
    idle,     ///< no packet at the front
    waiting,  ///< the front packet wants an output VC
    active,   ///< it has one
    discard,  ///< it can go nowhere
  };
  State state = State::idle;
  std::uint32_t flits = 0;   ///< in the buffer, of any packet
  std::uint32_t left = 0;    ///< flits of the front packet that have not left
  std::uint32_t popped = 0;  ///< packets that came to the front so far
  PacketIndex front = no_packet;
  Time asks_from = 0;  ///< waiting: first cycle in which it asks
  VcIndex output = no_vc;
  std::vector<Choice> choices;
};

/// What the sender knows of a virtual channel.
struct OutputVc {
  std::uint32_t credits = 0;
  std::uint32_t pushed = 0;  ///< packets that were given the VC so far
  bool allocated = false;
  VcIndex holder = no_vc;  ///< the input VC whose packet has it
  Time given = 0;          ///< when it was given to the packet that has it
};

/// What a terminal is sending on an injection channel.
struct Sender {
  std::uint32_t left = 0;
  std::uint32_t vc = 0;  ///< of the packet, or of the last one
};

struct Switch {
  Allocator vcs, crossbar, speculative;
  std::vector<std::uint32_t> next_vc;  ///< by input: where the search for a VC to serve begins
  std::uint32_t busy = 0;              ///< input VCs with flits
};

}  // namespace faultline::wormhole::scalar
