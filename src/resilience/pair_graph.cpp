// SPDX-License-Identifier: Apache-2.0
#include "resilience/pair_graph.h"

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
        destination_(destination) {}

  PairGraph run(std::vector<Move> injections) && {
    append(PairGraph::source, injections);
    for (std::size_t next = 0; next < found_.size(); ++next)
      append(node_of_.at(found_[next]), destinations_.states.moves_of(found_[next]));
    return std::move(graph_);
  }

 private:
  void append(std::uint32_t from, std::span<const Move> moves) {
    const auto first = static_cast<std::ptrdiff_t>(graph_.edges.size());
    for (const Move& move : moves) {
      PairGraph::Edge edge{.from = from, .to = node(move.next), .components = numbers(move.channel)};
      graph_.edges.push_back(std::move(edge));
    }
    std::sort(graph_.edges.begin() + first, graph_.edges.end());
    graph_.edges.erase(std::unique(graph_.edges.begin() + first, graph_.edges.end()), graph_.edges.end());
  }

  std::uint32_t node(std::uint32_t state) {
    if (state == DestinationStates::ejected) return PairGraph::sink;
    const auto [entry, is_new] = node_of_.try_emplace(state, graph_.nodes);
    if (is_new) {
      ++graph_.nodes;
      found_.push_back(state);
    }
    return entry->second;
  }

  std::vector<std::uint32_t> numbers(ChannelId channel) {
    if (topology_.kind(channel) == ChannelKind::ejection)
      channel = translate(topology_, channel, destinations_.members.front(), destination_);
    std::vector<std::uint32_t> result;
    std::uint32_t index = 0;
    for (const Component component : components_.of(channel)) {
      const auto [entry, is_new] =
          number_of_.try_emplace(component, static_cast<std::uint32_t>(graph_.components.size()));
      if (is_new) graph_.components.push_back({channel, index});
      result.push_back(entry->second);
      ++index;
    }
    std::ranges::sort(result);
    return result;
  }

  const Topology& topology_;
  const ComponentsOfChannel& components_;
  const DestinationClass& destinations_;
  TerminalId destination_;
  PairGraph graph_;
  std::unordered_map<std::uint32_t, std::uint32_t> node_of_;  // by state
  std::unordered_map<Component, std::uint32_t> number_of_;
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
  for (const Edge& edge : edges) {
    words.insert(words.end(), {edge.from, edge.to, static_cast<std::uint32_t>(edge.components.size())});
    words.insert(words.end(), edge.components.begin(), edge.components.end());
  }
  return content_hash({reinterpret_cast<const char*>(words.data()), words.size() * sizeof(words.front())});
}

}  // namespace faultline::survival
