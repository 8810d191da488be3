// SPDX-License-Identifier: Apache-2.0
// Networks that are too large, or built in a way that a routing does not serve, are refused instead of being
// routed wrongly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faultline/routing/kind.h"
#include "faultline/topology/builder.h"
#include "support/error_message.h"

namespace faultline {
namespace {

using testing::HasSubstr;
using testing_support::error_message;

TopologyPtr built(TopologyBuilder builder) {
  return std::make_shared<const Topology>(std::move(builder).build("large", "shortest-path"));
}

std::string refusal(const TopologyPtr& topology, const std::string& routing) {
  return error_message([&] {
    (void)build_healthy_relation(topology, Resolved<RoutingKind>(parse_compact("routing", routing)));
  });
}

TEST(RoutingLimits, LayersOfTooManyDependencies) {
  constexpr std::uint32_t leaves = 33'000;  // 33,000 inputs times as many outputs at the hub
  TopologyBuilder star;
  const SwitchId hub = star.add_switch({1, 0});
  for (std::uint32_t i = 0; i < leaves; ++i) star.connect_both({hub, i}, {star.add_switch({0, i}), 0});
  for (std::uint32_t i = 1; i <= 2; ++i) star.attach(star.add_terminal(), {SwitchId(i), 1});
  const TopologyPtr topology = built(std::move(star));
  for (const char* const routing : {"lash", "dfsssp"})
    EXPECT_THAT(refusal(topology, routing), HasSubstr("must have smaller switches")) << routing;
}

TEST(RoutingLimits, PathsLongerThanHopsAreCounted) {
  constexpr std::uint32_t switches = 65'600;
  TopologyBuilder line;
  for (std::uint32_t i = 0; i < switches; ++i) {
    line.add_switch({0, i});
    if (i > 0) line.connect_both({SwitchId(i - 1), 1}, {SwitchId(i), 0});
  }
  for (const std::uint32_t end : {0U, switches - 1}) line.attach(line.add_terminal(), {SwitchId(end), 2});
  const TopologyPtr topology = built(std::move(line));
  for (const char* const routing : {"shortest-path", "up-down", "lash"})
    EXPECT_THAT(refusal(topology, routing), HasSubstr("at most 65534 hops")) << routing;
}

TEST(RoutingLimits, TerminalsThatEjectElsewhereForMultistepPaths) {
  TopologyBuilder ring;
  for (std::uint32_t i = 0; i < 4; ++i) ring.add_switch({0, i});
  for (std::uint32_t i = 0; i < 4; ++i) ring.connect_both({SwitchId(i), 0}, {SwitchId((i + 1) % 4), 1});
  for (std::uint32_t i = 0; i < 4; ++i) {
    const TerminalId terminal = ring.add_terminal();
    ring.connect_injection(terminal, {SwitchId(i), 2});
    ring.connect_ejection({SwitchId((i + 1) % 4), 2}, terminal);
  }
  EXPECT_THAT(refusal(built(std::move(ring)), "drb:base=shortest-path"),
              HasSubstr("terminal 0 of large injects at switch 0 and ejects at switch 1"));
}

}  // namespace
}  // namespace faultline
