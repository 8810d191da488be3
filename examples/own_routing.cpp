// SPDX-License-Identifier: Apache-2.0
// Define a routing: only its options in each state have to be written. The verifier shows a deadlock of the
// first version, and proves the second.
#include <faultline/faultline.h>

#include <iostream>

using namespace faultline;

namespace {

/// Clockwise round a ring of switches, where output 0 of each leads to the next. With a dateline, packets
/// that pass the last switch continue in virtual channel 1, so that no cycle of waiting packets can form.
class Clockwise final : public RoutingRelation {
 public:
  Clockwise(TopologyPtr topology, bool has_dateline)
      : RoutingRelation(std::move(topology)), has_dateline_(has_dateline) {}

  void route(const RouteState& state, RouteOptions& options) const override {
    for (const ChannelId channel : topology().ejection(state.destination))
      if (topology().source(channel) == state.at) {
        options.push_back({.channel = channel});
        return;
      }
    const ChannelId next = topology().outputs(state.at).front();
    const bool passes = has_dateline_ && topology().target(next).value() == 0;
    const Tag after = passes ? 1 : state.tag;
    options.push_back({.channel = next, .vcs = 1U << state.tag, .tag = after});
  }
  [[nodiscard]] std::uint64_t tag_count() const override { return 2; }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return 2; }

 private:
  bool has_dateline_;
};

}  // namespace

int main() try {
  TopologyBuilder builder;
  constexpr std::uint32_t switches = 6;
  for (std::uint32_t i = 0; i < switches; ++i) builder.add_switch({0, i});
  for (std::uint32_t i = 0; i < switches; ++i)
    builder.connect({SwitchId(i), 0}, {SwitchId((i + 1) % switches), 0});
  for (std::uint32_t i = 0; i < switches; ++i) builder.attach(builder.add_terminal(), {SwitchId(i), 1});
  const auto ring = std::make_shared<const Topology>(std::move(builder).build("one-way ring", "lash"));

  bool as_expected = true;
  for (const bool has_dateline : {false, true}) {
    const Clockwise routing(ring, has_dateline);
    const Verdict verdict = verify(routing, FaultSet(*ring), {.switching = Switching::wormhole});
    std::cout << (has_dateline ? "with" : "without") << " dateline: " << to_string(verdict.method) << '\n';
    for (const WaitingPacket& packet : verdict.deadlock)
      std::cout << "  a packet from " << ring->name(packet.source) << " to " << ring->name(packet.destination)
                << " waits for ever\n";
    as_expected = as_expected && verdict.deadlock_free == has_dateline;
  }
  return as_expected ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 2;
}
