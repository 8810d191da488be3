// SPDX-License-Identifier: Apache-2.0
#include "faultline/simulate/ideal.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include "faultline/routing/admissible.h"
#include "faultline/routing/contract.h"
#include "faultline/routing/states.h"

namespace faultline {
namespace {

/// The flow of all packets towards one destination, hop by hop: a chain of states whose steps are equally
/// likely.
class DestinationFlow {
 public:
  DestinationFlow(const RoutingRelation& relation, TerminalId destination, std::vector<double>& loads)
      : relation_(relation), contract_(relation), destination_(destination), loads_(loads) {}

  void inject(TerminalId source, double flow) {
    options_.clear();
    contract_.inject(source, destination_, options_);
    send(flow, steps());
  }

  /// Ends for relations whose packets may turn for ever as well: what still moves then is less than what
  /// counts.
  void run() {
    constexpr int most_hops = 10'000;
    for (int hop = 0; hop < most_hops && !reached_.empty(); ++hop) {
      const std::vector<std::uint32_t> now = std::exchange(reached_, {});
      for (const std::uint32_t state : now) {
        const double flow = std::exchange(states_[state].flow, 0);
        if (!states_[state].expanded) expand(state);
        send(flow, std::vector<Step>(states_[state].steps));
      }
    }
  }

 private:
  static constexpr double negligible = 1e-12;
  static constexpr std::uint32_t ejected = ~std::uint32_t{0};
  struct Step {
    ChannelId channel;
    std::uint32_t next = ejected;
    double share = 0;
  };
  struct State {
    RouteState at;
    double flow = 0;  ///< not yet sent on
    bool expanded = false;
    std::vector<Step> steps;
  };

  void expand(std::uint32_t state) {
    options_.clear();
    contract_.route(states_[state].at, options_);
    std::vector<Step> found = steps();
    states_[state].steps = std::move(found);
    states_[state].expanded = true;
  }

  /// The lowest tier of options_: every channel with the same share, which its virtual channels divide.
  std::vector<Step> steps() {
    if (options_.empty()) return {};
    keep_lowest_tier(options_);
    std::unordered_map<std::uint32_t, double> ways;  // by channel
    for (const RouteOption& option : options_) ways[option.channel.value()] += std::popcount(option.vcs);
    std::vector<Step> found;
    for (const RouteOption& option : options_) {
      const double share = 1 / (static_cast<double>(ways.size()) * ways[option.channel.value()]);
      for_each_vc(option.vcs, [&](std::uint8_t vc) {
        found.push_back({option.channel, state_after(option, vc), share});
      });
    }
    return found;
  }

  std::uint32_t state_after(const RouteOption& option, std::uint8_t vc) {
    const Topology& topology = relation_.topology();
    if (topology.kind(option.channel) == ChannelKind::ejection) return ejected;
    const auto [entry, is_new] =
        index_.emplace(key_after(relation_, option, vc), static_cast<std::uint32_t>(states_.size()));
    if (is_new)
      states_.push_back(
          {{topology.target(option.channel), destination_, option.channel, vc, option.tag}, 0, false, {}});
    return entry->second;
  }

  void send(double flow, const std::vector<Step>& along) {
    for (const Step& step : along) {
      loads_[step.channel.index()] += flow * step.share;
      if (step.next == ejected || flow * step.share < negligible) continue;
      if (states_[step.next].flow == 0) reached_.push_back(step.next);
      states_[step.next].flow += flow * step.share;
    }
  }

  const RoutingRelation& relation_;
  Contract contract_;
  TerminalId destination_;
  std::vector<double>& loads_;
  std::vector<State> states_;
  std::unordered_map<StateKey, std::uint32_t, StateKeyHash> index_;
  std::vector<std::uint32_t> reached_;
  RouteOptions options_;
};

std::vector<TerminalId> talking(const Topology& topology, const TrafficPattern& pattern) {
  std::vector<TerminalId> sources;
  for (const TerminalId source : topology.terminals())
    if (!pattern.silent(source)) sources.push_back(source);
  return sources;
}

bool is_cheap(const Topology& topology, const TrafficPattern& pattern,
              const std::vector<TerminalId>& sources) {
  constexpr std::size_t most_terminals = 4096, most_pairs = std::size_t{1} << 20;
  if (topology.terminal_count() > most_terminals) return false;
  std::size_t pairs = 0;
  for (const TerminalId source : sources)
    for (const TerminalId destination : topology.terminals())
      if (pattern.share(source, destination) > 0 && ++pairs > most_pairs) return false;
  return true;
}

}  // namespace

std::vector<double> expected_channel_loads(const RoutingRelation& relation, const TrafficPattern& pattern) {
  const Topology& topology = relation.topology();
  const std::vector<TerminalId> sources = talking(topology, pattern);
  std::vector<double> loads(topology.channel_count());
  for (const TerminalId destination : topology.terminals()) {
    DestinationFlow flow(relation, destination, loads);
    for (const TerminalId source : sources)
      if (const double share = pattern.share(source, destination); share > 0) flow.inject(source, share);
    flow.run();
  }
  return loads;
}

std::optional<double> ideal_busiest_load(const RoutingRelation& relation, const TrafficPattern& pattern) {
  const Topology& topology = relation.topology();
  const std::vector<TerminalId> sources = talking(topology, pattern);
  if (pattern.trace() != nullptr || sources.empty() || !is_cheap(topology, pattern, sources))
    return std::nullopt;
  const double busiest = std::ranges::max(expected_channel_loads(relation, pattern));
  return busiest > 0 ? std::optional(busiest) : std::nullopt;
}

std::optional<double> ideal_throughput(const RoutingRelation& relation, const TrafficPattern& pattern) {
  const std::optional<double> busiest = ideal_busiest_load(relation, pattern);
  if (!busiest) return std::nullopt;
  const Topology& topology = relation.topology();
  return static_cast<double>(talking(topology, pattern).size()) /
         static_cast<double>(topology.terminal_count()) / *busiest;
}

}  // namespace faultline
