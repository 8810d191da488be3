// SPDX-License-Identifier: Apache-2.0
// Which pairs the methodology serves: by rows of all switches at once, by plain search for each pair, and by
// the plans that its sources hold.
#include <gtest/gtest.h>

#include "faultline/base/random.h"
#include "faultline/fault/components.h"
#include "faultline/fault/sampler.h"
#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"
#include "routing/methodology/grid_plan_search.h"
#include "support/effort.h"

namespace faultline {
namespace {

struct Campaign {
  std::string topology, mechanisms;
  bool tie_choice;
  std::string units, scope;
  std::uint32_t max_faults;
  std::uint64_t sets, sets_in_full;
};

std::ostream& operator<<(std::ostream& out, const Campaign& campaign) {
  return out << campaign.topology << " " << campaign.mechanisms << " " << campaign.units;
}

std::vector<ChannelId> channels_of(const FaultComponents& components, const std::vector<std::uint32_t>& set) {
  std::vector<ChannelId> channels;
  for (const std::uint32_t component : set)
    channels.insert(channels.end(), components.channels(component).begin(),
                    components.channels(component).end());
  return channels;
}

class PlanSearches : public testing::TestWithParam<Campaign> {
 protected:
  PlanSearches()
      : topology_(build_topology(parse_compact("topology", GetParam().topology))),
        components_(topology_, fault_units(GetParam().units, "unit"),
                    fault_scope(GetParam().scope, "scope")) {
    mechanisms_ = parse_mechanisms(GetParam().mechanisms);
    mechanisms_.tie_choice = GetParam().tie_choice;
  }
  [[nodiscard]] std::uint64_t sets() const {
    return long_tests() ? GetParam().sets_in_full : effort(GetParam().sets, GetParam().sets / 40 + 1);
  }

  /// Random sets, every other one clustered: clustered ones lose pairs.
  [[nodiscard]] std::vector<std::uint32_t> draw(std::uint64_t number) const {
    const auto faults = static_cast<std::uint32_t>(1 + number % GetParam().max_faults);
    const auto count = static_cast<std::uint32_t>(components_.count());
    if (number % 2 == 0) return FaultSampler(count, seed).draw(std::min(faults, count), number);
    const std::uint32_t window = std::min(count, 4 * faults + 4);
    std::vector<std::uint32_t> set = FaultSampler(window, seed).draw(std::min(faults, window), number);
    const auto from = static_cast<std::uint32_t>(mix(seed, number, 1) % (count - window + 1));
    for (std::uint32_t& component : set) component += from;
    return set;
  }

  static constexpr std::uint64_t seed = 13;
  TopologyPtr topology_;
  FaultComponents components_;
  Mechanisms mechanisms_;
};

TEST_P(PlanSearches, AgreeWithThePlainOne) {
  const auto plain = make_plain_plan_search(topology_, mechanisms_);
  const auto word = make_grid_plan_search(topology_, mechanisms_, "word");
  const auto fastest = make_grid_plan_search(topology_, mechanisms_, {});
  std::uint64_t failing = 0;
  for (std::uint64_t number = 0; number < sets(); ++number) {
    const auto dead = channels_of(components_, draw(number));
    const auto wanted = plain->evaluate(dead);
    for (PlanSearch* search : {word.get(), fastest.get()}) {
      const auto found = search->evaluate(dead);
      ASSERT_EQ(found.pairs, wanted.pairs) << "set " << number;
      ASSERT_EQ(found.disconnected, wanted.disconnected) << "set " << number;
    }
    failing += wanted.pairs != 0 ? 1 : 0;
  }
  RecordProperty("failing", static_cast<int>(failing));
}

INSTANTIATE_TEST_SUITE_P(
    Grids, PlanSearches,
    testing::Values(Campaign{"torus:radix=4x4x4", "idm", false, "link", "network", 20, 200, 10'000},
                    Campaign{"torus:radix=4x4x4", "dm", false, "channel", "network", 12, 100, 2'000},
                    Campaign{"torus:radix=4x4x4", "i", true, "link", "network", 4, 30, 500},
                    Campaign{"torus:radix=4x4x4", "im", true, "switch", "all", 4, 20, 500},
                    Campaign{"torus:radix=8x8x8", "idm", false, "link", "network", 15, 2, 200},
                    Campaign{"torus:radix=5x3", "idm", false, "channel+terminal", "all", 6, 300, 5'000},
                    Campaign{"torus:radix=2x6x3", "idm", true, "link", "network", 8, 60, 2'000},
                    Campaign{"mesh:radix=4x5", "idm", false, "link", "network", 6, 300, 5'000},
                    Campaign{"mesh:radix=3x3x3,terminals_per_switch=2", "id", false, "link+switch", "all", 5,
                             60, 1'000},
                    Campaign{"torus:radix=16x5", "idm", false, "link", "network", 6, 30, 500},
                    Campaign{"hypercube:n=5", "idm", false, "link", "network", 8, 100, 2'000}));

/// The plans that a relation holds: as many pairs lack one as the search says, and those of the others arrive
/// over living channels whatever the switches choose.
class PlanRelations : public PlanSearches {
 protected:
  void walk(const RoutingRelation& relation, const FaultSet& dead, TerminalId source, TerminalId destination,
            std::uint64_t number) {
    RouteOptions options;
    relation.inject(source, destination, options);
    ASSERT_EQ(options.size(), 1U);
    ChannelId held = options.front().channel;
    Tag tag = options.front().tag;
    for (std::uint32_t hop = 0; topology_->role(held) != ChannelRole::ejection; ++hop) {
      ASSERT_LT(hop, 200U);
      ASSERT_LT(tag, relation.tag_count());
      options.clear();
      relation.route({.at = topology_->target(held), .destination = destination, .held = held, .tag = tag},
                     options);
      ASSERT_FALSE(options.empty());
      for (const RouteOption& option : options) ASSERT_FALSE(dead.failed(option.channel));
      const RouteOption& taken = options[mix(number, hop, source.index()) % options.size()];
      held = taken.channel;
      tag = taken.tag;
    }
    ASSERT_EQ(topology_->terminal(held), destination);
  }
};

TEST_P(PlanRelations, ServeThePairsThatThePlainSearchCounts) {
  const auto search = make_plain_plan_search(topology_, mechanisms_);
  std::string routing = "methodology:mechanisms=" + GetParam().mechanisms;
  if (GetParam().tie_choice) routing += ",ties=leg";
  for (std::uint64_t number = 0; number < sets(); ++number) {
    const auto set = draw(number);
    const FaultSet dead = components_.fault_set(set);
    const RelationPtr relation = build_relation(topology_, dead, parse_compact("routing", routing));
    std::uint64_t without = 0;
    RouteOptions options;
    for (const TerminalId source : topology_->terminals())
      for (const TerminalId destination : topology_->terminals()) {
        if (source == destination) continue;
        options.clear();
        relation->inject(source, destination, options);
        if (options.empty())
          ++without;
        else
          ASSERT_NO_FATAL_FAILURE(walk(*relation, dead, source, destination, number));
      }
    ASSERT_EQ(without, search->evaluate(channels_of(components_, set)).pairs) << "set " << number;
    ASSERT_EQ(relation->plan_figures()->unserved, without);
  }
}
INSTANTIATE_TEST_SUITE_P(
    Grids, PlanRelations,
    testing::Values(Campaign{"torus:radix=4x4x4", "idm", false, "link", "network", 20, 30, 2'000},
                    Campaign{"torus:radix=4x4x4", "m", false, "link", "network", 5, 10, 500},
                    Campaign{"torus:radix=4x3x3", "idm", false, "switch", "network", 3, 6, 200},
                    Campaign{"torus:radix=2x6x3", "im", true, "link", "network", 8, 20, 500},
                    Campaign{"mesh:radix=4x5", "idm", false, "channel", "network", 6, 60, 2'000},
                    Campaign{"hypercube:n=4", "idm", false, "link", "network", 6, 30, 1'000}));

INSTANTIATE_TEST_SUITE_P(
    SlowGrids, PlanRelations,
    testing::Values(Campaign{"torus:radix=8x8x8", "idm", false, "link", "network", 15, 1, 100},
                    // To plan pairs of a dead switch by trying everything would take minutes.
                    Campaign{"torus:radix=8x8x8", "idm", false, "switch", "network", 1, 1, 5}));

}  // namespace
}  // namespace faultline
