// SPDX-License-Identifier: Apache-2.0
// The paths of packets that are alone in a network, against all possible paths: enumerated by brute force
// over a random relation's answers, with no code of the library but the relation itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "faultline/routing/admissible.h"
#include "simulate/cut_through/model.h"
#include "support/effort.h"
#include "support/listed_packets.h"
#include "support/random_relation.h"
#include "support/wormhole_support.h"

namespace faultline {
namespace {

using testing_support::ListedPackets;
using testing_support::RandomRelation;

/// A packet's head when it is routed.
struct Step {
  std::uint32_t held = 0, vc = 0;
  Tag tag = 0;
  friend auto operator<=>(const Step&, const Step&) = default;
};
using Play = std::vector<Step>;

RouteOptions lowest(RouteOptions options) {
  std::uint8_t tier = 255;
  for (const RouteOption& option : options) tier = std::min(tier, option.tier);
  std::erase_if(options, [&](const RouteOption& option) { return option.tier != tier; });
  return options;
}

/// Every play of a pair, with its probability when every option has the same, and every virtual channel of
/// it.
class Plays {
 public:
  Plays(const RoutingRelation& relation, TerminalId destination, const FaultSet& dead)
      : relation_(relation), destination_(destination), dead_(dead) {}

  /// Absent if a packet may get stuck or take more than a few hops.
  std::optional<std::map<Play, double>> of(TerminalId source) {
    RouteOptions options;
    relation_.inject(source, destination_, options);
    Play play;
    if (options.empty() || !follow(lowest(options), play, 1)) return std::nullopt;
    return plays_;
  }
  [[nodiscard]] bool lose_and_arrive() const { return lost_ && arriving_; }

 private:
  static constexpr std::size_t max_hops = 7, max_plays = 200;

  bool follow(const RouteOptions& options, Play& play, double probability) {
    if (options.empty() || play.size() > max_hops || plays_.size() > max_plays) return false;
    for (const RouteOption& option : options) {
      const double share = probability / static_cast<double>(options.size());
      if (dead_.failed(option.channel) ||
          relation_.topology().role(option.channel) == ChannelRole::ejection) {
        (dead_.failed(option.channel) ? lost_ : arriving_) = true;
        plays_[play] += share;  // ends here
        continue;
      }
      for (std::uint32_t vc = 0; vc < 32; ++vc) {
        if ((option.vcs >> vc & 1) == 0) continue;
        play.push_back({option.channel.value(), vc, option.tag});
        RouteOptions next;
        relation_.route({relation_.topology().target(option.channel), destination_, option.channel,
                         static_cast<std::uint8_t>(vc), option.tag},
                        next);
        if (!follow(lowest(next), play, share / std::popcount(option.vcs))) return false;
        play.pop_back();
      }
    }
    return true;
  }

  const RoutingRelation& relation_;
  TerminalId destination_;
  const FaultSet& dead_;
  std::map<Play, double> plays_;
  bool lost_ = false, arriving_ = false;
};

/// Records the states in which it is queried, once or more in a row. A packet that has come over a channel of
/// `dead` is lost: it gets no options.
class Observed final : public RoutingRelation {
 public:
  Observed(const RoutingRelation& relation, const FaultSet& dead)
      : RoutingRelation(relation.shared_topology()), relation_(relation), dead_(dead) {}
  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    relation_.inject(source, destination, options);
  }
  void route(const RouteState& state, RouteOptions& options) const override {
    if (dead_.failed(state.held)) return;
    relation_.route(state, options);
    const Step step{state.held.value(), state.vc, state.tag};
    if (play_.empty() || play_.back() != step) play_.push_back(step);
  }
  [[nodiscard]] std::uint64_t tag_count() const override { return relation_.tag_count(); }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return relation_.virtual_channels(); }
  [[nodiscard]] bool reads_held_channel() const override { return true; }  // queried with the held channel

  [[nodiscard]] const Play& play() const { return play_; }

 private:
  const RoutingRelation& relation_;
  const FaultSet& dead_;
  mutable Play play_;
};

std::string text(const Play& play) {
  std::string text;
  for (const Step& step : play)
    text += " " + std::to_string(step.held) + "/" + std::to_string(step.vc) + "/" + std::to_string(step.tag);
  return text;
}

using Run = SimulationResult (*)(const RoutingRelation&, const TrafficPattern&, const SimulationSpec&);

struct Engine {
  const char* name;
  Switching switching;
  Run run;
};

constexpr Engine engines[] = {
    {"event-driven", Switching::cut_through,
     [](const auto& relation, const auto& pattern, const auto& spec) {
       return cut_through::run_event_driven(relation, pattern, spec).result;
     }},
    {"cycle-driven", Switching::cut_through,
     [](const auto& relation, const auto& pattern, const auto& spec) {
       return cut_through::run_cycle_driven(relation, pattern, spec).result;
     }},
    {"plain wormhole", Switching::wormhole,
     [](const auto& relation, const auto& pattern, const auto& spec) {
       return wormhole::run_scalar(relation, pattern, spec).result;
     }},
};

constexpr std::uint32_t runs = 300;

/// How often each play is taken by a packet alone, over the seeds.
std::map<Play, double> plays_taken(const Engine& engine, const RoutingRelation& relation,
                                   const FaultSet& dead, const TrafficPattern& pattern,
                                   std::string_view selection) {
  SimulationSpec spec;
  spec.switches = switches_of(engine.switching);
  spec.measurement.cycles = 128;  // more than the longest play takes
  spec.measurement.warmup = 0;
  spec.selection = testing_support::selection(selection);
  if (!dead.empty()) spec.faults.unseen = dead;
  std::map<Play, double> taken;
  for (spec.seed = 1; spec.seed <= runs; ++spec.seed) {
    const Observed observed(relation, dead);
    const SimulationResult result = engine.run(observed, pattern, resolved(spec, pattern));
    const auto lost = result.dropped.find("dead_channel");
    EXPECT_EQ(result.delivered + (lost == result.dropped.end() ? 0 : lost->second), 1U);
    ++taken[observed.play()];
  }
  return taken;
}

/// Plays by the channels and tags alone.
std::map<Play, double> without_vcs(const std::map<Play, double>& plays) {
  std::map<Play, double> sum;
  for (const auto& [play, share] : plays) {
    Play merged = play;
    for (Step& step : merged) step.vc = 0;
    sum[merged] += share;
  }
  return sum;
}

/// Only plays of `expected`, each with its probability, within five standard deviations.
void expect_alike(const std::map<Play, double>& expected, const std::map<Play, double>& taken) {
  for (const auto& [play, share] : expected) {
    const auto found = taken.find(play);
    const double times = found == taken.end() ? 0 : found->second;
    EXPECT_NEAR(times, share * runs, 5 * std::sqrt(share * runs) + 3) << text(play);
  }
}

void compare(const Engine& engine, const RoutingRelation& relation, const FaultSet& dead, TerminalId source,
             TerminalId destination, const std::map<Play, double>& expected) {
  const ListedPackets pattern(relation.topology(),
                              {{source, {.time = 0, .destination = destination, .flits = 1}}});
  for (const std::string_view selection : {"random", "any-free"}) {
    SCOPED_TRACE(testing::Message() << engine.name << ", " << selection);
    const std::map<Play, double> taken = plays_taken(engine, relation, dead, pattern, selection);
    for (const auto& [play, times] : taken)
      ASSERT_TRUE(expected.contains(play)) << "not an admissible play:" << text(play);
    // A wormhole switch gives out the virtual channels of an option in turn, so that the first packet gets
    // the first one; with any-free each virtual channel counts under cut-through switching.
    if (engine.switching == Switching::wormhole && relation.reads_held_channel()) continue;
    if (selection == "random") expect_alike(without_vcs(expected), without_vcs(taken));
    const bool by_vc = engine.switching == Switching::cut_through;
    const auto seen = by_vc ? taken : without_vcs(taken);
    for (const auto& [play, share] : by_vc ? expected : without_vcs(expected))
      if (share > 0.05) {
        EXPECT_TRUE(seen.contains(play)) << "a play that is never taken:" << text(play);
      }
  }
}

TEST(Plays, OfPacketsAloneAreTheAdmissibleOnesInEveryEngine) {
  std::size_t compared = 0, with_choices = 0, on_one_channel = 0;
  for (std::uint64_t seed = 1; compared < effort(40U, 5U); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const RandomRelation relation(seed);
    const TerminalId source(0), destination(1);
    const FaultSet none(relation.topology());
    const auto plays = Plays(relation, destination, none).of(source);
    if (!plays || (plays->size() < 2 && seed % 8 != 0)) continue;
    ++compared;
    with_choices += plays->size() > 1 ? 1 : 0;
    RouteOptions options;
    relation.inject(source, destination, options);
    options = lowest(options);
    for (std::size_t i = 1; i < options.size(); ++i)
      on_one_channel += options[i].channel == options[0].channel && options[i].tag != options[0].tag ? 1 : 0;
    for (const Engine& engine : engines) compare(engine, relation, none, source, destination, *plays);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(with_choices, effort(20U, 2U));
  EXPECT_GT(on_one_channel, effort(5U, 0U));
}

FaultSet some_dead(const Topology& topology, std::uint64_t seed) {
  RandomStream random(seed, 1);
  FaultSet dead(topology);
  for (std::uint32_t i = 1 + random.next_below(2); i != 0; --i)
    dead.fail(ChannelId(random.next_below(static_cast<std::uint32_t>(topology.channel_count()))));
  return dead;
}

/// What switches and sources rule out has its own oracle (differential/knowledge_test.cpp); here engines must
/// take only the remaining options, and lose a packet that takes a dead channel.
TEST(Plays, WithDeadChannelsAreTheAdmissibleOnesOfAnyKnowledge) {
  std::size_t compared = 0, lose_some = 0;
  std::map<std::string, std::size_t> by_knowledge;
  for (std::uint64_t seed = 1; compared < effort(90U, 18U); ++seed) {
    const auto healthy = std::make_shared<const RandomRelation>(seed);
    const FaultSet dead = some_dead(healthy->topology(), seed);
    for (const Knowledge knowledge : {Knowledge::none(), Knowledge::neighbours(), Knowledge::all()}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", knowledge " << to_string(knowledge));
      const RelationPtr relation = admissible_relation(healthy, {dead, knowledge, SourceRole::any});
      const TerminalId source(0), destination(1);
      Plays walked(*relation, destination, dead);
      const auto plays = walked.of(source);
      if (!plays || plays->size() < 2) continue;
      ++compared;
      ++by_knowledge[to_string(knowledge)];
      lose_some += walked.lose_and_arrive() ? 1 : 0;
      for (const Engine& engine : engines) compare(engine, *relation, dead, source, destination, *plays);
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(lose_some, effort(3U, 0U));
  for (const auto& [knowledge, count] : by_knowledge) EXPECT_GT(count, effort(5U, 0U)) << knowledge;
}

/// Switches 0 and 1 with a terminal each; a packet that is to leave the network at 1 may go round by 0
/// instead.
class Roundabout final : public RoutingRelation {
 public:
  Roundabout() : RoutingRelation(network()) {}
  void route(const RouteState& state, RouteOptions& options) const override {
    for (const ChannelId channel : topology().outputs(state.at))
      if (topology().role(channel) == ChannelRole::network ||
          topology().terminal(channel) == state.destination)
        options.push_back({.channel = channel});
  }

 private:
  static TopologyPtr network() {
    TopologyBuilder builder;
    for (std::uint32_t i = 0; i < 2; ++i) builder.add_switch({i, 0});
    for (std::uint32_t i = 0; i < 2; ++i) {
      builder.connect({SwitchId(i), 0}, {SwitchId(1 - i), 0});
      const TerminalId terminal = builder.add_terminal();
      builder.connect_injection(terminal, {SwitchId(i), 1});
      builder.connect_ejection({SwitchId(i), 1}, terminal);
    }
    return std::make_shared<const Topology>(std::move(builder).build("roundabout", "none"));
  }
};

TEST(Plays, APacketThatComesToASwitchAgainDrawsAgain) {
  const Roundabout relation;
  const FaultSet none(relation.topology());
  const ListedPackets pattern(relation.topology(),
                              {{TerminalId(0), {.time = 0, .destination = TerminalId(1), .flits = 1}}});
  for (const Engine& engine : engines) {
    SCOPED_TRACE(engine.name);
    SimulationSpec spec;
    spec.switches = switches_of(engine.switching);
    spec.measurement.cycles = 1000;
    spec.measurement.warmup = 0;
    spec.selection = testing_support::selection("random");
    std::map<std::uint64_t, double>
        rounds;  // of two hops each: geometric, half of the packets leave each time
    for (spec.seed = 1; spec.seed <= runs; ++spec.seed) {
      const Observed observed(relation, none);
      ASSERT_EQ(engine.run(observed, pattern, resolved(spec, pattern)).delivered, 1U);
      ++rounds[(observed.play().size() - 2) / 2];
    }
    double share = 0.5;
    for (std::uint64_t round = 0; round < 4; ++round, share /= 2)
      EXPECT_NEAR(rounds[round], share * runs, 5 * std::sqrt(share * runs)) << round << " rounds";
  }
}

}  // namespace
}  // namespace faultline
