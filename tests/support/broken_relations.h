// SPDX-License-Identifier: Apache-2.0
// Relations that each break one clause of the contract, in one answer.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "support/grid_network.h"

namespace faultline::testing_support {

/// Dimension order on a 3 x 2 mesh, but for packets from terminal 0 to terminal 5: there `break_inject` or,
/// at switch 1, `break_route` changes the answer. Such packets pass the switches 0, 1, 2 and 5.
class Broken final : public RoutingRelation {
 public:
  struct Breach {
    std::string name;
    std::string names;  ///< a part of the error
    std::function<void(const Topology&, RouteOptions&)> break_inject = {};
    std::function<void(const Topology&, const RouteState&, RouteOptions&)> break_route = {};
    std::function<std::uint64_t(std::uint64_t)> break_bits = {};
    std::function<std::uint64_t(std::uint64_t)> break_sets = {};  ///< the outputs of the first set
    std::uint32_t injection_vcs = 0;                              ///< that it declares
    bool always_used =
        true;  ///< every packet of the pair meets it, and no second question is needed to see it
  };
  static constexpr SwitchId where{std::size_t{1}};
  static constexpr TerminalId source{std::size_t{0}}, destination{std::size_t{5}};

  explicit Broken(Breach breach)
      : RoutingRelation(mesh(3, 2)), breach_(std::move(breach)), sound_(shared_topology(), 3) {}

  void inject(TerminalId from, TerminalId to, RouteOptions& options) const override {
    sound_.inject(from, to, options);
    if (breach_.break_inject && from == source && to == destination)
      breach_.break_inject(topology(), options);
  }
  [[nodiscard]] std::uint32_t injection_vcs() const override { return breach_.injection_vcs; }
  void route(const RouteState& state, RouteOptions& options) const override {
    sound_.route(state, options);
    if (breach_.break_route && state.at == where && state.destination == destination)
      breach_.break_route(topology(), state, options);
  }
  [[nodiscard]] bool offers_output_bits() const override { return static_cast<bool>(breach_.break_bits); }
  [[nodiscard]] std::uint64_t output_bits(SwitchId at, TerminalId to) const override {
    const std::uint64_t bit = sound_bit(at, to);
    return at == where && to == destination ? breach_.break_bits(bit) : bit;
  }
  [[nodiscard]] bool offers_output_sets() const override { return static_cast<bool>(breach_.break_sets); }
  [[nodiscard]] OutputSets output_sets(SwitchId at, TerminalId to, Tag) const override {
    const std::uint64_t bit = sound_bit(at, to);
    return {{{{at == where && to == destination ? breach_.break_sets(bit) : bit, 1}}}};
  }

 private:
  [[nodiscard]] std::uint64_t sound_bit(SwitchId at, TerminalId to) const {
    RouteOptions options;
    sound_.route({at, to, topology().inputs(at).front()}, options);
    std::uint64_t bit = 1;
    for (const ChannelId channel : topology().outputs(at)) {
      if (channel == options.front().channel) break;
      bit <<= 1;
    }
    return bit;
  }

  Breach breach_;
  DimensionOrder sound_;
};

inline std::vector<Broken::Breach> breaches() {
  const auto route = [](auto change) {
    return [change](const Topology&, const RouteState&, RouteOptions& options) { change(options.front()); };
  };
  const auto inject = [](auto change) {
    return [change](const Topology&, RouteOptions& options) { change(options.front()); };
  };
  return {
      {.name = "ejects at another terminal",
       .names = "must eject at terminal 5",
       .break_route = [](const Topology& topology, const RouteState&,
                         RouteOptions& options) { options = {{topology.ejection(TerminalId(1)).front()}}; }},
      {.name = "ejects at the source",
       .names = "terminal 0 to terminal 5",
       .break_inject =
           [](const Topology& topology, RouteOptions& options) {
             options = {{topology.ejection(Broken::source).front()}};
           }},
      {.name = "takes another switch's channel",
       .names = "must be on an output of switch 1",
       .break_route = [](const Topology& topology, const RouteState&,
                         RouteOptions& options) { options = {{topology.outputs(SwitchId(2)).front()}}; }},
      {.name = "takes the channel of another terminal",
       .names = "must be on an injection channel of terminal 0",
       .break_inject =
           [](const Topology& topology, RouteOptions& options) {
             options = {{topology.injection(TerminalId(1)).front()}};
           }},
      {.name = "goes back into a terminal",
       .names = "must be on an output of switch 1",
       .break_route = [](const Topology& topology, const RouteState&,
                         RouteOptions& options) { options = {{topology.injection(TerminalId(1)).front()}}; }},
      {.name = "injects into the network's middle",
       .names = "must be on an injection channel of terminal 0",
       .break_inject = [](const Topology& topology,
                          RouteOptions& options) { options = {{topology.outputs(Broken::where).front()}}; }},
      {.name = "names a channel that is not there",
       .names = "below",
       .break_route = route([](RouteOption& option) { option.channel = ChannelId(1'000'000); })},
      {.name = "takes no channel at all", .names = "below", .break_inject = inject([](RouteOption& option) {
                                                              option.channel = ChannelId();
                                                            })},
      {.name = "takes a virtual channel too many",
       .names = "virtual channels",
       .break_route = route([](RouteOption& option) { option.vcs = 0b11; })},
      {.name = "takes no virtual channel",
       .names = "virtual channels",
       .break_route = route([](RouteOption& option) { option.vcs = 0; })},
      {.name = "carries an undeclared tag",
       .names = "a tag that the routing declares",
       .break_route = route([](RouteOption& option) { option.tag = 1; })},
      {.name = "injects with an undeclared tag",
       .names = "a tag that the routing declares",
       .break_inject = inject([](RouteOption& option) { option.tag = 7; })},
      {.name = "changes its mind",
       .names = "however often",
       .break_route =
           [asked = std::make_shared<std::atomic<int>>()](const Topology& topology, const RouteState& state,
                                                          RouteOptions& options) {
             if (++*asked % 2 == 0) options = {{topology.outputs(state.at)[1]}};
           },
       .always_used = false},
      {.name = "changes its mind at the source",
       .names = "however often",
       .break_inject =
           [asked = std::make_shared<std::atomic<int>>()](const Topology&, RouteOptions& options) {
             if (++*asked % 2 == 0) options.clear();
           },
       .always_used = false},
      {.name = "injects by less than it declares",
       .names = "that the routing declares",
       .break_inject = [](const Topology&, RouteOptions& options) { options.clear(); },
       .injection_vcs = 1,
       .always_used = false},
      {.name = "reads the held channel without saying so",
       .names = "declares that it reads the held channel",
       .break_route =
           [](const Topology& topology, const RouteState& state, RouteOptions& options) {
             if (topology.role(state.held) == ChannelRole::injection) options.clear();
           },
       .always_used = false},
      {.name = "says otherwise as output bits",
       .names = "output bits",
       .break_bits = [](std::uint64_t) { return std::uint64_t{0b1000}; }},
      {.name = "says otherwise as output sets",
       .names = "output",
       .break_sets = [](std::uint64_t) { return std::uint64_t{0b1000}; }},
      {.name = "offers one output more as output sets",
       .names = "output sets",
       .break_sets = [](std::uint64_t bit) { return bit | bit << 1; },
       .always_used = false},
  };
}

}  // namespace faultline::testing_support
