// SPDX-License-Identifier: Apache-2.0
// Packets that terminals re-inject: wherever they are and whatever has failed permanently, some choice of
// relays leads to every destination that is not disconnected, so that a random walk over them arrives.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "faultline/base/random.h"
#include "faultline/fault/living_network.h"
#include "faultline/routing/admissible.h"
#include "faultline/routing/states.h"
#include "simulate/faults/cut_off.h"
#include "support/effort.h"
#include "support/simulate_support.h"

namespace faultline {
namespace {

using testing_support::network;
using testing_support::Network;

/// Where a packet that one terminal sends to another may leave the network: all crossings with dead channels,
/// by plain search over the living options of switches.
class Crossings {
 public:
  Crossings(const RoutingRelation& relation, const std::vector<bool>& dead)
      : relation_(relation),
        topology_(relation.topology()),
        dead_(dead),
        leads_out_(topology_.switch_count()) {
    find_ways_out();
  }

  std::set<TerminalId> from(TerminalId source, TerminalId destination) {
    seen_.clear();
    ends_.clear();
    RouteOptions ways;
    relation_.inject(source, destination, ways);
    take(ways, destination);
    while (!open_.empty()) {
      const auto [held, vc, tag] = open_.back();
      open_.pop_back();
      expand({.at = topology_.target(held), .destination = destination, .held = held, .vc = vc, .tag = tag});
    }
    return ends_;
  }

  /// States without an option and without a terminal, from which a living path nevertheless leads down to
  /// one.
  [[nodiscard]] std::size_t stranded() const { return stranded_; }

 private:
  struct State {
    ChannelId held;
    std::uint8_t vc;
    Tag tag;
    auto operator<=>(const State&) const = default;
  };

  /// By switch: whether living channels lead to a terminal, each nearer to one than the one before.
  void find_ways_out() {
    std::vector<std::uint32_t> level(topology_.switch_count(), ~0U);
    const auto from_each = [&](std::uint32_t reached, auto visit) {
      for (const ChannelId channel : topology_.channels())
        if (topology_.role(channel) == ChannelRole::network &&
            level[topology_.target(channel).index()] == reached)
          visit(channel, topology_.source(channel).index());
    };
    for (const TerminalId terminal : topology_.terminals()) {
      const SwitchId home = topology_.source(topology_.ejection(terminal).front());
      level[home.index()] = 0;
      leads_out_[home.index()] = true;
    }
    for (std::uint32_t reached = 0; reached < topology_.switch_count(); ++reached) {
      from_each(reached,
                [&](ChannelId, std::size_t from) { level[from] = std::min(level[from], reached + 1); });
      from_each(reached, [&](ChannelId channel, std::size_t from) {
        if (level[from] == reached + 1 && !dead_[channel.index()] &&
            leads_out_[topology_.target(channel).index()])
          leads_out_[from] = true;
      });
    }
  }

  void expand(const RouteState& state) {
    RouteOptions options;
    relation_.route(state, options);
    std::erase_if(options, [&](const RouteOption& option) { return dead_[option.channel.index()]; });
    keep_lowest_tier(options);
    if (!options.empty()) return take(options, state.destination);
    bool comes_out = false;
    for (const ChannelId channel : topology_.outputs(state.at))
      if (topology_.role(channel) == ChannelRole::ejection) {
        ends_.insert(topology_.terminal(channel));
        comes_out = true;
      }
    stranded_ += !comes_out && leads_out_[state.at.index()] ? 1 : 0;
  }

  void take(const RouteOptions& options, TerminalId destination) {
    for (const RouteOption& option : options) {
      if (topology_.role(option.channel) == ChannelRole::ejection) {
        ends_.insert(destination);
        continue;
      }
      for_each_vc(option.vcs, [&](std::uint8_t vc) {
        if (seen_.insert({option.channel, vc, option.tag}).second)
          open_.push_back({option.channel, vc, option.tag});
      });
    }
  }

  const RoutingRelation& relation_;
  const Topology& topology_;
  const std::vector<bool>& dead_;
  std::vector<bool> leads_out_;
  std::set<State> seen_;
  std::vector<State> open_;
  std::set<TerminalId> ends_;
  std::size_t stranded_ = 0;
};

/// Links that stay down: all channels of each.
FaultSchedule for_ever(const Topology& topology, RandomStream& random, std::uint32_t count) {
  std::set<ChannelId> channels;
  for (; count != 0; --count) {
    const LinkId link(random.next_below(static_cast<std::uint32_t>(topology.network_link_count())));
    for (const ChannelId channel : topology.channels(link)) channels.insert(channel);
  }
  FaultSchedule schedule;
  for (const ChannelId channel : channels) schedule.push_back({channel, 0, Outage::forever});
  return schedule;
}

/// Terminals from which `destination` can be reached crossing by crossing.
std::set<TerminalId> leading_to(TerminalId destination, const std::vector<std::set<TerminalId>>& next) {
  std::set<TerminalId> found{destination};
  for (std::size_t before = 0; before != found.size();) {
    before = found.size();
    for (std::uint32_t from = 0; from < next.size(); ++from)
      for (const TerminalId to : next[from])
        if (found.contains(to)) found.insert(TerminalId(from));
  }
  return found;
}

class Relays : public testing::TestWithParam<const char*> {};

TEST_P(Relays, LeadToEveryDestinationThatIsNotCutOff) {
  std::size_t connected = 0;
  for (std::uint64_t seed = 0; seed < effort(40U, 4U); ++seed) {
    RandomStream random(seed, 1);
    const Network built = network(GetParam(), random.next_below(2) == 0 ? "ft-drb:paths=2" : "ft-drb");
    const Topology& topology = *built.topology;
    const auto links = static_cast<std::uint32_t>(topology.network_link_count());
    const FaultSchedule schedule = for_ever(topology, random, 1 + random.next_below(links / 3));
    std::vector<bool> dead(topology.channel_count());
    for (const Outage& outage : schedule) dead[outage.channel.index()] = true;
    const std::vector<TerminalId> off = cut_off_terminals(topology, {.outages = schedule}, 1);
    const auto is_off = [&](TerminalId one) { return std::ranges::find(off, one) != off.end(); };
    Crossings crossings(*built.relation, dead);
    std::vector<std::set<TerminalId>> to_relays(topology.terminal_count());
    for (const TerminalId from : topology.terminals())
      for (const TerminalId to : topology.terminals())
        if (from != to && !is_off(from)) to_relays[from.index()].merge(crossings.from(from, to));
    for (const TerminalId destination : topology.terminals()) {
      if (is_off(destination)) continue;
      const std::set<TerminalId> found = leading_to(destination, to_relays);
      for (const TerminalId from : topology.terminals())
        if (!is_off(from)) {
          EXPECT_TRUE(found.contains(from)) << "seed " << seed << ": " << topology.name(from) << " to "
                                            << topology.name(destination) << ", dead " << schedule.size();
        }
      ++connected;
    }
    EXPECT_EQ(crossings.stranded(), 0U) << seed;
  }
  EXPECT_GT(connected, 0U);
}

INSTANTIATE_TEST_SUITE_P(, Relays,
                         testing::Values("mesh:radix=3x3", "mesh:radix=4x5", "torus:radix=4x4",
                                         "torus:radix=5x3", "fat-tree:k=2,n=3", "hypercube:n=3"),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::erase_if(name, [](char c) { return std::isalnum(c) == 0; });
                           return name;
                         });

/// A row of three: the middle link fails for ever, the other for a while.
TEST(CutOff, IsWhoIsOutsideTheLargestPartAtTheEnd) {
  const Network built = network("mesh:radix=4");
  const Topology& topology = *built.topology;
  const auto channels_between = [&](std::uint32_t a, std::uint32_t b, std::uint64_t until) {
    FaultSchedule found;
    for (const ChannelId channel : topology.channels())
      if (topology.role(channel) == ChannelRole::network &&
          topology.source(channel).value() + topology.target(channel).value() == a + b &&
          (topology.source(channel) == SwitchId(a) || topology.source(channel) == SwitchId(b)))
        found.push_back({channel, 10, until});
    return found;
  };
  const FaultSchedule stays = channels_between(0, 1, Outage::forever), goes = channels_between(2, 3, 50);
  ASSERT_EQ(stays.size(), 2U);
  EXPECT_EQ(cut_off_terminals(topology, {.outages = stays}, 100), std::vector{TerminalId(0)});
  EXPECT_TRUE(cut_off_terminals(topology, {.outages = stays}, 10).empty()) << "before it fails";
  EXPECT_TRUE(cut_off_terminals(topology, {.outages = goes}, 100).empty());
  EXPECT_EQ(cut_off_terminals(topology, {.outages = goes}, 40), std::vector{TerminalId(3)});
  const FaultSchedule one_way{stays.front()};
  EXPECT_EQ(cut_off_terminals(topology, {.outages = one_way}, 100), std::vector{TerminalId(0)})
      << "one direction alone";
  FaultsInTime both{.outages = stays, .dead = FaultSet(topology)};
  for (const Outage& outage : goes) both.dead->fail(outage.channel);
  EXPECT_EQ(cut_off_terminals(topology, both, 100), (std::vector{TerminalId(0), TerminalId(3)}));
}

/// Terminals at the other end of some path over the channels that are up.
std::set<TerminalId> searched(const Topology& topology, const FaultSet& down, TerminalId start,
                              bool forwards) {
  std::set<SwitchId> seen;
  std::set<TerminalId> found;
  std::vector<SwitchId> open;
  const auto visit = [&](ChannelId channel) {
    if (down.failed(channel)) return;
    const SwitchId next = forwards ? topology.target(channel) : topology.source(channel);
    if (!next.valid())
      found.insert(topology.terminal(channel));
    else if (seen.insert(next).second)
      open.push_back(next);
  };
  for (const ChannelId channel : forwards ? topology.injection(start) : topology.ejection(start))
    visit(channel);
  while (!open.empty()) {
    const SwitchId at = open.back();
    open.pop_back();
    for (const ChannelId channel : forwards ? topology.outputs(at) : topology.inputs(at)) visit(channel);
  }
  return found;
}

/// By the definition, for each terminal.
std::vector<TerminalId> outside_the_largest_set(const Topology& topology, const FaultSet& down) {
  std::optional<std::set<TerminalId>> largest;
  TerminalId middle;
  for (const TerminalId terminal : topology.terminals()) {
    std::set<TerminalId> both;
    std::ranges::set_intersection(searched(topology, down, terminal, true),
                                  searched(topology, down, terminal, false), std::inserter(both, both.end()));
    if (largest && both.size() <= largest->size()) continue;
    largest = std::move(both);
    middle = terminal;
  }
  std::vector<TerminalId> outside;
  for (const TerminalId terminal : topology.terminals())
    if (terminal != middle && !largest->contains(terminal)) outside.push_back(terminal);
  return outside;
}

bool all_reach_all(const Topology& topology, const FaultSet& down) {
  return std::ranges::all_of(topology.terminals(), [&](TerminalId from) {
    std::set<TerminalId> reached = searched(topology, down, from, true);
    reached.insert(from);
    return reached.size() == topology.terminal_count();
  });
}

TEST(CutOff, IsThatOfABruteForceWhateverFails) {
  std::size_t split = 0;
  for (const std::string_view name :
       {"mesh:radix=4x4,terminals_per_switch=2", "torus:radix=3x3", "switch-ring:n=5",
        "switch-clique:switches=4,terminals=6", "fat-tree:k=2,n=3"}) {
    const Network built = network(name);
    const Topology& topology = *built.topology;
    for (std::uint64_t seed = 0; seed < effort(60U, 10U); ++seed) {
      RandomStream random(seed, 2);
      FaultSet down(topology);
      FaultSchedule schedule;
      const std::uint32_t one_in = 2 + random.next_below(4);
      for (const ChannelId channel : topology.channels())
        if (random.next_below(one_in) == 0) {
          down.fail(channel);
          schedule.push_back({channel, 3, Outage::forever});
        }
      const std::vector<TerminalId> expected = outside_the_largest_set(topology, down);
      ASSERT_EQ(cut_off_terminals(topology, {.outages = schedule}, 9), expected) << name << ", seed " << seed;
      EXPECT_EQ(LivingNetwork(topology, down).connects_all(), all_reach_all(topology, down))
          << name << ", seed " << seed;
      split += expected.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(split, 0U);
}

}  // namespace
}  // namespace faultline
