// SPDX-License-Identifier: Apache-2.0
// The requests of the wormhole engines are the options of the relation: the same channels, tags and costs,
// and on each channel the virtual channels that carry the names which the option admits.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "faultline/base/random.h"
#include "faultline/routing/states.h"
#include "simulate/wormhole/choices.h"
#include "support/sample_networks.h"

namespace faultline::wormhole {
namespace {

constexpr std::uint32_t longest_walk = 60;

/// Those of the lowest tier.
RouteOptions requested(RouteOptions options) {
  std::uint8_t lowest = 255;
  for (const RouteOption& option : options) lowest = std::min(lowest, option.tier);
  std::erase_if(options, [&](const RouteOption& option) { return option.tier != lowest; });
  return options;
}

class Walks {
 public:
  Walks(const RoutingRelation& relation, std::uint32_t vcs)
      : relation_(relation),
        topology_(relation.topology()),
        vcs_(vcs),
        chooser_(relation, SelectionRule{}, vcs, 1) {}

  /// Each name has virtual channels, all of them side by side, and no name has two more than another.
  void expect_fair_names() const {
    std::vector<std::uint32_t> of_name(relation_.virtual_channels());
    for (std::uint32_t vc = 0; vc < vcs_; ++vc) {
      ASSERT_LT(chooser_.class_of_network_vc(vc), of_name.size());
      ++of_name[chooser_.class_of_network_vc(vc)];
      EXPECT_GE(chooser_.class_of_network_vc(vc), chooser_.class_of_network_vc(vc == 0 ? 0 : vc - 1));
    }
    const auto [least, most] = std::ranges::minmax(of_name);
    EXPECT_GE(least, 1U);
    EXPECT_LE(most - least, 1U);
  }

  /// From the source as far as it goes, each time by a choice and virtual channel that are drawn.
  void walk(TerminalId source, TerminalId destination, RandomStream& random) {
    Packet packet{.source = source, .destination = destination};
    std::vector<Choice> choices;
    RouteOptions options;
    relation_.inject(source, destination, options);
    chooser_.inject(packet, choices);
    for (std::uint32_t hop = 0; hop < longest_walk; ++hop) {
      expect_requests(choices, requested(options));
      if (testing::Test::HasFailure() || choices.empty()) return;
      const Choice choice = choices[random.next_below(static_cast<std::uint32_t>(choices.size()))];
      if (topology_.role(choice.channel) == ChannelRole::ejection) return;
      packet.vc_class = chooser_.class_of(choice, drawn_vc(choice, random));
      packet.tag = choice.tag;
      options.clear();
      relation_.route(
          {topology_.target(choice.channel), destination, choice.channel, packet.vc_class, packet.tag},
          options);
      chooser_.route(packet, choice.channel, choices, [](const Choice&) { return 0U; });
    }
  }

 private:
  static std::uint32_t drawn_vc(const Choice& choice, RandomStream& random) {
    std::vector<std::uint32_t> vcs;
    for_each_vc(choice.vcs, [&](std::uint8_t vc) { vcs.push_back(vc); });
    return vcs[random.next_below(static_cast<std::uint32_t>(vcs.size()))];
  }

  void expect_requests(const std::vector<Choice>& choices, const RouteOptions& options) const {
    ASSERT_EQ(choices.size(), options.size());
    std::vector<bool> matched(choices.size());
    for (const RouteOption& option : options) {
      bool found = false;
      for (std::size_t i = 0; i < choices.size() && !found; ++i) {
        found = !matched[i] && choices[i].channel == option.channel && choices[i].tag == option.tag &&
                choices[i].cost == option.cost && admits_the_same(choices[i], option.vcs);
        if (found) matched[i] = true;
      }
      EXPECT_TRUE(found) << "the option on " << topology_.name(option.channel) << " is not requested";
    }
  }

  bool admits_the_same(const Choice& choice, std::uint32_t names) const {
    if (topology_.role(choice.channel) == ChannelRole::network) {
      for (std::uint32_t vc = 0; vc < vcs_; ++vc)
        if ((choice.vcs >> vc & 1U) != (names >> chooser_.class_of_network_vc(vc) & 1U)) return false;
      bool same = true;
      for_each_vc(choice.vcs, [&](std::uint8_t vc) {
        same = same && chooser_.class_of(choice, vc) == chooser_.class_of_network_vc(vc);
      });
      return same;
    }
    return carries_every_name(choice, names);
  }

  /// Any virtual channel of a terminal's channel may be taken, and each of `names` is carried by some.
  bool carries_every_name(const Choice& choice, std::uint32_t names) const {
    std::uint32_t carried = 0, free = 0;
    for (std::uint32_t vc = 0; vc < vcs_; ++vc) {
      carried |= 1U << chooser_.class_of(choice, vc);
      free += choice.vcs >> vc & 1U;
    }
    return free == vcs_ && carried == names;
  }

  const RoutingRelation& relation_;
  const Topology& topology_;
  std::uint32_t vcs_;
  Chooser chooser_;
};

class EveryRelation : public testing::TestWithParam<std::string> {};

TEST_P(EveryRelation, IsRequestedAsItAnswers) {
  RandomStream random(7, 0);
  for (const SampleNetwork& network : sample_networks(GetParam())) {
    const auto terminals = static_cast<std::uint32_t>(network.relation->topology().terminal_count());
    const std::uint32_t names = network.relation->virtual_channels();
    for (const std::uint32_t vcs : std::set{names, names + 1, 2 * names, 2 * names + 1}) {
      if (vcs > 32) continue;
      SCOPED_TRACE(network.name + ", " + std::to_string(vcs) + " virtual channels");
      Walks walks(*network.relation, vcs);
      walks.expect_fair_names();
      for (int i = 0; i < 40 && !HasFailure(); ++i) {
        const std::uint32_t source = random.next_below(terminals), other = random.next_below(terminals);
        if (source != other) walks.walk(TerminalId(source), TerminalId(other), random);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Samples, EveryRelation, testing::ValuesIn(sample_topologies()));

}  // namespace
}  // namespace faultline::wormhole
