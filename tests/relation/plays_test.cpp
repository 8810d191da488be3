// SPDX-License-Identifier: Apache-2.0
// What packets do that are alone in a network, against all that they may do: walked by brute force over a random
// relation's answers, with no code of the library but the relation itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "simulate/cut_through/model.h"
#include "support/random_relation.h"
#include "support/wormhole_support.h"

namespace faultline {
namespace {

using testing_support::OnePair;
using testing_support::RandomRelation;

/// A packet's head where it is asked for its next channel.
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

/// Every play of a pair, with its probability when every option has the same, and every virtual channel of it.
class Plays {
 public:
  Plays(const RoutingRelation& relation, TerminalId destination)
      : relation_(relation), destination_(destination) {}

  /// Nothing where a packet may get stuck or take more than a few hops.
  std::optional<std::map<Play, double>> of(TerminalId source) {
    RouteOptions options;
    relation_.inject(source, destination_, options);
    Play play;
    if (options.empty() || !follow(lowest(options), play, 1)) return std::nullopt;
    return plays_;
  }

 private:
  static constexpr std::size_t most_hops = 7, most_plays = 200;

  bool follow(const RouteOptions& options, Play& play, double probability) {
    // Two plays of one step each in a row could not be told from one of which the engine asks twice.
    const auto ejects = [&](const RouteOption& option) {
      return relation_.topology().kind(option.channel) == ChannelKind::ejection;
    };
    if (play.size() == 1 && std::ranges::any_of(options, ejects)) return false;
    if (options.empty() || play.size() > most_hops || plays_.size() > most_plays) return false;
    for (const RouteOption& option : options) {
      const double share = probability / static_cast<double>(options.size());
      if (relation_.topology().kind(option.channel) == ChannelKind::ejection) {
        plays_[play] += share;
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
  std::map<Play, double> plays_;
};

/// Notes the states in which it is asked. A play starts where a packet holds an injection channel.
class Observed final : public RoutingRelation {
 public:
  explicit Observed(const RoutingRelation& relation)
      : RoutingRelation(relation.shared_topology()), relation_(relation) {}
  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    relation_.inject(source, destination, options);
  }
  void route(const RouteState& state, RouteOptions& options) const override {
    relation_.route(state, options);
    const Step step{state.held.value(), state.vc, state.tag};
    if (!asked_.empty() && !asked_.back().empty() && asked_.back().back() == step) return;  // asked again
    if (topology().kind(state.held) == ChannelKind::injection) asked_.emplace_back();
    asked_.back().push_back(step);
  }
  [[nodiscard]] std::uint64_t tag_count() const override { return relation_.tag_count(); }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return relation_.virtual_channels(); }
  [[nodiscard]] bool reads_held_channel() const override { return true; }  // asked with what is held

  [[nodiscard]] const std::vector<Play>& plays() const { return asked_; }

 private:
  const RoutingRelation& relation_;
  mutable std::vector<Play> asked_;
};

using Run = void (*)(const RoutingRelation&, const TrafficPattern&, const SimulationSpec&);

struct Engine {
  const char* name;
  Switching switching;
  Run run;
};

constexpr Engine engines[] = {
    {"event-driven", Switching::cut_through,
     [](const auto& relation, const auto& pattern, const auto& spec) {
       (void)cut_through::run_event_driven(relation, pattern, spec);
     }},
    {"cycle-driven", Switching::cut_through,
     [](const auto& relation, const auto& pattern, const auto& spec) {
       (void)cut_through::run_cycle_driven(relation, pattern, spec);
     }},
    {"plain wormhole", Switching::wormhole,
     [](const auto& relation, const auto& pattern, const auto& spec) {
       (void)wormhole::run_scalar(relation, pattern, spec);
     }},
};

constexpr std::uint32_t packets = 500;

/// Packets of one source, each alone.
SimulationSpec one_by_one(Switching switching, std::string_view selection, std::uint64_t seed) {
  SimulationSpec spec;
  spec.switching = switching;
  spec.packet_flits = 1;
  spec.injection = Injection::constant;
  spec.load = 1.0 / 80;  // more cycles than the longest play takes
  spec.cycles = packets * 80;
  spec.warmup = 0;
  spec.selection = testing_support::selection(selection);
  spec.seed = seed;
  return spec;
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

/// Of `expected`, only what has that share of the packets; and in that share, within five standard deviations.
void expect_alike(const std::map<Play, double>& expected, const std::map<Play, double>& seen, double count) {
  for (const auto& [play, times] : seen) ASSERT_TRUE(expected.contains(play)) << "a play that is not admissible";
  for (const auto& [play, share] : expected) {
    const auto found = seen.find(play);
    const double times = found == seen.end() ? 0 : found->second;
    EXPECT_NEAR(times, share * count, 5 * std::sqrt(share * count) + 3);
  }
}

void compare(const Engine& engine, const RoutingRelation& relation, TerminalId source, TerminalId destination,
             const std::map<Play, double>& expected, std::uint64_t seed) {
  const OnePair pattern(source, destination);
  for (const std::string_view selection : {"random", "any-free"}) {
    SCOPED_TRACE(testing::Message() << engine.name << ", " << selection);
    const Observed observed(relation);
    engine.run(observed, pattern, one_by_one(engine.switching, selection, seed));
    std::map<Play, double> seen;
    for (const Play& play : observed.plays()) ++seen[play];
    ASSERT_GE(observed.plays().size() + 2, packets);
    for (const auto& [play, times] : seen)
      ASSERT_TRUE(expected.contains(play)) << "a play that is not admissible";
    // Virtual channels of one option are given out in turns, and by any-free each counts.
    if (selection == "random" && !relation.reads_held_channel())
      expect_alike(without_vcs(expected), without_vcs(seen), static_cast<double>(observed.plays().size()));
    for (const auto& [play, share] : expected)
      if (share > 0.05) EXPECT_TRUE(seen.contains(play)) << "a play that is never taken";
  }
}

TEST(Plays, OfPacketsAloneAreTheAdmissibleOnesInEveryEngine) {
  std::size_t compared = 0, with_choices = 0, on_one_channel = 0;
  for (std::uint64_t seed = 1; compared < 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const RandomRelation relation(seed);
    const TerminalId source(0), destination(1);
    const auto plays = Plays(relation, destination).of(source);
    if (!plays || (plays->size() < 2 && seed % 8 != 0)) continue;
    ++compared;
    with_choices += plays->size() > 1 ? 1 : 0;
    RouteOptions options;
    relation.inject(source, destination, options);
    options = lowest(options);
    for (std::size_t i = 1; i < options.size(); ++i)
      on_one_channel += options[i].channel == options[0].channel && options[i].tag != options[0].tag ? 1 : 0;
    for (const Engine& engine : engines) compare(engine, relation, source, destination, *plays, seed);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(with_choices, 30U);
  EXPECT_GT(on_one_channel, 5U);
}

}  // namespace
}  // namespace faultline
