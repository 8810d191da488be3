// SPDX-License-Identifier: Apache-2.0
#include "study/topology_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

namespace faultline {
namespace {

Resolved<TopologyKind> mesh(int width) {
  return parse_compact("topology", "mesh:radix=" + std::to_string(width) + "x2");
}

/// Counts what it builds.
struct Counted {
  std::atomic<int> builds = 0;
  TopologyCache cache{[this](const Resolved<TopologyKind>& described) {
    ++builds;
    return build_topology(described);
  }};
};

TEST(TopologyCache, AWorkersLatestTopologyServesItsNextCase) {
  Counted counted;
  TopologyInUse worker(counted.cache);
  const Topology* const first = worker.get(mesh(3)).get();
  EXPECT_EQ(worker.get(mesh(3)).get(), first);
  EXPECT_EQ(counted.builds, 1);
}

TEST(TopologyCache, WorkersShareWhatOneOfThemUses) {
  Counted counted;
  TopologyInUse one(counted.cache), other(counted.cache);
  EXPECT_EQ(one.get(mesh(3)), other.get(mesh(3)));
  (void)one.get(mesh(4));
  EXPECT_EQ(one.get(mesh(3)), other.get(mesh(3)));
  EXPECT_EQ(counted.builds, 2);
}

/// However many a study has: the one before is gone by the time that the next is built.
TEST(TopologyCache, AWorkerKeepsOneTopology) {
  std::weak_ptr<const Topology> latest;
  TopologyCache cache([&](const Resolved<TopologyKind>& described) {
    EXPECT_TRUE(latest.expired());
    return build_topology(described);
  });
  TopologyInUse worker(cache);
  for (int width = 2; width < 6; ++width) latest = worker.get(mesh(width));
  EXPECT_FALSE(latest.expired());
}

/// The first build ends only after the second worker has got another topology, and a third waits for the
/// first.
TEST(TopologyCache, ABuildHoldsUpOnlyThoseWhoNeedIt) {
  std::latch began(1), may_end(1);
  std::atomic<int> builds = 0;
  TopologyCache cache([&](const Resolved<TopologyKind>& described) {
    ++builds;
    TopologyPtr topology = build_topology(described);
    if (topology->switch_count() == 6) {
      began.count_down();
      may_end.wait();
    }
    return topology;
  });
  TopologyPtr first, third;
  std::jthread one([&] { first = cache.get(mesh(3)); });
  began.wait();
  std::jthread three([&] { third = cache.get(mesh(3)); });
  const TopologyPtr second = cache.get(mesh(2));
  EXPECT_EQ(second->switch_count(), 4U);
  may_end.count_down();
  one.join();
  three.join();
  EXPECT_EQ(first, third);
  EXPECT_EQ(builds, 2);
}

TEST(TopologyCache, AFailedBuildReachesAllWhoWaitAndIsTriedAgain) {
  std::latch began(1), may_fail(1);
  std::atomic<bool> fails = true;
  std::atomic<int> builds = 0, failures = 0;
  TopologyCache cache([&](const Resolved<TopologyKind>& described) {
    if (!fails) return build_topology(described);
    if (++builds == 1) began.count_down();
    may_fail.wait();
    throw std::runtime_error("no room");
  });
  const auto try_it = [&] {
    try {
      (void)cache.get(mesh(3));
    } catch (const std::runtime_error&) {
      ++failures;
    }
  };
  std::jthread one(try_it);
  began.wait();
  std::jthread other(try_it);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // if it comes later still, it tries itself
  may_fail.count_down();
  one.join();
  other.join();
  EXPECT_EQ(failures, 2);
  fails = false;
  EXPECT_EQ(cache.get(mesh(3))->switch_count(), 6U);
}

}  // namespace
}  // namespace faultline
