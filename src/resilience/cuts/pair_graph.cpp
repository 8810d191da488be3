// SPDX-License-Identifier: Apache-2.0
#include "resilience/cuts/pair_graph.h"

#include <algorithm>

namespace faultline::survival {

const PairGraph& PairGraphs::find(const DestinationClass& destinations, const SourceGroup& group,
                                  TerminalId source, TerminalId destination) {
  forget();
  node_of_.resize(std::max(node_of_.size(), destinations.states.count()), unmet);
  injections_ = group.injections;
  for (Move& move : injections_)
    move.channel = translate(topology_, move.channel, group.sources.front(), source);
  append(PairGraph::source, injections_, destinations, destination);
  for (std::size_t next = 0; next < found_.size(); ++next)
    append(node_of_[found_[next]], destinations.states.moves_of(found_[next]), destinations, destination);
  return graph_;
}

void PairGraphs::forget() {
  for (const std::uint32_t state : found_) node_of_[state] = unmet;
  for (const Component component : met_) number_of_[component] = unmet;
  found_.clear();
  met_.clear();
  graph_.nodes = 2;
  graph_.edges.clear();
  graph_.labels.clear();
  graph_.components.clear();
}

void PairGraphs::append(std::uint32_t from, std::span<const Move> moves, const DestinationClass& destinations,
                        TerminalId destination) {
  for (std::size_t i = 0; i < moves.size(); ++i) {
    // Virtual channels that lead to the same state are named one after the other.
    if (i > 0 && moves[i].channel == moves[i - 1].channel && moves[i].next == moves[i - 1].next) continue;
    const auto first = static_cast<std::uint32_t>(graph_.labels.size());
    ChannelId channel = moves[i].channel;
    if (topology_.role(channel) == ChannelRole::ejection)
      channel = translate(topology_, channel, destinations.members.front(), destination);
    append_labels(channel);
    graph_.edges.push_back(
        {from, node(moves[i].next), first, static_cast<std::uint32_t>(graph_.labels.size()) - first});
  }
}

std::uint32_t PairGraphs::node(std::uint32_t state) {
  if (state == DestinationStates::ejected) return PairGraph::sink;
  if (node_of_[state] == unmet) {
    node_of_[state] = graph_.nodes++;
    found_.push_back(state);
  }
  return node_of_[state];
}

void PairGraphs::append_labels(ChannelId channel) {
  const auto first = static_cast<std::ptrdiff_t>(graph_.labels.size());
  std::uint32_t index = 0;
  for (const Component component : components_.of(channel)) {
    if (number_of_[component] == unmet) {
      number_of_[component] = static_cast<std::uint32_t>(graph_.components.size());
      graph_.components.push_back({channel, index});
      met_.push_back(component);
    }
    graph_.labels.push_back(number_of_[component]);
    ++index;
  }
  std::sort(graph_.labels.begin() + first, graph_.labels.end());
}

Hash128 PairGraph::identity() const {
  std::vector<std::uint32_t> words;
  words.reserve(3 * edges.size() + labels.size());
  for (const Edge& edge : edges) words.insert(words.end(), {edge.from, edge.to, edge.count});
  words.insert(words.end(), labels.begin(), labels.end());
  return hash_of({reinterpret_cast<const char*>(words.data()), words.size() * sizeof(words.front())});
}

}  // namespace faultline::survival
