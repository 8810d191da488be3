// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "faultline/base/random.h"
#include "faultline/topology/builder.h"

namespace faultline {

/// A random tree of switches, so that the graph is connected, with `extra` more links at random (repetitions
/// included).
inline TopologyPtr random_graph(std::uint32_t switches, std::uint32_t extra, std::uint32_t terminals,
                                std::uint64_t seed) {
  RandomStream random(seed, 0);
  TopologyBuilder builder;
  std::vector<std::uint32_t> ports(switches);
  const auto port = [&](std::uint32_t at) { return Port{SwitchId(at), ports[at]++}; };
  for (std::uint32_t i = 0; i < switches; ++i) builder.add_switch({0, i});
  const auto link = [&](std::uint32_t a, std::uint32_t b) {
    const Port from = port(a);
    builder.connect_both(from, port(b));
  };
  for (std::uint32_t i = 1; i < switches; ++i) link(i, random.next_below(i));
  for (std::uint32_t i = 0; i < extra; ++i) {
    const std::uint32_t a = random.next_below(switches);
    link(a, (a + 1 + random.next_below(switches - 1)) % switches);
  }
  for (std::uint32_t i = 0; i < terminals; ++i) builder.attach(builder.add_terminal(), port(i % switches));
  return std::make_shared<const Topology>(std::move(builder).build("random", "up-down"));
}

}  // namespace faultline
