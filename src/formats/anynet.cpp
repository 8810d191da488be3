// SPDX-License-Identifier: Apache-2.0
// BookSim's anynet: lines of `router 0 node 0 node 1 router 1 15`, each naming the neighbours of its first
// node, optionally followed by the flight time in cycles: between routers from the first to the other, at a
// node in both directions. A cable may be listed by both its routers.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/lines.h"
#include "base/number.h"
#include "faultline/formats/limits.h"
#include "formats/graph_reader.h"

namespace faultline::formats {
namespace {

class AnynetParser {
 public:
  explicit AnynetParser(GraphReader reader) : reader_(std::move(reader)) { reader_.require_utf8(); }

  GraphFile parse() && {
    for (std::string_view text = reader_.text(); !text.empty();) {
      ++line_;
      rest_ = take_line(text);
      read_line();
    }
    add_cables();
    return by_number(std::move(reader_).finish());
  }

 private:
  struct End {
    std::uint32_t node = 0;
    bool is_terminal = false;
  };
  /// One end's list of the cables between the two ends, in the order in which it names them.
  struct Mention {
    std::uint32_t cycles = 1;
    int line = 0;
  };

  /// As BookSim numbers them, whatever line names them first: so patterns and traces concern the same nodes.
  [[nodiscard]] GraphFile by_number(GraphFile graph) const {
    std::vector<std::uint32_t> order(graph.nodes.size()), now(graph.nodes.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::uint32_t node) { return numbers_[node]; });
    GraphFile sorted{{}, std::move(graph.edges)};
    for (const std::uint32_t node : order) {
      now[node] = static_cast<std::uint32_t>(sorted.nodes.size());
      sorted.nodes.push_back(std::move(graph.nodes[node]));
    }
    for (GraphEdge& edge : sorted.edges) {
      edge.from = now[edge.from];
      edge.to = now[edge.to];
    }
    return sorted;
  }

  std::string_view next_word() {
    const std::size_t first = std::min(rest_.find_first_not_of(" \t\r"), rest_.size());
    rest_.remove_prefix(first);
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t\r"));
    rest_.remove_prefix(word.size());
    return word;
  }

  End end_of(std::string_view keyword) {
    if (keyword != "router" && keyword != "node")
      reader_.refuse(line_, keyword, "must be router or node, and a number");
    const std::string_view number = next_word();
    if (!number_of<std::uint32_t>(number))
      reader_.refuse(line_, number, fmt::format("must be the number of a {}", keyword));
    const bool is_terminal = keyword == "node";
    const std::uint32_t value = *number_of<std::uint32_t>(number);
    const End end{reader_.node(fmt::format("{} {}", keyword, value), line_), is_terminal};
    numbers_.resize(std::max<std::size_t>(numbers_.size(), end.node + 1));
    numbers_[end.node] = {is_terminal, value};
    reader_.set(reader_.at(end.node), "kind", std::string(is_terminal ? "terminal" : "switch"), line_);
    return end;
  }

  void read_line() {
    std::string_view word = next_word();
    if (word.empty() || word.front() == '#') return;
    const End head = end_of(word);
    for (word = next_word(); !word.empty();) {
      const End other = end_of(word);
      if (head.is_terminal && other.is_terminal)
        reader_.refuse(line_, reader_.at(other.node).id,
                       "is connected to a node; must be connected to a router");
      Mention mention{.line = line_};
      word = next_word();
      if (!word.empty() && word != "router" && word != "node") {
        const auto cycles = number_of<std::uint32_t>(word);
        if (!cycles || *cycles < 1 || *cycles > max_flight_cycles)
          reader_.refuse(
              line_, word,
              fmt::format("must be router, node, or the latency of the cable before it, from 1 to {}",
                          max_flight_cycles));
        mention.cycles = *cycles;
        word = next_word();
      }
      const auto key = std::pair(head.node, other.node);
      if (!mentions_.contains(key) && !mentions_.contains({other.node, head.node})) order_.push_back(key);
      mentions_[key].push_back(mention);
    }
  }

  /// There are as many cables between two ends as the longer of the two lists has.
  void add_cables() {
    for (const auto& [a, b] : order_) {
      const std::vector<Mention>& there = mentions_[{a, b}];
      const std::vector<Mention>& back = mentions_[{b, a}];
      for (std::size_t i = 0; i < std::max(there.size(), back.size()); ++i)
        add_cable(a, b, i < there.size() ? &there[i] : nullptr, i < back.size() ? &back[i] : nullptr);
    }
  }

  void add_cable(std::uint32_t a, std::uint32_t b, const Mention* there, const Mention* back) {
    const auto cycles = [](const Mention* mention) { return mention == nullptr ? 1U : mention->cycles; };
    GraphEdge edge;
    edge.from = a;
    edge.to = b;
    edge.line = there != nullptr ? there->line : back->line;
    edge.cycles = cycles(there);
    const bool at_terminal = reader_.at(a).type != reader_.at(b).type;
    if (at_terminal) edge.cycles = std::max(cycles(there), cycles(back));
    if (at_terminal || cycles(there) == cycles(back)) {
      reader_.add_edge(std::move(edge));
      return;
    }
    edge.directed = true;
    edge.link = next_link_++;
    GraphEdge other = edge;
    std::swap(other.from, other.to);
    other.cycles = cycles(back);
    reader_.add_edge(std::move(edge));
    reader_.add_edge(std::move(other));
  }

  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  GraphReader reader_;
  std::string_view rest_;  // of the line
  int line_ = 0;
  std::vector<std::pair<bool, std::uint32_t>> numbers_;  ///< by node: is it a terminal, and which
  std::vector<Pair> order_;
  std::map<Pair, std::vector<Mention>> mentions_;  // by (first of the line, other)
  std::uint32_t next_link_ = 0;
};

}  // namespace

GraphFile parse_anynet(GraphReader reader) { return AnynetParser(std::move(reader)).parse(); }

}  // namespace faultline::formats
