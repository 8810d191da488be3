// SPDX-License-Identifier: Apache-2.0
// Small random networks with arbitrary tabulated relations: several injection and ejection options, parallel
// channels, tags, tiers, virtual channels, held channels, dead ends and cycles.
#pragma once

#include <algorithm>
#include <map>
#include <memory>

#include "faultline/base/random.h"
#include "faultline/routing/states.h"
#include "faultline/topology/builder.h"

namespace faultline {

class TinyRelation final : public RoutingRelation {
 public:
  struct Shape {
    std::uint32_t vcs = 1;
    std::uint64_t tags = 1;
    bool held = false;
  };
  TinyRelation(TopologyPtr topology, Shape shape) : RoutingRelation(std::move(topology)), shape_(shape) {}

  using KeyOrder = std::tuple<std::uint32_t, std::uint32_t, std::uint8_t, Tag>;
  [[nodiscard]] static KeyOrder order(TerminalId destination, const StateKey& key) {
    return {destination.value(), key.at, key.vc, key.tag};
  }

  void inject(TerminalId source, TerminalId destination, RouteOptions& options) const override {
    append(injections, std::pair(source.value(), destination.value()), options);
  }
  void route(const RouteState& state, RouteOptions& options) const override {
    append(routes, order(state.destination, key_of(*this, state)), options);
  }
  [[nodiscard]] std::uint64_t tag_count() const override { return shape_.tags; }
  [[nodiscard]] std::uint32_t virtual_channels() const override { return shape_.vcs; }
  [[nodiscard]] bool reads_held_channel() const override { return shape_.held; }

  std::map<std::pair<std::uint32_t, std::uint32_t>, RouteOptions> injections;  ///< by source and destination
  std::map<KeyOrder, RouteOptions> routes;

 private:
  template <class Table, class Key>
  static void append(const Table& table, const Key& key, RouteOptions& options) {
    if (const auto found = table.find(key); found != table.end())
      options.insert(options.end(), found->second.begin(), found->second.end());
  }

  Shape shape_;
};

class TinyNetworks {
 public:
  explicit TinyNetworks(std::uint64_t seed) : random_(seed, 0x7117) {}

  [[nodiscard]] std::shared_ptr<const TinyRelation> draw(std::uint32_t max_switches = 4) {
    const bool held = chance(0.3);
    const TopologyPtr topology = network(held ? std::min(max_switches, 4U) : max_switches);
    const TinyRelation::Shape shape{1 + below(2), 1 + below(held ? 2 : 3), held};
    auto relation = std::make_shared<TinyRelation>(topology, shape);
    wild_ = below(60);
    max_tier_ = below(3);
    for (const TerminalId destination : topology->terminals()) add_routes(*relation, destination);
    return relation;
  }

  [[nodiscard]] FaultSet draw_dead(const Topology& topology) {
    FaultSet dead(topology);
    const std::uint32_t share = below(4) * 8;
    for (const ChannelId channel : topology.channels())
      if (below(100) < share) dead.fail(channel);
    return dead;
  }

 private:
  [[nodiscard]] std::uint32_t below(std::uint32_t bound) { return faultline::below(random_.next(), bound); }
  [[nodiscard]] bool chance(double share) { return below(1000) < share * 1000; }

  TopologyPtr network(std::uint32_t max_switches) {
    TopologyBuilder builder;
    const std::uint32_t switches = 3 + below(max_switches - 2);
    std::vector<SwitchId> at;
    for (std::uint32_t i = 0; i < switches; ++i) at.push_back(builder.add_switch({}));
    std::vector<std::uint32_t> outputs(switches), inputs(switches);
    const auto out = [&](std::uint32_t s) { return Port{at[s], outputs[s]++}; };
    const auto in = [&](std::uint32_t s) { return Port{at[s], inputs[s]++}; };
    for (std::uint32_t s = 0; s < switches; ++s) {
      if (chance(0.85)) builder.connect(out(s), in((s + 1) % switches));
      if (chance(0.5)) builder.connect(out((s + 1) % switches), in(s));
    }
    for (std::uint32_t extra = below(switches + 1); extra > 0; --extra) {
      const std::uint32_t from = below(switches);
      builder.connect(out(from), in((from + 1 + below(switches - 1)) % switches));
    }
    for (std::uint32_t s = 0; s < switches; ++s)
      for (std::uint32_t terminals = below(4) == 0 ? 0 : 1; terminals > 0; --terminals) {
        const TerminalId terminal = builder.add_terminal();
        for (std::uint32_t ways = 1 + below(3); ways > 0; --ways)
          builder.connect_injection(terminal, in(chance(0.7) ? s : below(switches)));
        for (std::uint32_t ways = 1 + below(2); ways > 0; --ways)
          builder.connect_ejection(out(chance(0.7) ? s : below(switches)), terminal);
      }
    return std::make_shared<const Topology>(std::move(builder).build("tiny", "none"));
  }

  RouteOption option(const TinyRelation& relation, ChannelId channel) {
    const bool ejects = relation.topology().role(channel) == ChannelRole::ejection;
    return {.channel = channel,
            .vcs = 1 + below((1U << relation.virtual_channels()) - 1),
            .tag = ejects ? 0 : below(static_cast<std::uint32_t>(relation.tag_count())),
            .tier = static_cast<std::uint8_t>(below(max_tier_ + 1))};
  }

  /// Hops from each switch to where `destination` is ejected.
  static std::vector<std::uint32_t> hops_to(const Topology& topology, TerminalId destination) {
    std::vector<std::uint32_t> hops(topology.switch_count(), 99);
    for (const ChannelId channel : topology.ejection(destination)) hops[topology.source(channel).index()] = 0;
    for (std::size_t round = 0; round < topology.switch_count(); ++round)
      for (const ChannelId channel : topology.channels())
        if (topology.role(channel) == ChannelRole::network) {
          std::uint32_t& here = hops[topology.source(channel).index()];
          here = std::min(here, hops[topology.target(channel).index()] + 1);
        }
    return hops;
  }

  void add_routes(TinyRelation& relation, TerminalId destination) {
    const Topology& topology = relation.topology();
    const auto hops = hops_to(topology, destination);
    std::vector<std::pair<StateKey, SwitchId>> todo;
    const auto lead_on = [&](const RouteOptions& options) {
      for (const RouteOption& one : options)
        if (topology.role(one.channel) != ChannelRole::ejection)
          for_each_vc(one.vcs, [&](std::uint8_t vc) {
            todo.emplace_back(key_after(relation, one, vc), topology.target(one.channel));
          });
    };
    for (const TerminalId source : topology.terminals()) {
      if (source == destination) continue;
      RouteOptions& options = relation.injections[{source.value(), destination.value()}];
      const auto own = topology.injection(source);
      for (std::size_t ways = 1 + below(static_cast<std::uint32_t>(own.size()) + 1); ways > 0; --ways)
        options.push_back(option(relation, own[below(static_cast<std::uint32_t>(own.size()))]));
      lead_on(options);
    }
    while (!todo.empty()) {
      const auto [key, at] = todo.back();
      todo.pop_back();
      const auto [entry, is_new] = relation.routes.try_emplace(TinyRelation::order(destination, key));
      if (!is_new) continue;
      RouteOptions& options = entry->second;
      for (const ChannelId channel : topology.outputs(at)) {
        const bool ejects = topology.role(channel) == ChannelRole::ejection;
        const bool nearer = !ejects && hops[topology.target(channel).index()] < hops[at.index()];
        if (ejects ? topology.terminal(channel) == destination && chance(0.9) : nearer || below(100) < wild_)
          for (std::uint32_t ways = ejects ? 1 : 1 + below(4) / 3; ways > 0; --ways)
            options.push_back(option(relation, channel));
      }
      while (options.size() > 3)
        options.erase(options.begin() + below(static_cast<std::uint32_t>(options.size())));
      lead_on(options);
    }
  }

  RandomStream random_;
  std::uint32_t wild_ = 0, max_tier_ = 0;
};

}  // namespace faultline
