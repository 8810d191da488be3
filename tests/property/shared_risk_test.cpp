// SPDX-License-Identifier: Apache-2.0
// Cables that fail together, and terminals with several channels to one switch: exact answers against every
// set of components, tried by a plain search.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "faultline/base/random.h"
#include "faultline/resilience/resilience.h"
#include "faultline/routing/kind.h"
#include "faultline/topology/builder.h"
#include "resilience/cuts/tolerance.h"
#include "support/effort.h"
#include "support/failing.h"

namespace faultline {
namespace {

/// Two to four switches in a row, with cables, channels and attachments at random. Every third link or so has
/// the number of another one: where the routing needs cables between switches, only those of terminals have.
TopologyPtr random_network(RandomStream& random, bool two_way) {
  TopologyBuilder builder;
  const std::uint32_t switches = 2 + random.next_below(3), terminals = 2 + random.next_below(3);
  std::vector<std::uint32_t> ports(switches);
  std::vector<LinkId> network, injection, ejection;
  std::uint32_t links = 0;
  const auto port = [&](std::uint32_t at) { return Port{SwitchId(at), ports[at]++}; };
  const auto number = [&](std::uint32_t first) {
    return links > first && random.next_below(3) == 0 ? LinkId(first + random.next_below(links - first))
                                                      : LinkId(links++);
  };
  const auto connect = [&](std::uint32_t a, std::uint32_t b) {
    const LinkId link = two_way ? LinkId(links++) : number(0);  // up-down needs links of two channels
    const Port from = port(a), to = port(b);
    if (two_way || random.next_below(4) != 0) {
      builder.connect_both(from, to);
      network.push_back(link);
    } else {
      builder.connect(from, to);
    }
    network.push_back(link);
  };
  for (std::uint32_t at = 0; at < switches; ++at) builder.add_switch({0, at});
  for (std::uint32_t at = 1; at < switches; ++at) connect(at - 1, at);
  for (std::uint32_t extra = random.next_below(4); extra > 0; --extra) {
    const std::uint32_t a = random.next_below(switches);
    connect(a, (a + 1 + random.next_below(switches - 1)) % switches);
  }
  const std::uint32_t first = two_way || random.next_below(2) == 0 ? links : 0;
  for (std::uint32_t i = 0; i < terminals; ++i) {
    const TerminalId terminal = builder.add_terminal();
    const std::uint32_t home = random.next_below(switches);
    for (std::uint32_t count = 1 + random.next_below(2); count > 0; --count) {
      const std::uint32_t at = random.next_below(4) == 0 ? random.next_below(switches) : home;
      const LinkId link = number(first);
      builder.attach(terminal, port(at));
      injection.push_back(link);
      ejection.push_back(link);
    }
  }
  network.insert(network.end(), injection.begin(), injection.end());
  network.insert(network.end(), ejection.begin(), ejection.end());
  builder.set_links(network);
  return std::make_shared<const Topology>(std::move(builder).build("random", "shortest-path"));
}

/// Bit i: the i-th component is dead.
using Set = std::uint32_t;

class Tried {
 public:
  Tried(const FaultComponents& components, bool two_way) : components_(components), two_way_(two_way) {
    for (Set set = 0; set < Set{1} << components.count(); ++set) lost_.push_back(lost(set));
  }

  /// Pairs that no path connects: bit source * terminals + destination.
  [[nodiscard]] std::uint64_t lost_pairs(Set set) const { return lost_[set]; }
  [[nodiscard]] bool is_two_way() const { return two_way_; }
  [[nodiscard]] Set sets() const { return static_cast<Set>(lost_.size()); }
  /// The size of the smallest sets that lose one of `pairs`; none if no set does.
  [[nodiscard]] std::optional<std::uint32_t> smallest(std::uint64_t pairs) const {
    std::optional<std::uint32_t> least;
    for (Set set = 0; set < sets(); ++set)
      if ((lost_[set] & pairs) != 0)
        least = std::min(least.value_or(32), static_cast<std::uint32_t>(std::popcount(set)));
    return least;
  }

 private:
  [[nodiscard]] std::uint64_t lost(Set set) const {
    const Topology& topology = components_.topology();
    std::vector<bool> dead(topology.channel_count());
    for (std::uint32_t one = 0; one < components_.count(); ++one)
      if ((set >> one & 1U) != 0)
        for (const ChannelId channel : components_.channels(one)) dead[channel.index()] = true;
    if (two_way_) {
      const std::vector<bool> own = dead;
      for (const ChannelId channel : topology.channels())
        for (const ChannelId other : topology.channels(topology.link(channel)))
          if (own[other.index()]) dead[channel.index()] = true;
    }
    std::uint64_t pairs = 0;
    const std::size_t terminals = topology.terminal_count();
    for (const TerminalId source : topology.terminals()) {
      std::vector<bool> reached(topology.switch_count()), has(terminals);
      for (const ChannelId channel : topology.injection(source))
        if (!dead[channel.index()]) reached[topology.target(channel).index()] = true;
      for (std::size_t round = 0; round < topology.switch_count(); ++round)
        for (const ChannelId channel : topology.channels()) {
          if (dead[channel.index()] || topology.role(channel) == ChannelRole::injection ||
              !reached[topology.source(channel).index()])
            continue;
          if (topology.role(channel) == ChannelRole::network)
            reached[topology.target(channel).index()] = true;
          else
            has[topology.terminal(channel).index()] = true;
        }
      for (std::size_t to = 0; to < terminals; ++to)
        if (to != source.index() && !has[to]) pairs |= std::uint64_t{1} << (source.index() * terminals + to);
    }
    return pairs;
  }

  const FaultComponents& components_;
  bool two_way_;
  std::vector<std::uint64_t> lost_;  // by set
};

/// Terminals outside the largest set of which every two reach each other: every set of them is tried.
std::uint32_t lost_terminals(std::uint64_t lost_pairs, std::uint32_t terminals) {
  int most = 0;
  for (std::uint32_t kept = 1; kept < 1U << terminals; ++kept) {
    std::uint64_t pairs = 0;
    for (std::uint32_t a = 0; a < terminals; ++a)
      if ((kept >> a & 1U) != 0) pairs |= std::uint64_t{kept} << (a * terminals);
    if ((pairs & lost_pairs) == 0) most = std::max(most, std::popcount(kept));
  }
  return terminals - static_cast<std::uint32_t>(most);
}

/// Points over all sets, and the worst set of each number of faults.
void expect_means(ResilienceStudy& study, const Tried& tried) {
  const std::size_t terminals = study.components().topology().terminal_count();
  struct Sum {
    int sets = 0, lost_pairs = 0, worst = 0;
    std::uint32_t lost_terminals = 0, worst_terminals = 0;
  };
  std::vector<Sum> sums(study.components().count() + 1);
  for (Set set = 0; set < tried.sets(); ++set) {
    Sum& sum = sums[static_cast<std::size_t>(std::popcount(set))];
    const int pairs = std::popcount(tried.lost_pairs(set));
    const std::uint32_t alone = lost_terminals(tried.lost_pairs(set), static_cast<std::uint32_t>(terminals));
    ++sum.sets;
    sum.lost_pairs += pairs;
    sum.worst = std::max(sum.worst, pairs);
    sum.lost_terminals += alone;
    sum.worst_terminals = std::max(sum.worst_terminals, alone);
  }
  FractionsSpec spec{.method = ResilienceMethod::exhaustive, .lost_terminals = true};
  for (std::uint32_t faults = 0; faults < sums.size(); ++faults) spec.fault_counts.push_back(faults);
  for (const FaultPoint& point : study.fractions(spec).points) {
    const Sum& sum = sums[point.faults];
    const double pairs = sum.sets * static_cast<double>(terminals * (terminals - 1));
    EXPECT_NEAR(point.connected_pairs_fraction, 1 - sum.lost_pairs / pairs, 1e-12) << point.faults;
    EXPECT_EQ(point.lost_terminals->worst, sum.worst_terminals) << point.faults;
    EXPECT_NEAR(point.lost_terminals->mean, static_cast<double>(sum.lost_terminals) / sum.sets, 1e-12)
        << point.faults;
    const WorstFaults worst = study.worst(point.faults);
    EXPECT_LE(worst.pairs_lost, static_cast<std::uint64_t>(sum.worst)) << point.faults;
    EXPECT_GE(worst.bound, static_cast<std::uint64_t>(sum.worst)) << point.faults;
    if (worst.exact) {
      EXPECT_EQ(worst.pairs_lost, static_cast<std::uint64_t>(sum.worst)) << point.faults;
    }
  }
}

void expect_exact_counts(const ResilienceStudy& study, const Tried& tried) {
  std::map<std::uint32_t, std::uint64_t> bad;
  for (Set set = 0; set < tried.sets(); ++set)
    if (tried.lost_pairs(set) != 0) ++bad[static_cast<std::uint32_t>(std::popcount(set))];
  FractionsSpec spec{.method = ResilienceMethod::exact};
  for (std::uint32_t faults = 0; faults <= study.components().count(); ++faults)
    spec.fault_counts.push_back(faults);
  for (const FaultPoint& point : study.fractions(spec).points)
    EXPECT_EQ(point.intolerable_sets, std::to_string(bad[point.faults])) << point.faults << " faults";
}

/// By component: of the pairs that sets of `size` disconnect, the share that is lost to one with it.
std::map<std::string, double> shares_of(const FaultComponents& components, const Tried& tried,
                                        std::uint32_t size) {
  std::uint64_t endangered = 0;
  std::vector<std::uint64_t> harmed(components.count());
  for (Set set = 0; set < tried.sets(); ++set) {
    if (std::popcount(set) != static_cast<int>(size)) continue;
    endangered |= tried.lost_pairs(set);
    for (std::size_t one = 0; one < harmed.size(); ++one)
      if ((set >> one & 1U) != 0) harmed[one] |= tried.lost_pairs(set);
  }
  std::map<std::string, double> shares;
  for (std::uint32_t one = 0; one < harmed.size(); ++one)
    if (harmed[one] != 0)
      shares[components.name(one)] =
          static_cast<double>(std::popcount(harmed[one])) / std::popcount(endangered);
  return shares;
}

void expect_cuts(ResilienceStudy& study, const Tried& tried) {
  const auto size = tried.smallest(~std::uint64_t{0});
  const ToleratedFaults& tolerance = study.tolerance();
  EXPECT_TRUE(tolerance.exact);
  EXPECT_EQ(tolerance.faults, size ? std::max(*size, 1U) - 1 : study.components().count());
  const auto cuts = study.minimum_cuts(10'000);
  ASSERT_EQ(cuts.has_value(), size.has_value());
  if (!size || *size == 0) return;
  std::uint64_t count = 0;
  for (Set set = 0; set < tried.sets(); ++set)
    if (std::popcount(set) == static_cast<int>(*size) && tried.lost_pairs(set) != 0) ++count;
  EXPECT_EQ(cuts->count, std::to_string(count));
  EXPECT_EQ(cuts->listed.size(), count);
  // Of several units, one may remove no more than another does: it has no share. So may a switch that is only
  // joined to a terminal's cable by the number of a link.
  const FaultUnits units = study.components().units();
  const auto has = [&](FaultUnit unit) { return units.contains(unit); };
  if (std::ranges::count_if(all_fault_units, has) > 1 || (tried.is_two_way() && has(FaultUnit::switch_)))
    return;
  std::map<std::string, double> shares;
  for (const CriticalComponent& one : study.critical())
    if (one.cut_share.value_or(0) > 0) shares[one.name] = *one.cut_share;
  EXPECT_EQ(shares, shares_of(study.components(), tried, *size));
}

TEST(SharedRisk, ExactAnswersAreThoseOfAllSets) {
  constexpr std::uint32_t max_components = 11;
  int judged = 0;
  for (std::uint64_t seed = 1; judged < effort(1000, 70); ++seed) {
    RandomStream random(seed, 0);
    const bool two_way = seed % 3 == 0;
    const TopologyPtr topology = random_network(random, two_way);
    const FaultUnits units[] = {FaultUnit::link,
                                FaultUnit::channel,
                                FaultUnit::link | FaultUnit::channel,
                                FaultUnit::link | FaultUnit::switch_,
                                FaultUnit::switch_,
                                FaultUnit::terminal,
                                FaultUnit::switch_ | FaultUnit::terminal};
    const FaultComponents components(topology, units[seed % 7], all_scopes[random.next_below(3)]);
    if (components.count() == 0 || components.count() > max_components) continue;
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const auto routing = parse_compact("routing", two_way ? "up-down" : "shortest-path");
    ResilienceStudy study(build_healthy_relation(topology, routing),
                          two_way ? Survival::any_path_two_way : Survival::any_path, components);
    const Tried tried(components, two_way);
    expect_exact_counts(study, tried);
    expect_means(study, tried);
    expect_cuts(study, tried);
    ++judged;
    if (testing::Test::HasFailure()) return;
  }
}

/// A search that gives up says so: what it tells of shares is never only a part.
TEST(SharedRisk, SharesAreWholeOrUnknown) {
  constexpr int enough = effort(300, 15);
  int unknown = 0, known = 0;
  for (std::uint64_t seed = 1; known < enough || unknown < enough; ++seed) {
    RandomStream random(seed, 0);
    const TopologyPtr topology = random_network(random, false);
    const FaultComponents components(topology, FaultUnit::link, all_scopes[random.next_below(3)]);
    if (components.count() == 0 || components.count() > 11) continue;
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Tried tried(components, false);
    const auto size = tried.smallest(~std::uint64_t{0});
    if (!size || *size == 0) continue;
    const RelationPtr relation = build_healthy_relation(topology, parse_compact("routing", "shortest-path"));
    const survival::Tolerance tolerance = survival::tolerance_by_cuts(
        {relation, Survival::any_path, components}, {}, 1 + random.next_below(40));
    ++(tolerance.cut_share.empty() ? unknown : known);
    std::map<std::string, double> shares;
    for (std::uint32_t one = 0; one < tolerance.cut_share.size(); ++one)
      if (tolerance.cut_share[one] > 0) shares[components.name(one)] = tolerance.cut_share[one];
    if (!tolerance.cut_share.empty()) {
      EXPECT_EQ(shares, shares_of(components, tried, *size));
    }
    if (testing::Test::HasFailure()) return;
  }
}

/// One cable alone disconnects u, and t2 only with another one: the union of cuts that are minimal for all
/// pairs misses the two. There are too many sets of five to try them all.
TEST(SharedRisk, MoreFaultsLoseNoFewerPairs) {
  TopologyBuilder builder;
  std::vector<std::uint32_t> ports(16);
  std::vector<LinkId> links;
  std::uint32_t next = 2;
  const auto cable = [&](std::uint32_t a, std::uint32_t b, LinkId link) {
    const Port from{SwitchId(a), ports[a]++};
    builder.connect_both(from, {SwitchId(b), ports[b]++});
    links.insert(links.end(), {link, link});
  };
  for (std::uint32_t at = 0; at < 16; ++at) builder.add_switch({0, at});
  cable(0, 1, LinkId(0));  // u - a
  cable(1, 2, LinkId(0));  // a - b
  cable(1, 2, LinkId(1));
  for (std::uint32_t i = 3; i < 16; ++i) {
    cable(1, i, LinkId(next++));
    for (std::uint32_t j = 3; j < i; ++j) cable(i, j, LinkId(next++));
  }
  std::vector<LinkId> attached;
  for (std::uint32_t at = 0; at < 3; ++at) {
    builder.attach(builder.add_terminal(), {SwitchId(at), ports[at]++});
    attached.push_back(LinkId(next++));
  }
  links.insert(links.end(), attached.begin(), attached.end());
  links.insert(links.end(), attached.begin(), attached.end());
  builder.set_links(links);
  const auto topology = std::make_shared<const Topology>(std::move(builder).build("bonds", "shortest-path"));
  ResilienceStudy study(build_healthy_relation(topology, parse_compact("routing", "shortest-path")),
                        Survival::any_path, FaultComponents(topology, FaultUnit::link, FaultScope::network));
  EXPECT_EQ(study.worst(1).pairs_lost, 4U);
  for (const std::uint32_t faults : {2U, 5U}) {
    const WorstFaults worst = study.worst(faults);
    EXPECT_EQ(worst.pairs_lost, 6U) << faults;
    EXPECT_GE(worst.bound, 6U) << faults;
  }
}

}  // namespace
}  // namespace faultline
