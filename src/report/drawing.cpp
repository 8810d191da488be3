// SPDX-License-Identifier: Apache-2.0
#include "report/drawing.h"

#include <algorithm>
#include <map>

#include "base/sort_unique.h"
#include "faultline/fault/component_names.h"
#include "faultline/routing/states.h"
#include "faultline/topology/switched.h"

namespace faultline::report {
namespace {

using nlohmann::json;
using Move = DestinationStates::Move;

class PathRules {
 public:
  explicit PathRules(const RoutingRelation& relation) : relation_(relation) {}

  /// The rules that a destination's packets follow.
  [[nodiscard]] std::vector<std::size_t> of(TerminalId destination) {
    const DestinationStates states = enumerate_states(relation_, destination, FaultSet(relation_.topology()));
    std::vector<std::size_t> rules;
    for (const TerminalId source : relation_.topology().terminals())
      if (const auto moves = states.injections_of(source); !moves.empty())
        rules.push_back(rule({-1 - static_cast<std::int64_t>(source.value()), -1}, moves, states));
    for (std::size_t state = 0; state < states.count(); ++state)
      rules.push_back(
          rule({states.keys[state].at, slot(states.keys[state])}, states.moves_of(state), states));
    return rules;
  }

  [[nodiscard]] const json& list() const { return list_; }

 private:
  using Rule = std::vector<std::int64_t>;

  std::size_t rule(Rule rule, std::span<const Move> moves, const DestinationStates& states) {
    std::vector<std::pair<std::int64_t, std::int64_t>> options;
    for (const Move& move : moves)
      options.emplace_back(move.channel.value(),
                           move.next == DestinationStates::ejected ? -1 : slot(states.keys[move.next]));
    sort_unique(options);
    for (const auto& [channel, next] : options) rule.insert(rule.end(), {channel, next});
    const auto [entry, is_new] = index_.emplace(std::move(rule), index_.size());
    if (is_new) list_.push_back(entry->first);
    return entry->second;
  }

  std::int64_t slot(const StateKey& key) {
    return static_cast<std::int64_t>(slots_.emplace(std::pair(key.vc, key.tag), slots_.size()).first->second);
  }

  const RoutingRelation& relation_;
  std::map<Rule, std::size_t> index_;
  std::map<std::pair<std::uint8_t, Tag>, std::size_t> slots_;
  json list_ = json::array();
};

}  // namespace

json draw_topology(const Topology& topology) {
  json terminals = json::array();
  for (const TerminalId terminal : topology.terminals()) terminals.push_back(topology.name(terminal));
  json names = json::array(), columns = json::array(), rows = json::array();
  for (const SwitchId at : topology.switches()) {
    names.push_back(topology.name(at));
    columns.push_back(topology.position(at).column);
    rows.push_back(topology.position(at).row);
  }
  json from = json::array(), to = json::array();
  for (const ChannelId channel : topology.channels()) {
    const std::uint32_t terminal = topology.terminal(channel).value();
    const ChannelRole role = topology.role(channel);
    from.push_back(role == ChannelRole::injection ? terminal : topology.source(channel).value());
    to.push_back(role == ChannelRole::ejection ? terminal : topology.target(channel).value());
  }
  const auto* switched = topology.find_labelling<SwitchedLabelling>();
  const bool circle = switched != nullptr && switched->network.shape != SwitchNetwork::Shape::torus;
  return {
      {"circle", circle},
      {"terminals", std::move(terminals)},
      {"switches", {{"names", std::move(names)}, {"columns", std::move(columns)}, {"rows", std::move(rows)}}},
      {"channels",
       {{"network", topology.network_channel_count()},
        {"injection", topology.injection_channel_count()},
        {"from", std::move(from)},
        {"to", std::move(to)}}}};
}

json draw_paths(const RoutingRelation& relation, std::size_t budget) {
  PathRules rules(relation);
  json destinations = json::array();
  std::size_t used = 0;
  for (const TerminalId destination : relation.topology().terminals()) {
    const std::vector<std::size_t> followed = rules.of(destination);
    used += followed.size();
    if (used > budget) return nullptr;
    destinations.push_back(followed);
  }
  return {{"held", relation.reads_held_channel()},
          {"rules", rules.list()},
          {"destinations", std::move(destinations)}};
}

json draw_components(const FaultComponents& components, const std::vector<std::string>& names) try {
  const auto found = components_named(components, names);
  if (!found) return nullptr;
  json drawn = json::array();
  for (const std::uint32_t component : *found) {
    json channels = json::array();
    for (const ChannelId channel : components.channels(component)) channels.push_back(channel.value());
    drawn.push_back(std::move(channels));
  }
  return drawn;
} catch (const Error&) {
  return nullptr;
}

}  // namespace faultline::report
