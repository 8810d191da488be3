// SPDX-License-Identifier: Apache-2.0
// A head that an outage meets on its way takes the path that the relation offers if the switches next to it
// know the dead channels: for routings that depend on their neighbours' faults only.
#include <gtest/gtest.h>

#include "faultline/simulate/simulate.h"
#include "support/effort.h"
#include "support/listed_packets.h"
#include "support/print_switching.h"
#include "support/simulate_support.h"

namespace faultline {
namespace {

using testing_support::ListedPackets;
using testing_support::selection;

/// Channels in the order of a packet that passes `seen_from_hop` switches before the channels of `dead` go
/// down; empty if it comes to a switch all of whose options are down, or never arrives.
std::vector<ChannelId> path(const RoutingRelation& relation, TerminalId from, TerminalId to,
                            const FaultSet& dead, std::size_t seen_from_hop) {
  const Topology& topology = relation.topology();
  std::vector<ChannelId> channels;
  RouteOptions options;
  relation.inject(from, to, options);
  while (channels.size() < 1000) {
    const bool seen = channels.size() >= seen_from_hop;
    std::erase_if(options, [&](const RouteOption& option) { return seen && dead.failed(option.channel); });
    if (options.empty()) return {};
    const RouteOption taken = *std::ranges::min_element(options, {}, &RouteOption::tier);
    channels.push_back(taken.channel);
    if (topology.role(taken.channel) == ChannelRole::ejection) return channels;
    options.clear();
    relation.route({topology.target(taken.channel), to, taken.channel, 0, taken.tag}, options);
  }
  return {};
}

struct Case {
  const char* routing;
  Switching switching;

  friend void PrintTo(const Case& one, std::ostream* out) {
    *out << one.routing << ' ' << testing::PrintToString(one.switching);
  }
};

std::string outage_case_name(const testing::TestParamInfo<Case>& one) {
  std::string name = one.param.routing;
  std::erase(name, '-');
  return name + (one.param.switching == Switching::wormhole ? "Wormhole" : "CutThrough");
}

class OutageUnderWay : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(, OutageUnderWay,
                         testing::Values(Case{"one-port", Switching::wormhole},
                                         Case{"go-back-vc", Switching::wormhole},
                                         Case{"one-port", Switching::cut_through},
                                         Case{"go-back-vc", Switching::cut_through}),
                         outage_case_name);

/// Makes every switch on the packet's path in turn unreachable, in every cycle of its path. Buffers are at
/// inputs: a packet in the buffer of an output has made its choice.
TEST_P(OutageUnderWay, TakesThePathThatTheRelationOffers) {
  const TopologyPtr topology = build_topology(parse_compact("topology", "mikant:k=2,n=4"));
  const RelationPtr relation =
      build_healthy_relation(topology, parse_compact("routing", GetParam().routing), GetParam().switching);
  const TerminalId from(0), to(29);
  const ListedPackets packet(*topology, {{from, {.time = 0, .destination = to, .flits = 4}}});
  const FaultSet none(*topology);
  const std::vector<ChannelId> whole = path(*relation, from, to, none, 0);
  std::size_t detours = 0, met_under_way = 0;
  std::uint64_t past_first_switch = 0;  // from this cycle on: the loss of the second switch changes nothing
  for (std::size_t lost = 1; lost + 2 < whole.size(); ++lost) {
    FaultSet dead(*topology);
    FaultSchedule outages;
    const SwitchId gone = topology->target(whole[lost]);
    for (const ChannelId channel : topology->inputs(gone))
      if (topology->role(channel) == ChannelRole::network) dead.fail(channel);
    std::size_t seen_before = 0;
    for (std::uint64_t cycle = 0; cycle < 90; cycle += effort(1U, 6U)) {
      outages.clear();
      for (const ChannelId channel : topology->channels())
        if (dead.failed(channel)) outages.push_back({channel, cycle, Outage::forever});
      const SimulationResult result =
          simulate(*relation, packet,
                   {.switches = switches_of(GetParam().switching, {.buffers = Buffering::input}),
                    .selection = selection("most-free"),
                    .measurement = {.cycles = 600, .warmup = 0, .channel_load = true},
                    .faults = {.outages = outages}});
      // The number of hops made at the time of the failure never decreases with later failures.
      std::size_t seen_from = seen_before;
      std::vector<ChannelId> expected;
      for (; seen_from <= whole.size(); ++seen_from) {
        expected = path(*relation, from, to, dead, seen_from);
        std::vector<std::uint64_t> flits(topology->channel_count());
        for (const ChannelId channel : expected) flits[channel.index()] += 4;
        if (!expected.empty() && flits == result.channel_flits) break;
        if (expected.empty() && result.delivered == 0) break;
      }
      ASSERT_LE(seen_from, whole.size()) << "switch " << topology->name(gone) << " lost in cycle " << cycle;
      seen_before = seen_from;
      detours += !expected.empty() && expected != whole ? 1 : 0;
      if (lost == 1 && expected != whole) past_first_switch = cycle + 1;
      met_under_way +=
          lost > 1 && cycle > past_first_switch && !expected.empty() && expected != whole ? 1 : 0;
    }
    EXPECT_GT(seen_before, lost) << "the last outage came after the packet";
  }
  EXPECT_GT(detours, 0U);
  EXPECT_GT(met_under_way, 0U);
}

}  // namespace
}  // namespace faultline
