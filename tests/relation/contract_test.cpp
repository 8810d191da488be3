// SPDX-License-Identifier: Apache-2.0
// Relations that break the contract end in an Error, wherever they are used.
#include "faultline/routing/contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faultline/resilience/resilience.h"
#include "faultline/routing/relation_text.h"
#include "faultline/routing/states.h"
#include "faultline/simulate/ideal.h"
#include "faultline/verify/verify.h"
#include "simulate/cut_through/model.h"
#include "support/broken_relations.h"
#include "support/error_message.h"
#include "support/plain_relation.h"
#include "support/sample_networks.h"
#include "support/simulate_support.h"
#include "support/wormhole_support.h"

namespace faultline {
namespace {

using testing::HasSubstr;
using testing_support::Broken;
using testing_support::OnePair;

template <class Use>
void expect_refused(const Broken::Breach& breach, const char* user, Use use) {
  SCOPED_TRACE(breach.name + ", " + user);
  const auto relation = std::make_shared<const Broken>(breach);
  try {
    use(relation);
    ADD_FAILURE() << "is not refused";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.parts().field, "routing") << text;
    EXPECT_NE(text.find("terminal 5"), std::string::npos) << text;
    EXPECT_NE(text.find(breach.break_inject ? "terminal 0" : "switch 1"), std::string::npos) << text;
    EXPECT_NE(text.find(breach.names), std::string::npos) << text;
  }
}

SimulationSpec short_run(Switching switching) {
  SimulationSpec spec;
  spec.switches = switches_of(switching);
  spec.injection.load = 0.5;
  spec.injection.packet_flits = 4;
  spec.measurement.cycles = 2'000;
  spec.measurement.warmup = 0;
  return spec;
}

TEST(Contract, BrokenRelationsAreRefusedByTheVerifier) {
  for (const Broken::Breach& breach : testing_support::breaches())
    for (const Switching switching : {Switching::cut_through, Switching::wormhole})
      expect_refused(breach, "verify", [&](const auto& relation) {
        (void)verify(*relation, FaultSet(relation->topology()), {.switching = switching});
      });
}

TEST(Contract, BrokenRelationsAreRefusedByTheResilienceEngine) {
  for (const Broken::Breach& breach : testing_support::breaches())
    for (const Knowledge knowledge : {Knowledge::none(), Knowledge::neighbours(), Knowledge::all()})
      expect_refused(breach, "resilience", [&](const RelationPtr& relation) {
        const FaultComponents components(relation->shared_topology(), FaultUnit::channel,
                                         FaultScope::network);
        (void)resilience(relation, Survival::fixed_paths, components,
                         {.fractions = {.fault_counts = {1}}, .conditions = {.knowledge = knowledge}});
      });
}

TEST(Contract, BrokenRelationsAreNotWritten) {
  for (const Broken::Breach& breach : testing_support::breaches())
    expect_refused(breach, "relation file", [&](const auto& relation) { (void)relation_text(*relation); });
}

TEST(Contract, LoadsOfBrokenRelationsAreNotComputed) {
  const OnePair pattern(Broken::source, Broken::destination);
  for (const Broken::Breach& breach : testing_support::breaches()) {
    expect_refused(breach, "expected loads",
                   [&](const auto& relation) { (void)expected_channel_loads(*relation, pattern); });
    expect_refused(breach, "ideal throughput",
                   [&](const auto& relation) { (void)ideal_throughput(*relation, pattern); });
  }
}

TEST(Contract, BrokenRelationsAreNotSimulated) {
  const OnePair pattern(Broken::source, Broken::destination);
  for (const Broken::Breach& breach : testing_support::breaches())
    for (const Switching switching : {Switching::cut_through, Switching::wormhole})
      expect_refused(breach, "simulate",
                     [&](const auto& relation) { (void)simulate(*relation, pattern, short_run(switching)); });
}

/// A breach that the sampling before a run of a large network misses is detected when a packet uses it.
TEST(Contract, EveryEngineNoticesABreachThatItMeets) {
  const OnePair pattern(Broken::source, Broken::destination);
  const SimulationSpec cut_through = short_run(Switching::cut_through);
  SimulationSpec wormhole = short_run(Switching::wormhole);
  wormhole.virtual_channels = 4;
  for (const Broken::Breach& breach : testing_support::breaches()) {
    if (!breach.always_used) continue;
    if (!breach.break_bits && !breach.break_sets) {  // only the fast engines query them
      expect_refused(breach, "cycle-driven", [&](const auto& relation) {
        (void)cut_through::run_cycle_driven(*relation, pattern, cut_through);
      });
      expect_refused(breach, "plain wormhole",
                     [&](const auto& relation) { (void)wormhole::run_scalar(*relation, pattern, wormhole); });
    }
    expect_refused(breach, "wormhole",
                   [&](const auto& relation) { (void)wormhole::run(*relation, pattern, wormhole); });
    expect_refused(breach, "event-driven", [&](const auto& relation) {
      (void)cut_through::run_event_driven(*relation, pattern, cut_through);
    });
  }
}

TEST(Contract, ShippedRoutingsKeepIt) {
  for (const SampleNetwork& network : sample_networks()) {
    SCOPED_TRACE(network.name);
    EXPECT_NO_THROW(check_contract(*network.relation, ~std::size_t{0}));
  }
}

class Undeclared final : public RoutingRelation {
 public:
  Undeclared(TopologyPtr topology, std::uint32_t vcs) : RoutingRelation(std::move(topology)), vcs_(vcs) {}
  void route(const RouteState&, RouteOptions&) const override {}
  [[nodiscard]] std::uint32_t virtual_channels() const override { return vcs_; }

 private:
  std::uint32_t vcs_;
};

/// A sound relation with rings that it may not have.
class Ringed final : public RoutingRelation {
 public:
  Ringed(const RelationPtr& sound, std::vector<BubbleRing> rings)
      : RoutingRelation(sound->shared_topology()), sound_(sound), rings_(std::move(rings)) {}
  void route(const RouteState& state, RouteOptions& options) const override { sound_->route(state, options); }
  [[nodiscard]] std::vector<BubbleRing> bubble_rings() const override { return rings_; }

 private:
  RelationPtr sound_;
  std::vector<BubbleRing> rings_;
};

TEST(Contract, BubbleRingsAreClosedAndApart) {
  const RelationPtr sound =
      testing_support::network("torus:radix=4", "dimension-order:ring_rule=bubble").relation;
  const std::vector<BubbleRing> both = sound->bubble_rings();
  ASSERT_EQ(both.size(), 2U);
  const auto message = [&](std::vector<BubbleRing> rings) {
    const Ringed relation(sound, std::move(rings));
    return testing_support::error_message([&] {
      (void)verify(relation, FaultSet(relation.topology()), {.switching = Switching::cut_through});
    });
  };
  EXPECT_EQ(message(both), "accepted");
  EXPECT_THAT(message({both[0], both[0]}), HasSubstr("must be in one ring, once"));
  BubbleRing changed = both[0];
  std::swap(changed[0], changed[1]);
  EXPECT_THAT(message({changed}), HasSubstr("must lead to where the next channel of the ring begins"));
  changed = both[0];
  changed.pop_back();
  EXPECT_THAT(message({changed}), HasSubstr("must lead to where the next channel of the ring begins"));
  changed = both[0];
  changed[2].vc = 1;
  EXPECT_THAT(message({changed}), HasSubstr("a virtual channel that the routing declares"));
  changed[2] = {sound->topology().injection(TerminalId(0)).front(), 0};
  EXPECT_THAT(message({changed}), HasSubstr("of a channel between switches"));
  changed[2] = {ChannelId(1'000'000), 0};
  EXPECT_THAT(message({changed}), HasSubstr("of a channel between switches"));
  EXPECT_THAT(message({{}}), HasSubstr("'0 virtual channels of a bubble ring': must be two or more"));
  EXPECT_THAT(message({{both[0][0]}}), HasSubstr("must be two or more"));
}

/// A sound relation that says something wrong about itself.
class Misdeclared : public Plain {
 public:
  using Plain::Plain;
  [[nodiscard]] bool offers_output_bits() const override { return base_->offers_output_bits(); }
  [[nodiscard]] std::uint64_t output_bits(SwitchId at, TerminalId destination) const override {
    return base_->output_bits(at, destination);
  }
  [[nodiscard]] bool offers_output_sets() const override { return base_->offers_output_sets(); }
  [[nodiscard]] OutputSets output_sets(SwitchId at, TerminalId destination, Tag tag) const override {
    return base_->output_sets(at, destination, tag);
  }
};

std::string breach(const RoutingRelation& relation) {
  return testing_support::error_message([&] { check_contract(relation, ~std::size_t{0}); });
}

/// Else an escape subrelation that no engine knows of would prove freedom of deadlock.
TEST(Contract, OptionsOutsideOfTheEscapeSubrelationAreDeclared) {
  class Escapeless final : public Misdeclared {
   public:
    using Misdeclared::Misdeclared;
    [[nodiscard]] bool relies_on_escape() const override { return false; }
  };
  const RelationPtr duato = testing_support::network("mesh:radix=3x3", "duato").relation;
  EXPECT_EQ(breach(Misdeclared(duato)), "accepted");
  EXPECT_THAT(breach(Escapeless(duato)), HasSubstr("must belong to the escape subrelation, as all options"));
  EXPECT_THAT(testing_support::error_message(
                  [&] { (void)verify(Escapeless(duato), FaultSet(duato->topology()), {}); }),
              HasSubstr("(relies_on_escape)"));
}

TEST(Contract, RelativePositionsAreNumberedFromZeroAndHaveTheSameOutputs) {
  class Positioned final : public Misdeclared {
   public:
    Positioned(RelationPtr base, std::uint32_t positions)
        : Misdeclared(std::move(base)), positions_(positions) {}
    [[nodiscard]] std::uint32_t relative_positions() const override { return positions_; }
    [[nodiscard]] std::uint32_t relative_position(SwitchId at, TerminalId destination) const override {
      return at.value() * 9 + destination.value();
    }

   private:
    std::uint32_t positions_;
  };
  class Alike final : public Misdeclared {
   public:
    using Misdeclared::Misdeclared;
    [[nodiscard]] std::uint32_t relative_positions() const override { return 1; }
  };
  const RelationPtr sound = testing_support::network("mesh:radix=3x3", "dimension-order").relation;
  ASSERT_TRUE(sound->offers_output_bits());
  EXPECT_EQ(breach(Positioned(sound, 81)), "accepted");
  EXPECT_THAT(breach(Positioned(sound, 80)), HasSubstr("'relative position 80 at "));
  EXPECT_THAT(breach(Positioned(sound, 80)), HasSubstr("must be below 80"));
  EXPECT_THAT(breach(Alike(sound)), HasSubstr("must be another than at s0.0 for "));
  const RelationPtr by_sets = testing_support::network("torus:radix=5x5", "duato:adaptive_vcs=14").relation;
  ASSERT_TRUE(by_sets->offers_output_sets() && !by_sets->offers_output_bits());
  EXPECT_EQ(breach(Misdeclared(by_sets)), "accepted");
  EXPECT_THAT(breach(Alike(by_sets)), HasSubstr("must be another than at s0.0 for "));
}

TEST(Contract, ASelectionPicksAWayThatThereIs) {
  constexpr auto second = [](std::span<const Way>, std::uint32_t) -> std::size_t { return 1; };
  const std::vector<Way> ways(2);
  const auto message = [&](const SelectionRule& rule, std::size_t count) {
    return testing_support::error_message([&] { (void)rule.picked(std::span(ways).first(count), 0); });
  };
  EXPECT_EQ(message({.pick = second}, 2), "accepted");
  EXPECT_THAT(message({.pick = second}, 1), HasSubstr("must pick one of 1 ways, by its index from 0"));
  EXPECT_THAT(message({.pick = second, .takes_first = true}, 2),
              HasSubstr("must pick way 0, as the selection declares that it takes the first"));
}

/// Packets circle for ever, and their tags count how often.
TEST(SlowContract, StatesWithoutEndAreRefused) {
  class Counting final : public RoutingRelation {
   public:
    using RoutingRelation::RoutingRelation;
    void route(const RouteState& state, RouteOptions& options) const override {
      for (const ChannelId channel : topology().outputs(state.at))
        if (topology().role(channel) == ChannelRole::network)
          return options.push_back({.channel = channel, .vcs = 1, .tag = state.tag + 1});
    }
    [[nodiscard]] std::uint64_t tag_count() const override { return ~std::uint64_t{0}; }
  };
  const Counting counting(testing_support::network("mesh:radix=2x2", "dimension-order").topology);
  EXPECT_THAT(breach(counting), HasSubstr("at most 16777216 states"));
}

TEST(Contract, DeclaresFromOneTo32VirtualChannels) {
  const TopologyPtr topology = testing_support::mesh(2, 1);
  for (const std::uint32_t vcs : {0U, 33U, 64U, 1000U})
    EXPECT_THROW(check_contract(Undeclared(topology, vcs), 1), Error) << vcs;
  for (const std::uint32_t vcs : {100'000'000U, ~0U})  // for which there is no memory
    EXPECT_THROW((void)verify(Undeclared(topology, vcs), FaultSet(*topology), {}), Error) << vcs;
  EXPECT_NO_THROW(check_contract(Undeclared(topology, 32), 1));
}

}  // namespace
}  // namespace faultline
