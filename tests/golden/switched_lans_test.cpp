// SPDX-License-Identifier: Apache-2.0
// Paper 4: its tables, and which of its statements hold, with the smallest exceptions found by trying every
// fault set by the definition.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "faultline/design/statements.h"
#include "faultline/resilience/lost_terminals.h"
#include "faultline/topology/kind.h"
#include "support/effort.h"
#include "support/plain_losses.h"
#include "support/topology_named.h"

namespace faultline {
namespace {

TopologyPtr ring(std::uint32_t n, std::uint32_t degree = 2) {
  return topology_named("switch-ring:n=" + std::to_string(n) + ",degree=" + std::to_string(degree));
}

std::vector<std::uint32_t> lost_to_switches(const std::string& text, std::uint32_t most) {
  const FaultComponents components(topology_named(text), FaultUnit::switch_, FaultScope::all);
  std::vector<std::uint32_t> lost;
  for (std::uint32_t faults = 1; faults <= most; ++faults)
    lost.push_back(every_fault_set(components, {.faults = faults}).worst());
  return lost;
}

/// One limit is broken, and the next would take too many sets to try: that settles the statement.
TEST(SwitchedLans, AStatementThatIsBrokenNeedsNoFurtherLimits) {
  const TopologyPtr topology = ring(12);
  const Statement stated{.name = "stated", .units = FaultUnit::switch_, .limits = {{2, 0}, {4, 12}}};
  const CheckedStatement found = check_statement(topology, stated, {.max_classes = 10});
  EXPECT_TRUE(found.checked());
  EXPECT_FALSE(found.holds());
  EXPECT_EQ(found.broken, 0U);
  ASSERT_EQ(found.worst.size(), 1U);
  EXPECT_EQ(found.worst.front().faults, 2U);
}

TEST(SwitchedLans, LoseTheTerminalsOfTable3) {
  EXPECT_THAT(lost_to_switches("switch-ring:n=45", 4),
              testing::ElementsAreArray({0, 1, 6, 23}));  // printed: O(n/2)
  EXPECT_THAT(lost_to_switches("switch-clique:switches=10,terminals=45", 4),
              testing::ElementsAreArray({0, 1, 3, 6}));
}

CheckedStatement checked(const TopologyPtr& topology, const std::string& name,
                         std::uint64_t max_classes = 30'000'000) {
  for (const Statement& statement : statements_about(*topology))
    if (statement.name == name) return check_statement(topology, statement, {.max_classes = max_classes});
  throw std::logic_error("no statement " + name);
}

TEST(SwitchedLans, Theorem1HoldsForSwitchesUpTo46AndForAnyTypeUpTo11) {
  for (std::uint32_t n = 3; n <= 46; ++n) {
    const CheckedStatement found = checked(ring(n), "theorem-1-switches");
    EXPECT_TRUE(found.holds()) << n;
    EXPECT_EQ(found.method, CheckedStatement::Method::exhaustive);
    EXPECT_EQ(found.sets, std::uint64_t{n} * (n - 1) * (n - 2) / 6);
  }
  for (std::uint32_t n = 3; n <= 11; ++n) {
    const CheckedStatement found = checked(ring(n), "theorem-1");
    EXPECT_TRUE(found.holds()) << n;
    EXPECT_EQ(found.method, CheckedStatement::Method::exhaustive);
    EXPECT_EQ(found.sets, std::uint64_t{5 * n} * (5 * n - 1) * (5 * n - 2) / 6);
  }
}

TEST(SwitchedLans, Theorem2HoldsForDegree3UpTo30AndDegree4UpTo19) {
  for (const auto& [degree, most] : {std::pair{3U, 30U}, std::pair{4U, 19U}})
    for (std::uint32_t n = degree + 1; n <= most; ++n) {
      const CheckedStatement switches = checked(ring(n, degree), "theorem-2-switches");
      EXPECT_TRUE(switches.holds()) << n;
      EXPECT_EQ(switches.method, CheckedStatement::Method::exhaustive);
      EXPECT_TRUE(checked(ring(n, degree), "theorem-2", 100'000).holds()) << n;
    }
}

TEST(SwitchedLans, Theorem3HoldsForAllUniformCliquesOfUpTo8Switches) {
  for (std::uint32_t s = 2; s <= effort(8U, 6U); ++s)
    for (std::uint32_t d = 1; d <= s; ++d) {
      std::uint32_t sets = 1;
      for (std::uint32_t i = 1; i <= d; ++i) sets = sets * (s - d + i) / i;
      for (std::uint32_t terminals = 1; terminals <= sets + 1; ++terminals) {
        const TopologyPtr clique =
            topology_named("switch-clique:switches=" + std::to_string(s) +
                           ",terminals=" + std::to_string(terminals) + ",degree=" + std::to_string(d));
        EXPECT_TRUE(checked(clique, "theorem-3").holds()) << clique->name();
        EXPECT_TRUE(checked(clique, "clique-limit").holds()) << clique->name();
      }
    }
}

TEST(SwitchedLans, TheClaimsHoldForTheseParities) {
  for (std::uint32_t n = 4; n <= 20; ++n) {
    const bool odd = n % 2 == 1;
    EXPECT_TRUE(checked(ring(n), "claim-1.1").holds()) << n;
    EXPECT_EQ(checked(ring(n), "claim-1.2").holds(), odd) << n;
    EXPECT_EQ(checked(ring(n), "claim-1.3").holds(), odd) << n;
    EXPECT_TRUE(checked(ring(n), "claim-1.4").holds()) << n;
    EXPECT_TRUE(checked(ring(n), "claim-1.5").holds()) << n;
    EXPECT_EQ(checked(ring(n), "theorem-1-optimal").holds(), n != 5) << n;
  }
}

/// Theorem 1 is on as many terminals at every switch.
TEST(SwitchedLans, TheOptimalityIsOnSwitchesOfOneDegree) {
  const auto states_it = [](const std::string& network) {
    const auto all = statements_about(*build_topology(parse_compact("topology", network)));
    return std::ranges::find(all, "theorem-1-optimal", &Statement::name) != all.end();
  };
  EXPECT_TRUE(states_it("switch-ring:n=12"));
  EXPECT_TRUE(states_it("switch-ring:n=12,terminals=24"));
  EXPECT_FALSE(states_it("switch-ring:n=12,terminals=5"));
}

/// Whether any set of that many components loses more than `most`, by the definition.
bool loses_more(const TopologyPtr& topology, FaultUnits units, FaultScope scope, std::uint32_t faults,
                std::uint32_t most) {
  const FaultComponents components(topology, units, scope);
  const PlainLosses losses(*topology);
  std::vector<std::uint32_t> set;
  const auto any = [&](const auto& self, std::uint32_t next) -> bool {
    if (set.size() == faults) return losses.of(components.fault_set(set)).lost > most;
    for (; next < components.count(); ++next) {
      set.push_back(next);
      if (self(self, next + 1)) return true;
      set.pop_back();
    }
    return false;
  };
  return any(any, 0);
}

TEST(SwitchedLans, TheVerdictsOnClaim1AreThoseOfTheDefinition) {
  for (std::uint32_t n = 4; n <= 9; ++n) {
    const TopologyPtr topology = ring(n);
    EXPECT_FALSE(loses_more(topology, FaultUnit::switch_, FaultScope::all, 1, 0));
    EXPECT_EQ(loses_more(topology, FaultUnit::switch_, FaultScope::all, 2, 1), n % 2 == 0) << n;
    EXPECT_EQ(loses_more(topology, FaultUnit::link, FaultScope::network, 3, 0), n % 2 == 0) << n;
    EXPECT_FALSE(loses_more(topology, FaultUnit::link, FaultScope::terminal, 3, 1)) << n;
    EXPECT_FALSE(loses_more(topology, FaultUnit::link, FaultScope::all, 3, 1)) << n;
  }
}

TEST(SwitchedLans, MoreColumnsThanThereAreFailAllTogether) {
  const TopologyPtr torus =
      topology_named("switch-torus:rows=4,columns=4,degree=3");  // the statement is of 5 columns
  const CheckedStatement found = checked(torus, "cuts-columns");
  EXPECT_EQ(found.method, CheckedStatement::Method::exhaustive);
  EXPECT_EQ(found.sets, 1U);
  FaultSet all(*torus);
  for (const SwitchId at : torus->switches()) all.fail(*torus, at);
  EXPECT_EQ(found.worst.at(0).max_lost, PlainLosses(*torus).of(all).lost);
  EXPECT_EQ(found.worst.at(0).faults, 4U);
  EXPECT_EQ(checked(topology_named("switch-ring:n=4,degree=3"), "theorem-2-switches").worst.at(0).faults, 4U);
}

TEST(SwitchedLans, WhatDominanceSaysIsWhatAllSetsSay) {
  std::size_t compared = 0;
  for (std::uint32_t n = 4; n <= 9; ++n)
    for (std::uint32_t degree = 2; degree <= 3; ++degree) {
      const std::string name = degree == 2 ? "theorem-1" : "theorem-2";
      const CheckedStatement all = checked(ring(n, degree), name);
      const CheckedStatement dominated = checked(ring(n, degree), name, 1000);
      ASSERT_EQ(all.method, CheckedStatement::Method::exhaustive);
      if (dominated.method != CheckedStatement::Method::dominance) continue;
      ++compared;
      EXPECT_EQ(dominated.holds(), all.holds()) << n << " " << degree;
      EXPECT_GE(dominated.worst.at(0).max_lost, all.worst.at(0).max_lost) << n << " " << degree;
    }
  EXPECT_GT(compared, 0U);
}

TEST(SwitchedLans, TheFaultsOfTheProofBoundEveryAttachment) {
  for (std::uint32_t n = 4; n <= 16; ++n)
    for (int seed = 1; seed <= 20; ++seed) {
      const TopologyPtr topology = topology_named("switch-ring:n=" + std::to_string(n) +
                                                  ",attachment=random,seed=" + std::to_string(seed));
      const std::vector<LinkId> links = optimality_faults(*topology, static_cast<std::uint32_t>(seed) % n);
      ASSERT_EQ(links.size(), 4U);
      EXPECT_EQ(std::set<LinkId>(links.begin(), links.end()).size(), 4U);
      if (n % 4 != 0) continue;
      FaultSet faults(*topology);
      for (const LinkId link : links) faults.fail(*topology, link);
      EXPECT_GE(PlainLosses(*topology).of(faults).lost, n / 4) << topology->name();
    }
}

}  // namespace
}  // namespace faultline
