// SPDX-License-Identifier: Apache-2.0
// Do the parts of the wormhole switch behave as specified, and is a deadlock found if there is one?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "faultline/base/random.h"
#include "simulate/switches/waiting.h"
#include "simulate/wormhole/allocator.h"
#include "simulate/wormhole/packets.h"
#include "support/wormhole_support.h"

namespace faultline::wormhole {
namespace {

using namespace testing_support;
using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

MATCHER_P2(Match, input, output, "") {
  return arg.input == static_cast<std::uint32_t>(input) && arg.output == static_cast<std::uint32_t>(output);
}

SimulationSpec with(Allocation allocation, Arbitration arbitration, std::uint32_t iterations = 1) {
  SimulationSpec spec;
  spec.switches = WormholeSwitches{.allocation = allocation, .allocation_iterations = iterations};
  spec.arbitration = arbitration;
  return spec;
}

/// Both engines hold their packets in these queues, so that neither would see one that is too short. While no
/// head comes to the front, as many packets as fit are sent whole, one flit at a time for each credit, and
/// one more is given the virtual channel.
TEST(PacketQueues, HoldAllThatASenderMayPush) {
  for (std::uint32_t buffer = 1; buffer <= 20; ++buffer)
    for (std::uint32_t flits = 1; flits <= 24; ++flits) {
      PacketQueues slots(2, max_queued(buffer, flits));
      const PacketQueues::View queues(slots);
      PacketQueues::Position pushed = 0, popped = 0, other = 0;
      queues.pass(1, other) = 12345;
      for (std::uint32_t round = 0; round < 3; ++round) {  // the positions wrap
        std::uint32_t count = 0;
        for (std::uint32_t credits = buffer, left = 0;; --credits) {
          if (left == 0) {
            queues.pass(0, pushed) = 100 * round + count++;
            left = flits;
          }
          if (credits == 0) break;
          --left;
        }
        for (std::uint32_t i = 0; i < count; ++i) ASSERT_EQ(queues.pass(0, popped), 100 * round + i);
        ASSERT_EQ(popped, pushed);
      }
      ASSERT_EQ(queues.at(1, 0), 12345U);
    }
}

/// As the vector engine has them for atomic virtual channels.
TEST(PacketQueues, OfOnePacketHoldOneAfterTheOther) {
  PacketQueues slots(2, 1);
  const PacketQueues::View queues(slots);
  PacketQueues::Position pushed = 0, popped = 0, other = 0;
  queues.pass(1, other) = 12345;
  for (std::uint32_t packet = 0; packet < 3; ++packet) {
    queues.pass(0, pushed) = packet;
    ASSERT_EQ(queues.at(0, queues.before(pushed)), packet);
    ASSERT_EQ(queues.pass(0, popped), packet);
    ASSERT_EQ(queues.at(0, queues.before(popped)), packet);
  }
  EXPECT_EQ(queues.at(1, 0), 12345U);
}

TEST(WormholeAllocator, IslipGrantsFirstAndMovesPointersOnAcceptOnly) {
  Allocator allocator(2, 2, with(Allocation::islip, Arbitration::round_robin));
  const std::vector<Request> all{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  EXPECT_THAT(allocator.match(all, 0), ElementsAre(Match(0, 0)));  // both outputs grant input 0
  EXPECT_THAT(allocator.match(all, 0),
              testing::UnorderedElementsAre(Match(0, 1), Match(1, 0)));  // desynchronised from now on
  EXPECT_THAT(allocator.match(all, 0), testing::UnorderedElementsAre(Match(0, 0), Match(1, 1)));
}

TEST(WormholeAllocator, ASecondIterationMatchesWhatIsLeft) {
  Allocator allocator(2, 2, with(Allocation::islip, Arbitration::round_robin, 2));
  const std::vector<Request> all{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  EXPECT_THAT(allocator.match(all, 0), ElementsAre(Match(0, 0), Match(1, 1)));
}

TEST(WormholeAllocator, SeparableLetsInputsChooseFirst) {
  Allocator allocator(2, 2, with(Allocation::separable, Arbitration::round_robin));
  const std::vector<Request> requests{{0, 0}, {0, 1}, {1, 0}};
  EXPECT_THAT(allocator.match(requests, 0), ElementsAre(Match(0, 0)));  // both choose output 0
  EXPECT_THAT(allocator.match(requests, 0), testing::UnorderedElementsAre(Match(0, 1), Match(1, 0)));
}

TEST(WormholeAllocator, OldestGoesFirst) {
  Allocator allocator(3, 1, with(Allocation::islip, Arbitration::oldest));
  const std::vector<Request> requests{{0, 0, 7}, {1, 0, 3}, {2, 0, 5}};
  EXPECT_THAT(allocator.match(requests, 0), ElementsAre(Match(1, 0)));
  EXPECT_THAT(allocator.match(requests, 0), ElementsAre(Match(1, 0)));
}

TEST(WormholeAllocator, MatrixServesTheLeastRecentlyServed) {
  Allocator allocator(3, 1, with(Allocation::islip, Arbitration::matrix));
  const std::vector<Request> all{{0, 0}, {1, 0}, {2, 0}};
  EXPECT_THAT(allocator.match(all, 0), ElementsAre(Match(0, 0)));
  EXPECT_THAT(allocator.match(std::vector<Request>{{0, 0}, {2, 0}}, 0), ElementsAre(Match(2, 0)));
  EXPECT_THAT(allocator.match(all, 0), ElementsAre(Match(1, 0)));
  EXPECT_THAT(allocator.match(all, 0), ElementsAre(Match(0, 0)));  // round robin would serve 2
}

using WaitingVcs = std::map<VcIndex, std::vector<VcIndex>>;

std::vector<VcIndex> deadlock_of(const WaitingVcs& waiting) {
  Waits waits;
  for (auto one = waiting.rbegin(); one != waiting.rend(); ++one) waits.add(one->first, one->second);
  return find_deadlock(waits);
}

TEST(WormholeDeadlock, IsWhatWaitsForNobodyElse) {
  EXPECT_THAT(deadlock_of({{1, {2}}, {2, {3}}, {3, {9}}}), IsEmpty());
  EXPECT_THAT(deadlock_of({{1, {2}}, {2, {3}}, {3, {2}}, {4, {1}}}), ElementsAreArray({2, 3}));
  EXPECT_THAT(deadlock_of({{2, {3}}, {3, {2, 9}}}), IsEmpty()) << "3 may also take 9";
}

/// As bits: the union of all sets of VCs that wait for members of the set only.
std::uint32_t wait_for_ever(const WaitingVcs& waiting, std::uint32_t vcs) {
  std::uint32_t all = 0;
  for (std::uint32_t set = 1; set < 1U << vcs; ++set) {
    const auto waits_within = [&](VcIndex vc) {
      const auto found = waiting.find(vc);
      return found != waiting.end() &&
             std::ranges::all_of(found->second, [&](VcIndex wanted) { return (set >> wanted & 1) != 0; });
    };
    bool closed = true;
    for (VcIndex vc = 0; vc < vcs; ++vc) closed &= (set >> vc & 1) == 0 || waits_within(vc);
    if (closed) all |= set;
  }
  return all;
}

TEST(WormholeDeadlock, IsACycleOfTheLargestSetThatWaitsForItself) {
  std::uint32_t deadlocks = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    RandomStream random(seed, 0);
    const std::uint32_t vcs = 3 + random.next_below(9);
    WaitingVcs waiting;
    for (VcIndex vc = 0; vc < vcs; ++vc)
      if (random.next_below(5) != 0)
        for (std::uint32_t left = 1 + random.next_below(3); left != 0; --left)
          waiting[vc].push_back(random.next_below(vcs));
    const std::uint32_t largest = wait_for_ever(waiting, vcs);
    const std::vector<VcIndex> cycle = deadlock_of(waiting);
    ASSERT_EQ(cycle.empty(), largest == 0) << seed;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      ASSERT_NE(largest >> cycle[i] & 1, 0U) << seed;
      ASSERT_THAT(waiting.at(cycle[i]), Contains(cycle[(i + 1) % cycle.size()])) << seed;
    }
    deadlocks += cycle.empty() ? 0 : 1;
  }
  EXPECT_GT(deadlocks, 100U);
  EXPECT_LT(deadlocks, 1900U);
}

SimulationSpec heavy_ring_traffic() {
  SimulationSpec spec = reference_router(0.9);
  spec.virtual_channels = 0;
  spec.wormhole().buffer_flits = 4;
  spec.measurement.cycles = 20'000;
  return spec;
}

TEST(WormholeDeadlock, AOneWayRingWithOneVirtualChannelIsReportedWithItsCycle) {
  const TopologyPtr ring = one_way_ring(6);
  const auto pattern = build_pattern(*ring, 1, parse_compact("traffic", "uniform"));
  const SimulationResult result =
      run_scalar(RoundTheRing(ring, false), *pattern, heavy_ring_traffic()).result;
  EXPECT_TRUE(result.deadlock);
  ASSERT_EQ(result.deadlock_cycle.size(), 6U);
  EXPECT_EQ(result.deadlock_packets.size(), 6U);
  std::vector<std::string> ring_channels;
  for (std::size_t i = 0; i < 6; ++i) ring_channels.push_back(ring->name(ChannelId(i)));
  std::ranges::rotate(ring_channels, std::ranges::find(ring_channels, result.deadlock_cycle.front()));
  EXPECT_EQ(result.deadlock_cycle, ring_channels);
  EXPECT_LT(result.cycles, 20'000U) << "a run that cannot go on is cut short";
  EXPECT_EQ(result.generated, result.delivered + result.in_flight);
}

TEST(WormholeDeadlock, ADatelineAvoidsIt) {
  const TopologyPtr ring = one_way_ring(6);
  const auto pattern = build_pattern(*ring, 1, parse_compact("traffic", "uniform"));
  const SimulationResult result = run_scalar(RoundTheRing(ring, true), *pattern, heavy_ring_traffic()).result;
  EXPECT_FALSE(result.deadlock);
  EXPECT_THAT(result.deadlock_cycle, IsEmpty());
  EXPECT_TRUE(result.saturated);
  EXPECT_GT(result.accepted, 0.1);
}

}  // namespace
}  // namespace faultline::wormhole
