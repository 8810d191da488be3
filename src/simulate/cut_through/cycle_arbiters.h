// SPDX-License-Identifier: Apache-2.0
// Which requests at a switch are granted, in the cycle-driven engine.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "faultline/topology/topology.h"
#include "simulate/cut_through/arbiters.h"
#include "simulate/cut_through/cycle_state.h"
#include "simulate/cut_through/model.h"
#include "simulate/switches/arbiter.h"

namespace faultline::cut_through::plain {

/// A head requests an output that is available to it.
struct Request {
  VirtualChannel input;
  Slot* head = nullptr;
  Candidate chosen;
};

class CycleArbiters {
 public:
  CycleArbiters(const Topology& topology, std::uint32_t vcs, const SimulationSpec& spec)
      : topology_(topology), vcs_(vcs) {
    for (const ChannelId channel : topology.channels()) {
      const SwitchId from = topology.source(channel), to = topology.target(channel);
      const auto outputs = from.valid() ? topology.outputs(from) : std::span<const ChannelId>{};
      const auto inputs = to.valid() ? topology.inputs(to) : std::span<const ChannelId>{};
      const std::size_t contenders = from.valid() ? topology.inputs(from).size() * vcs : 0;
      outputs_.emplace_back(arbitration_of(spec), static_cast<std::uint32_t>(contenders),
                            ArbiterKey{spec.seed, from.value(), number(outputs, {channel, 0})});
      inputs_.emplace_back(arbitration_of(spec), vcs,
                           ArbiterKey{spec.seed, to.value(), of_input + number(inputs, {channel, 0})});
    }
  }

  /// One round: each output channel grants one of its requests, each input accepts one of its grants.
  [[nodiscard]] std::vector<Request> accepted(const std::vector<Request>& asking, Time now) const {
    const auto before_at_output = [&](const Request& a, const Request& b) {
      return outputs_[output(a).index()].before(at_output(a), at_output(b), now);
    };
    const auto before_at_input = [&](const Request& a, const Request& b) {
      return inputs_[input(a).index()].before(at_input(a), at_input(b), now);
    };
    return first_of_each(first_of_each(asking, output, before_at_output), input, before_at_input);
  }

  void served(const Request& request) {
    outputs_[output(request).index()].served(at_output(request).number);
    inputs_[input(request).index()].served(at_input(request).number);
  }

 private:
  static ChannelId output(const Request& request) { return request.chosen.taken.channel; }
  static ChannelId input(const Request& request) { return request.input.channel; }

  [[nodiscard]] Arbiter::Contender at_output(const Request& request) const {
    const SwitchId at = topology_.target(request.input.channel);
    return {number(topology_.inputs(at), request.input), request.head->packet.generated};
  }
  [[nodiscard]] static Arbiter::Contender at_input(const Request& request) {
    return {request.input.vc, request.head->packet.generated};
  }

  /// Of a virtual channel among all of `channels`.
  [[nodiscard]] std::uint32_t number(std::span<const ChannelId> channels, VirtualChannel at) const {
    const auto position = std::ranges::find(channels, at.channel) - channels.begin();
    return static_cast<std::uint32_t>(position) * vcs_ + at.vc;
  }

  /// Of the requests with the same channel, the one that has priority.
  template <class Before>
  static std::vector<Request> first_of_each(const std::vector<Request>& requests,
                                            ChannelId (*channel_of)(const Request&), Before before) {
    std::vector<Request> first;
    for (const Request& request : requests) {
      const auto rival = std::ranges::find(first, channel_of(request), channel_of);
      if (rival == first.end())
        first.push_back(request);
      else if (before(request, *rival))
        *rival = request;
    }
    return first;
  }

  const Topology& topology_;
  std::uint32_t vcs_;
  std::vector<Arbiter> outputs_;  // by channel: chooses among the virtual channels behind it
  std::vector<Arbiter> inputs_;   // by channel: chooses among its virtual channels
};

}  // namespace faultline::cut_through::plain
