// SPDX-License-Identifier: Apache-2.0
// Escapes under wormhole switching, of random relations that have one: the verdict against extended
// dependencies counted packet by packet, the certificate checker, and long packets that move at random.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "faultline/topology/builder.h"
#include "support/effort.h"
#include "support/weekly_seed.h"
#include "verify/examples.h"
#include "verify/random_plays.h"

namespace faultline {
namespace {

/// A random tree of switches with more links. The escape is virtual channel 0 of the tree's path; any other
/// hop, also one beside ejection, may be adaptive.
class RandomEscape final : public RoutingRelation {
 public:
  explicit RandomEscape(std::uint64_t seed) : RandomEscape(seed, RandomStream(seed, 0)) {}

  void route(const RouteState& state, RouteOptions& options) const override {
    const bool stays = keeps_to_escape_ && came_by_escape(state);
    RandomStream random(seed_, mix(state.at.value(), state.destination.value(), stays ? 1 : 0));
    for (const ChannelId channel : topology().outputs(state.at)) {
      const bool ejects = topology().role(channel) == ChannelRole::ejection;
      if (ejects && topology().terminal(channel) != state.destination) continue;
      if (ejects || leads(channel, state.destination)) {
        if (random.next_below(100) >= closed_) options.push_back({.channel = channel});
      } else if (!stays && random.next_below(100) < adaptive_) {
        options.push_back({.channel = channel, .vcs = random.next_below(100) < mixed_ ? 0b11U : 0b10U});
      }
    }
  }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return 2; }
  [[nodiscard]] bool reads_held_channel() const override { return keeps_to_escape_; }
  [[nodiscard]] bool is_escape(const RouteState& state, const RouteOption& option,
                               std::uint8_t vc) const override {
    return vc == 0 && leads(option.channel, state.destination);
  }
  [[nodiscard]] bool relies_on_escape() const override { return true; }

 private:
  RandomEscape(std::uint64_t seed, RandomStream random)
      : RoutingRelation(network(random)),
        seed_(seed),
        adaptive_(10 + random.next_below(50)),
        mixed_(random.next_below(3) == 0 ? 10 : 0),
        closed_(random.next_below(4) == 0 ? 3 : 0),
        keeps_to_escape_(random.next_below(3) == 0) {}

  static std::uint64_t mix(std::uint64_t a, std::uint64_t b, std::uint64_t c) { return a << 32 | b << 1 | c; }

  /// Links of the tree, both channels, come first; the parent of switch i is one before it.
  static TopologyPtr network(RandomStream& random) {
    TopologyBuilder builder;
    const std::uint32_t count = 2 + random.next_below(4);
    std::vector<SwitchId> at;
    std::vector<std::uint32_t> outputs(count), inputs(count);
    for (std::uint32_t i = 0; i < count; ++i) at.push_back(builder.add_switch({}));
    const auto out = [&](std::uint32_t from) { return Port{at[from], outputs[from]++}; };
    const auto in = [&](std::uint32_t to) { return Port{at[to], inputs[to]++}; };
    const auto link = [&](std::uint32_t a, std::uint32_t b) {
      builder.connect(out(a), in(b));
      builder.connect(out(b), in(a));
    };
    for (std::uint32_t i = 1; i < count; ++i) link(i, random.next_below(i));
    for (std::uint32_t more = random.next_below(count + 1); more != 0; --more) {
      const std::uint32_t a = random.next_below(count);
      link(a, (a + 1 + random.next_below(count - 1)) % count);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      const TerminalId terminal = builder.add_terminal();
      builder.connect_injection(terminal, in(i));
      builder.connect_ejection(out(i), terminal);
    }
    return std::make_shared<const Topology>(std::move(builder).build("tree-and-more", "none"));
  }

  [[nodiscard]] bool of_tree(ChannelId channel) const {
    return topology().role(channel) == ChannelRole::network &&
           channel.index() < 2 * (topology().switch_count() - 1);
  }
  [[nodiscard]] bool came_by_escape(const RouteState& state) const {
    return state.vc == 0 && of_tree(state.held);
  }
  /// On the tree's path to the destination.
  [[nodiscard]] bool leads(ChannelId channel, TerminalId destination) const {
    if (!of_tree(channel)) return false;
    const SwitchId home = topology().source(topology().ejection(destination).front());
    const SwitchId from = topology().source(channel), to = topology().target(channel);
    const bool goes_down = from.value() < to.value();
    return goes_down ? is_in_subtree(home, to) : !is_in_subtree(home, from);
  }
  [[nodiscard]] bool is_in_subtree(SwitchId one, SwitchId root) const {
    while (one.value() > root.value())  // channel 2(i - 1) leads from switch i to its parent
      one = topology().target(ChannelId(2 * (one.value() - 1)));
    return one == root;
  }

  std::uint64_t seed_;
  std::uint32_t adaptive_, mixed_, closed_;
  bool keeps_to_escape_;
};

/// By plain search from every buffer that a packet may hold.
class ExtendedDependenciesByPacket {
 public:
  explicit ExtendedDependenciesByPacket(const RoutingRelation& relation) : relation_(relation) {
    for (const TerminalId destination : relation.topology().terminals()) walk(destination);
  }

  [[nodiscard]] bool all_have_an_escape() const { return open_; }
  [[nodiscard]] bool direct_ones_are_acyclic() const { return acyclic(direct_); }
  [[nodiscard]] bool extended_ones_are_acyclic() const {
    std::map<Buffer, std::set<Buffer>> extended;
    for (const auto& [held, asked] : asked_)
      if (escapes_.contains(held)) extended[held] = asked;
    return acyclic(extended);
  }

 private:
  using Buffer = std::pair<std::uint32_t, std::uint8_t>;  // channel, virtual channel
  struct Move {
    Buffer to;
    bool escape;
  };

  void walk(TerminalId destination) {
    std::map<Buffer, std::vector<Move>> moves;
    std::vector<Buffer> todo;
    for (const TerminalId source : relation_.topology().terminals())
      if (source != destination) todo.emplace_back(relation_.topology().injection(source).front().value(), 0);
    while (!todo.empty()) {
      const Buffer held = todo.back();
      todo.pop_back();
      if (moves.contains(held)) continue;
      moves[held] = moves_from(held, destination);
      for (const Move& move : moves[held]) {
        todo.push_back(move.to);
        direct_[held].insert(move.to);
        if (move.escape) escapes_.insert(move.to);
      }
    }
    for (const auto& entry : moves) {
      std::set<Buffer> seen;
      ask(moves, entry.first, seen, asked_[entry.first]);
    }
  }

  std::vector<Move> moves_from(const Buffer& held, TerminalId destination) {
    const ChannelId channel(held.first);
    const RouteState state{relation_.topology().target(channel), destination, channel, held.second, 0};
    RouteOptions options;
    relation_.route(state, options);
    std::vector<Move> moves;
    bool open = options.empty();
    for (const RouteOption& option : options)
      for (std::uint8_t vc = 0; vc < relation_.virtual_channels(); ++vc) {
        if ((option.vcs >> vc & 1) == 0) continue;
        const bool ejects = relation_.topology().role(option.channel) == ChannelRole::ejection;
        const bool escape = ejects || relation_.is_escape(state, option, vc);
        open = open || escape;
        if (!ejects) moves.push_back({{option.channel.value(), vc}, escape});
      }
    open_ = open_ && open;
    return moves;
  }

  static void ask(const std::map<Buffer, std::vector<Move>>& moves, const Buffer& held,
                  std::set<Buffer>& seen, std::set<Buffer>& asked) {
    if (!seen.insert(held).second) return;
    for (const Move& move : moves.at(held))
      if (move.escape)
        asked.insert(move.to);
      else
        ask(moves, move.to, seen, asked);
  }

  /// Takes away what nothing leads out of, until nothing more can be.
  static bool acyclic(std::map<Buffer, std::set<Buffer>> graph) {
    const auto ends = [&](const auto& entry) {
      return std::ranges::none_of(entry.second, [&](const Buffer& next) { return graph.contains(next); });
    };
    while (std::erase_if(graph, ends) != 0) {
    }
    return graph.empty();
  }

  const RoutingRelation& relation_;
  std::map<Buffer, std::set<Buffer>> direct_;  ///< by held buffer: what a packet may ask for next
  std::map<Buffer, std::set<Buffer>> asked_;   ///< the escapes there and after adaptive hops
  std::set<Buffer> escapes_;                   ///< some packet may take it as an escape
  bool open_ = true;
};

/// The verdict, which the checker accepts unless nothing is proved.
Verdict certified(const std::shared_ptr<const RandomEscape>& relation, const VerifySpec& spec) {
  const FaultSet none(relation->topology());
  Verdict verdict = verify(*relation, none, spec);
  if (verdict.method != DeadlockMethod::unproved) {
    EXPECT_EQ(rejection(certificate_text(
                  relation, {none, Knowledge::none()}, verdict,
                  {.switching = spec.switching, .selection_commits = spec.selection_commits})),
              "");
  }
  return verdict;
}

TEST(EscapeUnderWormhole, IsProvedWhereExtendedDependenciesAreAcyclicAndOnlyThere) {
  const std::uint64_t seed = weekly_seed();
  int proved = 0, refused = 0, refused_in_play = 0;
  for (std::uint64_t i = 0; i < effort(600U, 250U); ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed + i));
    const auto relation = std::make_shared<const RandomEscape>(seed + i);
    const FaultSet none(relation->topology());
    const ExtendedDependenciesByPacket counted(*relation);
    const Verdict verdict = certified(relation, {.switching = Switching::wormhole});
    if (counted.direct_ones_are_acyclic()) {
      ASSERT_EQ(to_string(verdict.method), "acyclic-dependencies");
      continue;
    }
    const bool expected = counted.all_have_an_escape() && counted.extended_ones_are_acyclic();
    ASSERT_EQ(verdict.method == DeadlockMethod::escape, expected) << to_string(verdict.method);
    const bool plays = RandomPlays(*relation, none, {.longest = 6}).deadlock(effort(60, 20));
    ASSERT_FALSE(expected && plays);
    ++(expected ? proved : refused);
    refused_in_play += plays ? 1 : 0;
  }
  EXPECT_GT(proved, 20);
  EXPECT_GT(refused, 20);
  EXPECT_GT(refused_in_play, 5);
}

TEST(EscapeUnderWormhole, IsNoneForPacketsThatCommitToAnotherOption) {
  const std::uint64_t seed = weekly_seed();
  int shown = 0, found_in_play = 0;
  for (std::uint64_t i = 0; i < effort(200U, 50U); ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed + i));
    const auto relation = std::make_shared<const RandomEscape>(seed + i);
    const FaultSet none(relation->topology());
    if (verify(*relation, none, {.switching = Switching::wormhole}).method != DeadlockMethod::escape)
      continue;
    const Verdict verdict =
        certified(relation, {.switching = Switching::wormhole, .selection_commits = true});
    const bool plays = RandomPlays(*relation, none, {.commits = true, .longest = 6}).deadlock(effort(60, 20));
    ASSERT_FALSE(verdict.deadlock_free && plays);
    if (verdict.method != DeadlockMethod::deadlock) continue;
    ++shown;
    found_in_play += plays ? 1 : 0;
  }
  EXPECT_GT(shown, 5);
  EXPECT_GT(found_in_play, 2);
}

}  // namespace
}  // namespace faultline
