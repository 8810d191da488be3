// SPDX-License-Identifier: Apache-2.0
// Meshes and rings built by hand, with routings whose verdicts are known.
#pragma once

#include <memory>
#include <vector>

#include "faultline/routing/relation.h"
#include "faultline/topology/builder.h"

namespace faultline::testing_support {

/// width x height switches with a terminal each; ports: 0 +x, 1 -x, 2 +y, 3 -y, 4 the terminal.
inline TopologyPtr mesh(std::uint32_t width, std::uint32_t height, std::uint32_t fly_cycles = 1) {
  TopologyBuilder builder;
  for (std::uint32_t i = 0; i < width * height; ++i) builder.add_switch({i % width, i / width});
  const auto at = [&](std::uint32_t x, std::uint32_t y) { return SwitchId(std::size_t{y} * width + x); };
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      if (x + 1 < width) {
        builder.connect({at(x, y), 0}, {at(x + 1, y), 1}, fly_cycles);
        builder.connect({at(x + 1, y), 1}, {at(x, y), 0}, fly_cycles);
      }
      if (y + 1 < height) {
        builder.connect({at(x, y), 2}, {at(x, y + 1), 3}, fly_cycles);
        builder.connect({at(x, y + 1), 3}, {at(x, y), 2}, fly_cycles);
      }
    }
  for (std::uint32_t i = 0; i < width * height; ++i) builder.attach(builder.add_terminal(), {SwitchId(i), 4});
  return std::make_shared<const Topology>(std::move(builder).build("mesh", "none"));
}

/// x first, then y.
class DimensionOrder final : public RoutingRelation {
 public:
  DimensionOrder(TopologyPtr topology, std::uint32_t width)
      : RoutingRelation(std::move(topology)), width_(width) {}
  void route(const RouteState& state, RouteOptions& options) const override {
    const std::uint32_t here = state.at.value(), there = state.destination.value();
    const std::uint32_t x = here % width_, y = here / width_, to_x = there % width_, to_y = there / width_;
    const std::uint32_t port = x != to_x ? (x < to_x ? 0 : 1) : y != to_y ? (y < to_y ? 2 : 3) : 4;
    for (const ChannelId channel : topology().outputs(state.at))
      if (topology().output_port(channel) == port) options.push_back({.channel = channel});
  }

 private:
  std::uint32_t width_;
};

/// Switches in a ring of one-way links, a terminal each; port 0 the ring, 1 the terminal.
inline TopologyPtr one_way_ring(std::uint32_t switches) {
  TopologyBuilder builder;
  for (std::uint32_t i = 0; i < switches; ++i) builder.add_switch({i, 0});
  for (std::uint32_t i = 0; i < switches; ++i)
    builder.connect({SwitchId(i), 0}, {SwitchId((i + 1) % switches), 0});
  for (std::uint32_t i = 0; i < switches; ++i) builder.attach(builder.add_terminal(), {SwitchId(i), 1});
  return std::make_shared<const Topology>(std::move(builder).build("one-way-ring", "none"));
}

/// Round the ring; with a dateline a packet changes from class 0 to class 1 where it passes from the last
/// switch to the first.
class RoundTheRing final : public RoutingRelation {
 public:
  RoundTheRing(TopologyPtr topology, bool dateline)
      : RoutingRelation(std::move(topology)), dateline_(dateline) {}
  void route(const RouteState& state, RouteOptions& options) const override {
    const auto outputs = topology().outputs(state.at);
    const bool there = state.at.value() == state.destination.value();
    const bool crosses = state.at.index() + 1 == topology().switch_count();
    const Tag tag = dateline_ && (crosses || state.tag == 1) ? 1 : 0;
    options.push_back({.channel = outputs[there ? 1 : 0], .vcs = there ? 1U : 1U << tag, .tag = tag});
  }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return dateline_ ? 2 : 1; }
  [[nodiscard]] std::uint64_t tag_count() const override { return dateline_ ? 2 : 1; }

 private:
  bool dateline_;
};

}  // namespace faultline::testing_support
