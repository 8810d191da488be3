// SPDX-License-Identifier: Apache-2.0
#include "report/failed.h"

#include <algorithm>

#include "faultline/fault/component_names.h"
#include "faultline/routing/legs.h"
#include "faultline/routing/pair_classes.h"
#include "report/fault_sets.h"
#include "report/limits.h"

namespace faultline::report {
namespace {

using nlohmann::json;

/// Takes pairs until the budget is spent.
class Pairs {
 public:
  explicit Pairs(std::size_t budget) : budget_(budget) {}

  void add(json pair, bool is_plain) {
    std::size_t size = 0;
    for (const json& part : pair) size += part.is_array() ? part.size() : 1;
    const std::uint32_t source = pair.front();
    (is_plain ? plain_ : special_).push_back({std::move(pair), size, source});
  }
  /// Those that fit, and how many do not.
  [[nodiscard]] std::pair<json, std::size_t> fitting() && {
    json kept = json::array();
    std::size_t used = 0, left_out = 0;
    for (std::vector<Sized>* pairs : {&special_, &plain_}) {
      std::ranges::stable_sort(*pairs, {}, &Sized::source);  // whole sources, as far as there is room
      for (Sized& one : *pairs)
        if (used += one.size; used <= budget_)
          kept.push_back(std::move(one.pair));
        else
          ++left_out;
    }
    return {std::move(kept), left_out};
  }

 private:
  struct Sized {
    json pair;
    std::size_t size;
    std::uint32_t source;
  };
  std::size_t budget_;
  std::vector<Sized> special_, plain_;
};

json drawn(const Leg& leg) {
  json list{int{leg.may_choose}, leg.to.valid() ? std::int64_t{leg.to.value()} : -1};
  for (const ChannelId channel : leg.channels) list.push_back(channel.value());
  return list;
}

/// What is dead; null where the names are not of the network.
json draw_dead(const NamedFaults& faults, const TopologyPtr& topology, std::optional<FaultSet>& dead) try {
  const FaultComponents components(topology, fault_units(faults.unit, "unit"),
                                   fault_scope(faults.scope, "scope"));
  const auto found = components_named(components, faults.names);
  if (!found) return nullptr;
  dead = components.fault_set(*found);
  json channels = json::array(), switches = json::array();
  for (const ChannelId channel : topology->channels())
    if (dead->failed(channel)) channels.push_back(channel.value());
  for (const SwitchId at : topology->switches())
    if (dead->failed(at)) switches.push_back(at.value());
  return {{"routing", faults.routing}, {"origin", faults.origin},       {"pair", faults.pair},
          {"unit", faults.unit},       {"scope", faults.scope},         {"knowledge", faults.knowledge},
          {"source", faults.source},   {"switching", faults.switching}, {"names", faults.names},
          {"channels", channels},      {"switches", switches}};
} catch (const Error&) {
  return nullptr;
}

/// As in the case or, by default, as the routing was designed for.
Damage damage_of(const NamedFaults& faults, const FaultSet& dead, const RoutingKind& kind) {
  return {dead, faults.knowledge.empty() ? kind.knowledge : parse_knowledge(faults.knowledge, "knowledge"),
          faults.source.empty() ? kind.source : parse_source_role(faults.source, "source")};
}

json draw_paths_of(const NamedFaults& faults, const FaultSet& dead, const TopologyPtr& topology,
                   const std::shared_ptr<InputFiles>& files, std::size_t budget) try {
  Description asked = parse_compact("routing", faults.routing);
  asked.files = files;
  const Resolved<RoutingKind> routing = routing_or_default(asked, *topology);
  const Damage damage = damage_of(faults, dead, routing.kind());
  const RelationPtr relation =
      build_relation(topology, damage, routing,
                     faults.switching == "wormhole" ? Switching::wormhole : Switching::cut_through);
  return draw_legs(*relation, damage, budget);
} catch (const Error&) {
  return json::object();  // the dead channels are still worth showing
}

}  // namespace

json draw_legs(const RoutingRelation& relation, const Damage& damage, std::size_t budget) {
  const auto& terminals = relation.topology().terminals();
  const SourceRole role = effective_role(damage.source, damage.knowledge);
  Pairs pairs(budget);
  std::size_t unserved = 0;
  for (const TerminalId destination : terminals) {
    const DestinationStates plays = enumerate_plays(relation, destination, damage.dead);
    const std::vector<PairClass> classes = classes_of_states(plays);
    for (const TerminalId source : terminals) {
      if (source == destination) continue;
      const PairClass becomes = class_of_pair(plays, classes, source, role);
      unserved += becomes > PairClass::likely ? 1 : 0;
      const std::vector<Leg> legs = legs_of(relation, source, destination, damage.dead);
      json pair{source.value(), destination.value(), static_cast<int>(becomes)};
      for (const Leg& leg : legs) pair.push_back(drawn(leg));
      pairs.add(std::move(pair), becomes == PairClass::served && legs.size() == 1);
    }
  }
  auto [kept, left_out] = std::move(pairs).fitting();
  return {{"pairs", std::move(kept)}, {"unserved", unserved}, {"left_out", left_out}};
}

json draw_failed(std::span<const json* const> cases, const TopologyPtr& topology,
                 const std::shared_ptr<InputFiles>& files) {
  struct Drawn {
    NamedFaults faults;
    FaultSet dead;
    json set;
  };
  std::vector<Drawn> drawn;
  std::size_t left_out = 0;
  for (const NamedFaults& faults : named_faults(cases)) {
    std::optional<FaultSet> dead;
    if (drawn.size() == max_sets)
      ++left_out;
    else if (json set = draw_dead(faults, topology, dead); !set.is_null())
      drawn.push_back({faults, *std::move(dead), std::move(set)});
  }
  json sets = json::array();
  for (Drawn& one : drawn) {
    one.set.update(draw_paths_of(one.faults, one.dead, topology, files, max_numbers / drawn.size()));
    sets.push_back(std::move(one.set));
  }
  return {{"sets", std::move(sets)}, {"left_out", left_out}};
}

}  // namespace faultline::report
