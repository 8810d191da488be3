// SPDX-License-Identifier: Apache-2.0
// Conservation checks of the event-driven engine: slots of buffers, and packets.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "simulate/cut_through/buffer_state.h"
#include "simulate/cut_through/outbox.h"

namespace faultline::cut_through {

/// Adds up, between two windows, what is in buffers and what has been sent but not read yet.
class Conservation {
 public:
  /// `at_once`: outputs start at once what they are granted.
  Conservation(const BufferState& network, bool at_once)
      : network_(network),
        at_once_(at_once),
        packets_to_(network.inputs.size()),
        credits_to_output_(network.outputs.size()),
        credits_to_injector_(network.injectors.size()) {}

  void add(const Outbox::Batch& sent) {
    for (std::size_t i = 0; i < sent.forwards.size(); ++i) ++packets_to_[sent.forwards[i].input];
    for (std::size_t i = 0; i < sent.credits.size(); ++i) ++credits_to(sent.credits[i].to);
    packets_ += sent.forwards.size() + sent.letters.size();
  }
  void add_packets(std::size_t count) { packets_ += count; }

  /// `in_use`: packets that pools have handed out. Throws std::logic_error.
  void check(std::size_t in_use) {
    for (std::uint32_t at = 0; at < network_.switch_count; ++at)
      for (std::uint32_t port = 0; port < network_.input_counts[at]; ++port)
        check_input(at * network_.ports + port);
    for (const Output& output : network_.outputs) packets_ += output.waiting;
    if (packets_ != in_use) throw std::logic_error("cut-through: a packet was lost or made");
  }

 private:
  std::uint32_t& credits_to(Sender sender) {
    return (sender.is_injector() ? credits_to_injector_ : credits_to_output_)[sender.index()];
  }

  /// Each slot of an input is free for the sender, holds a packet, or a packet or credit for it is in
  /// flight.
  void check_input(std::uint32_t index) {
    const Input& input = network_.inputs[index];
    packets_ += input.count;
    if (network_.is_lane(index % network_.ports)) {
      packets_ += network_.behind_head(index).size();
      return;
    }
    const std::uint32_t taken = input.count + packets_to_[index] + credits_to(input.sender);
    bool right = true;
    if (input.sender.is_injector())
      right = taken == network_.injectors[input.sender.index()].unknown;
    else if (at_once_)
      right = taken == network_.unknown[input.sender.index()];
    else {
      const Output& output = network_.outputs[input.sender.index()];
      right = taken + output.credits == network_.slots_per_input &&
              output.unknown == output.waiting + (network_.buffer_rules.free_when_credited ? taken : 0);
    }
    if (!right) throw std::logic_error("cut-through: a slot of a buffer was lost or made");
  }

  const BufferState& network_;
  bool at_once_;
  std::vector<std::uint32_t> packets_to_, credits_to_output_, credits_to_injector_;
  std::size_t packets_ = 0;
};

}  // namespace faultline::cut_through
