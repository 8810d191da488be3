// SPDX-License-Identifier: Apache-2.0
#include "faultline/fault/living_network.h"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <map>
#include <utility>

#include "base/sort_unique.h"

namespace faultline {

std::vector<bool> LivingNetwork::search(std::vector<SwitchId> from, Direction direction) const {
  const bool forwards = direction == Direction::forwards;
  std::vector<bool> seen(topology_.switch_count()), found(topology_.terminal_count());
  for (const SwitchId at : from) seen[at.index()] = true;
  while (!from.empty()) {
    const SwitchId at = from.back();
    from.pop_back();
    for (const ChannelId channel : forwards ? topology_.outputs(at) : topology_.inputs(at)) {
      if (dead_.failed(channel)) continue;
      const SwitchId next = forwards ? topology_.target(channel) : topology_.source(channel);
      if (!next.valid()) {
        found[topology_.terminal(channel).index()] = true;
      } else if (!seen[next.index()]) {
        seen[next.index()] = true;
        from.push_back(next);
      }
    }
  }
  return found;
}

std::vector<SwitchId> LivingNetwork::switches_of(TerminalId terminal, Direction direction) const {
  topology_.require(terminal, "terminal");
  const bool forwards = direction == Direction::forwards;
  std::vector<SwitchId> switches;
  for (const ChannelId channel : forwards ? topology_.injection(terminal) : topology_.ejection(terminal))
    if (!dead_.failed(channel))
      switches.push_back(forwards ? topology_.target(channel) : topology_.source(channel));
  return switches;
}

std::vector<bool> LivingNetwork::reached_from(TerminalId start) const {
  return search(switches_of(start, Direction::forwards), Direction::forwards);
}

std::vector<bool> LivingNetwork::reaching(TerminalId end) const {
  return search(switches_of(end, Direction::backwards), Direction::backwards);
}

std::vector<std::uint32_t> LivingNetwork::components() const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;
  for (const SwitchId at : topology_.switches())
    for (const ChannelId channel : topology_.outputs(at))
      if (const SwitchId next = topology_.target(channel); next.valid() && !dead_.failed(channel))
        links.emplace_back(at.value(), next.value());
  using Graph = boost::compressed_sparse_row_graph<boost::directedS>;
  const Graph graph(boost::edges_are_unsorted_multi_pass, links.begin(), links.end(),
                    topology_.switch_count());
  std::vector<std::uint32_t> components(topology_.switch_count());
  boost::strong_components(
      graph, boost::make_iterator_property_map(components.begin(), get(boost::vertex_index, graph)));
  return components;
}

LivingNetwork::Classes LivingNetwork::classes() const {
  const std::vector<std::uint32_t> component_of = components();
  const auto attached = [&](TerminalId terminal, Direction direction) {
    std::vector<std::uint32_t> found;
    for (const SwitchId at : switches_of(terminal, direction)) found.push_back(component_of[at.index()]);
    sort_unique(found);
    return found;
  };
  using Attached = std::vector<std::uint32_t>;
  std::map<std::pair<Attached, Attached>, std::uint32_t> seen;
  Classes classes;
  for (const TerminalId terminal : topology_.terminals()) {
    const auto [found, is_new] =
        seen.try_emplace({attached(terminal, Direction::forwards), attached(terminal, Direction::backwards)},
                         static_cast<std::uint32_t>(classes.first.size()));
    if (is_new) classes.first.push_back(terminal);
    classes.number.push_back(found->second);
  }
  return classes;
}

std::uint64_t LivingNetwork::separate_pairs() const {
  const Classes all = classes();
  std::uint64_t pairs = 0;
  for (std::uint32_t number = 0; number < all.first.size(); ++number) {
    const auto members = static_cast<std::uint64_t>(std::ranges::count(all.number, number));
    const std::vector<bool> reached = reached_from(all.first[number]);
    for (const TerminalId end : topology_.terminals())
      if (!reached[end.index()]) pairs += members - (all.number[end.index()] == number ? 1 : 0);
  }
  return pairs;
}

bool LivingNetwork::connects_all() const {
  if (topology_.terminal_count() <= 1) return true;
  for (const TerminalId terminal : topology_.terminals())
    if (switches_of(terminal, Direction::forwards).empty() ||
        switches_of(terminal, Direction::backwards).empty())
      return false;
  const auto all = [](const std::vector<bool>& found) {
    return std::ranges::find(found, false) == found.end();
  };
  const SwitchId hub = switches_of(TerminalId(0), Direction::forwards).front();
  if (all(search({hub}, Direction::backwards)) && all(search({hub}, Direction::forwards))) return true;
  return std::ranges::all_of(representatives(), [&](TerminalId source) {
    std::vector<bool> found = reached_from(source);
    found[source.index()] = true;
    return all(found);
  });
}

}  // namespace faultline
