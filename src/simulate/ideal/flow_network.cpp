// SPDX-License-Identifier: Apache-2.0
#include "simulate/ideal/flow_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include "faultline/base/error.h"
#include "faultline/routing/admissible.h"
#include "faultline/routing/contract.h"
#include "faultline/routing/state_numbers.h"

namespace faultline {
namespace {

class Builder {
 public:
  Builder(const RoutingRelation& relation, TerminalId destination, AdmittedTiers tiers)
      : relation_(relation),
        contract_(relation),
        destination_(destination),
        tiers_(tiers),
        by_vc_(relation.reads_held_channel()),
        numbers_(relation) {}

  FlowNetwork build(const TrafficPattern& pattern, std::span<const TerminalId> sources) && {
    std::vector<TerminalId> senders;
    for (const TerminalId source : sources)
      if (const double share = share_of(pattern, relation_.topology(), source, destination_); share > 0) {
        senders.push_back(source);
        network_.demands.push_back(share);
      }
    first_state_ = static_cast<std::uint32_t>(senders.size());
    network_.offsets.push_back(0);
    for (const TerminalId source : senders) {
      options_.clear();
      contract_.inject_spot_checked(source, destination_, options_);
      append_arcs(tiers_ != AdmittedTiers::lowest);
    }
    for (std::size_t state = 0; state < states_.size(); ++state) {
      options_.clear();
      const RouteState here = states_[state];
      contract_.route_spot_checked(state, here, options_);
      append_arcs(tiers_ == AdmittedTiers::every);
    }
    order();
    return std::move(network_);
  }

 private:
  /// Every channel of the lowest tier with the same share, which its virtual channels divide; those of higher
  /// tiers with none.
  void append_arcs(bool of_every_tier) {
    if (!of_every_tier) keep_lowest_tier(options_);
    const auto lowest = options_.empty() ? 0 : std::ranges::min(options_, {}, &RouteOption::tier).tier;
    ways_.clear();
    for (const RouteOption& option : options_) {
      if (option.tier != lowest) continue;
      const auto found = std::ranges::find(ways_, option.channel, &Ways::channel);
      Ways& ways = found == ways_.end() ? ways_.emplace_back(Ways{option.channel, 0}) : *found;
      ways.count += std::popcount(option.vcs);
    }
    const std::size_t begin = network_.arcs.size();
    for (const RouteOption& option : options_) {
      const double share = option.tier == lowest ? share_of_vc(option.channel) : 0;
      std::uint32_t node = node_after(option, first_vc(option));
      for_each_vc(option.vcs, [&](std::uint8_t vc) {
        if (by_vc_) node = node_after(option, vc);
        append_arc(begin, {option.channel.value(), node, share});
      });
    }
    network_.offsets.push_back(static_cast<std::uint32_t>(network_.arcs.size()));
  }
  [[nodiscard]] double share_of_vc(ChannelId channel) const {
    const int count = std::ranges::find(ways_, channel, &Ways::channel)->count;
    return 1 / (static_cast<double>(ways_.size()) * count);
  }

  /// Virtual channels that lead to the same node are one arc.
  void append_arc(std::size_t begin, const FlowNetwork::Arc& arc) {
    for (std::size_t i = begin; i < network_.arcs.size(); ++i)
      if (network_.arcs[i].channel == arc.channel && network_.arcs[i].next == arc.next) {
        network_.arcs[i].share += arc.share;
        return;
      }
    network_.arcs.push_back(arc);
  }

  std::uint32_t node_after(const RouteOption& option, std::uint8_t vc) {
    const Topology& topology = relation_.topology();
    if (topology.role(option.channel) == ChannelRole::ejection) return FlowNetwork::arrived;
    const auto next = first_state_ + static_cast<std::uint32_t>(states_.size());
    const std::uint32_t known = numbers_.find_or_add(key_after(relation_, option, vc), next);
    if (known != StateNumbers::none) return known;
    states_.push_back({topology.target(option.channel), destination_, option.channel, vc, option.tag});
    return next;
  }

  /// Depth-first: a node is done after all that it leads to.
  void order() {
    enum class Mark : std::uint8_t { fresh, open, done };
    struct Visit {
      std::uint32_t node, next_arc;
    };
    std::vector<Mark> marks(network_.node_count(), Mark::fresh);
    std::vector<Visit> stack;
    for (std::uint32_t root = 0; root < network_.node_count(); ++root) {
      if (marks[root] == Mark::fresh) stack.push_back({root, network_.offsets[root]});
      while (!stack.empty()) {
        Visit& top = stack.back();
        marks[top.node] = Mark::open;
        if (top.next_arc == network_.offsets[top.node + 1]) {
          marks[top.node] = Mark::done;
          network_.nearest_first.push_back(top.node);
          stack.pop_back();
          continue;
        }
        const std::uint32_t next = network_.arcs[top.next_arc++].next;
        if (next == FlowNetwork::arrived) continue;
        if (marks[next] == Mark::open) network_.is_acyclic = false;
        if (marks[next] == Mark::fresh) stack.push_back({next, network_.offsets[next]});
      }
    }
  }

  struct Ways {
    ChannelId channel;
    int count;
  };
  const RoutingRelation& relation_;
  Contract contract_;
  TerminalId destination_;
  AdmittedTiers tiers_;
  bool by_vc_;  ///< each virtual channel of an option leads to a node of its own
  FlowNetwork network_;
  std::uint32_t first_state_ = 0;
  std::vector<RouteState> states_;
  StateNumbers numbers_;
  RouteOptions options_;
  std::vector<Ways> ways_;
};

/// Flow that goes in circles has no bound: every channel that it leads on to.
void make_endless(const FlowNetwork& network, std::span<const double> flows, std::vector<double>& loads) {
  for (std::uint32_t node = 0; node < network.node_count(); ++node)
    for (std::uint32_t a = network.offsets[node]; flows[node] > 0 && a < network.offsets[node + 1]; ++a)
      loads[network.arcs[a].channel] = std::numeric_limits<double>::infinity();
}

template <class ShareOf>
double spread_by(const FlowNetwork& network, std::vector<double>& loads, ShareOf share_of) {
  constexpr int max_passes = 10'000;
  constexpr double negligible = 1e-12;
  std::vector<double> flows(network.node_count());
  std::ranges::copy(network.demands, flows.begin());
  const auto left = [&] { return std::accumulate(flows.begin(), flows.end(), 0.0); };
  double arrived = 0, left_half_way = 0;
  bool moved = true;
  for (int pass = 0; moved && pass < max_passes; ++pass) {
    if (pass == max_passes / 2) left_half_way = left();
    moved = false;
    for (auto node = network.nearest_first.rbegin(); node != network.nearest_first.rend(); ++node) {
      const double flow = std::exchange(flows[*node], 0);
      if (flow < negligible) continue;
      for (std::uint32_t a = network.offsets[*node]; a < network.offsets[*node + 1]; ++a) {
        const FlowNetwork::Arc& arc = network.arcs[a];
        const double sent = flow * share_of(a);
        loads[arc.channel] += sent;
        (arc.next == FlowNetwork::arrived ? arrived : flows[arc.next]) += sent;
      }
      moved = true;
    }
    if (network.is_acyclic) return arrived;
  }
  if (moved && left() > 0.999 * left_half_way) make_endless(network, flows, loads);
  return arrived;
}

struct ShortestPaths {
  std::vector<double> distances;     ///< by node: to the destination
  std::vector<std::uint32_t> first;  ///< by node: the arc that begins the path
};

/// One pass if no arc leads back, else until nothing changes (Bellman and Ford).
ShortestPaths shortest_paths(const FlowNetwork& network, std::span<const double> lengths) {
  constexpr double never = std::numeric_limits<double>::infinity();
  ShortestPaths paths{std::vector<double>(network.node_count(), never),
                      std::vector<std::uint32_t>(network.node_count())};
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::uint32_t node : network.nearest_first)
      for (std::uint32_t a = network.offsets[node]; a < network.offsets[node + 1]; ++a) {
        const FlowNetwork::Arc& arc = network.arcs[a];
        const double beyond = arc.next == FlowNetwork::arrived ? 0 : paths.distances[arc.next];
        if (const double distance = lengths[arc.channel] + beyond; distance < paths.distances[node]) {
          paths.distances[node] = distance;
          paths.first[node] = a;
          changed = true;
        }
      }
    if (network.is_acyclic) break;
  }
  return paths;
}

}  // namespace

double share_of(const TrafficPattern& pattern, const Topology& topology, TerminalId source,
                TerminalId destination) {
  constexpr double rounding = 1e-9;
  const double share = pattern.share(source, destination);
  if (!(share >= 0 && share <= 1 + rounding))
    throw Error(
        "traffic",
        fmt::format("a share of {} from {} to {}", share, topology.name(source), topology.name(destination)),
        "must be a fraction of the source's packets, from 0 to 1");
  return share;
}

FlowNetwork flow_network(const RoutingRelation& relation, const TrafficPattern& pattern,
                         std::span<const TerminalId> sources, TerminalId destination, AdmittedTiers tiers) {
  return Builder(relation, destination, tiers).build(pattern, sources);
}

double spread(const FlowNetwork& network, std::span<const double> shares, std::vector<double>& loads) {
  return spread_by(network, loads, [&](std::uint32_t arc) { return shares[arc]; });
}

double spread_evenly(const FlowNetwork& network, std::vector<double>& loads) {
  return spread_by(network, loads, [&](std::uint32_t arc) { return network.arcs[arc].share; });
}

std::vector<double> distances(const FlowNetwork& network, std::span<const double> lengths) {
  return shortest_paths(network, lengths).distances;
}

Sent send_shortest(const FlowNetwork& network, std::span<const double> lengths, std::vector<double>& loads) {
  const ShortestPaths paths = shortest_paths(network, lengths);
  std::vector<std::uint32_t> farthest_first(network.nearest_first.rbegin(), network.nearest_first.rend());
  if (!network.is_acyclic)
    std::ranges::stable_sort(farthest_first, std::greater(),
                             [&](std::uint32_t node) { return paths.distances[node]; });
  std::vector<double> flows(network.node_count());
  std::ranges::copy(network.demands, flows.begin());
  Sent sent;
  for (const std::uint32_t node : farthest_first) {
    if (flows[node] == 0 || paths.distances[node] == std::numeric_limits<double>::infinity()) continue;
    if (node < network.demands.size()) {
      sent.flow += flows[node];
      sent.cost += flows[node] * paths.distances[node];
    }
    const FlowNetwork::Arc& arc = network.arcs[paths.first[node]];
    loads[arc.channel] += flows[node];
    if (arc.next != FlowNetwork::arrived) flows[arc.next] += flows[node];
  }
  return sent;
}

}  // namespace faultline
