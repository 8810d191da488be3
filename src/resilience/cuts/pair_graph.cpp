// SPDX-License-Identifier: Apache-2.0
#include "resilience/cuts/pair_graph.h"

#include <algorithm>

#include "faultline/base/file.h"

namespace faultline::survival {
namespace {

class Search {
 public:
  Search(const Topology& topology, const ComponentsOfChannel& components,
         const DestinationClass& destinations, TerminalId destination)
      : topology_(topology),
        components_(components),
        destinations_(destinations),
        destination_(destination),
        node_of_(destinations.states.count(), unmet),
        number_of_(components.count(), unmet) {}

  PairGraph run(std::vector<Move> injections) && {
    append(PairGraph::source, injections);
    for (std::size_t next = 0; next < found_.size(); ++next)
      append(node_of_[found_[next]], destinations_.states.moves_of(found_[next]));
    return std::move(graph_);
  }

 private:
  void append(std::uint32_t from, std::span<const Move> moves) {
    for (std::size_t i = 0; i < moves.size(); ++i) {
      // Virtual channels that lead to the same state are named one after the other.
      if (i > 0 && moves[i].channel == moves[i - 1].channel && moves[i].next == moves[i - 1].next) continue;
      const auto first = static_cast<std::uint32_t>(graph_.labels.size());
      append_labels(moves[i].channel);
      graph_.edges.push_back(
          {from, node(moves[i].next), first, static_cast<std::uint32_t>(graph_.labels.size()) - first});
    }
  }

  std::uint32_t node(std::uint32_t state) {
    if (state == DestinationStates::ejected) return PairGraph::sink;
    if (node_of_[state] == unmet) {
      node_of_[state] = graph_.nodes++;
      found_.push_back(state);
    }
    return node_of_[state];
  }

  void append_labels(ChannelId channel) {
    if (topology_.kind(channel) == ChannelKind::ejection)
      channel = translate(topology_, channel, destinations_.members.front(), destination_);
    const auto first = static_cast<std::ptrdiff_t>(graph_.labels.size());
    std::uint32_t index = 0;
    for (const Component component : components_.of(channel)) {
      if (number_of_[component] == unmet) {
        number_of_[component] = static_cast<std::uint32_t>(graph_.components.size());
        graph_.components.push_back({channel, index});
      }
      graph_.labels.push_back(number_of_[component]);
      ++index;
    }
    std::sort(graph_.labels.begin() + first, graph_.labels.end());
  }

  static constexpr std::uint32_t unmet = ~std::uint32_t{0};

  const Topology& topology_;
  const ComponentsOfChannel& components_;
  const DestinationClass& destinations_;
  TerminalId destination_;
  PairGraph graph_;
  std::vector<std::uint32_t> node_of_;    // by state
  std::vector<std::uint32_t> number_of_;  // by component
  std::vector<std::uint32_t> found_;
};

}  // namespace

PairGraph pair_graph(const Topology& topology, const ComponentsOfChannel& components,
                     const DestinationClass& destinations, const SourceGroup& group, TerminalId source,
                     TerminalId destination) {
  std::vector<Move> injections = group.injections;
  for (Move& move : injections)
    move.channel = translate(topology, move.channel, group.sources.front(), source);
  return Search(topology, components, destinations, destination).run(std::move(injections));
}

std::string PairGraph::identity() const {
  std::vector<std::uint32_t> words;
  words.reserve(3 * edges.size() + labels.size());
  for (const Edge& edge : edges) {
    words.insert(words.end(), {edge.from, edge.to, edge.count});
  }
  words.insert(words.end(), labels.begin(), labels.end());
  return content_hash({reinterpret_cast<const char*>(words.data()), words.size() * sizeof(words.front())});
}

}  // namespace faultline::survival
