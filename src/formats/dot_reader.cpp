// SPDX-License-Identifier: Apache-2.0
// DOT (graphviz.org/doc/info/lang.html), its whole grammar. The reader of Boost.Graph does not say in which
// line an error stands, and Graphviz's own prints its errors.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_set>

#include "base/number.h"
#include "formats/dot_lexer.h"

namespace faultline::formats {
namespace {

constexpr int max_depth = 100;                     // of groups within groups
constexpr std::size_t max_group_edges = 1U << 16;  // {a b} -> {c d} is four; bounds what a short text gives

struct Given {
  std::string name;
  Scalar value;
  int line = 0;
};
using GivenList = std::vector<Given>;

/// { … }: its default attributes, and the nodes that it names.
struct Group {
  GivenList node, edge;
  std::vector<std::uint32_t> nodes;
};

/// What an edge connects: a node, or each node of a group.
struct End {
  std::vector<std::uint32_t> nodes;
  std::optional<std::uint32_t> port;
  bool is_group = false;
};

constexpr std::array<std::string_view, 4> directions{"both", "none", "forward", "back"};

template <class Item>
void append(std::vector<Item>& all, const std::vector<Item>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

std::vector<std::uint32_t> without_repeats(const std::vector<std::uint32_t>& nodes) {
  std::vector<std::uint32_t> first_mentions;
  std::unordered_set<std::uint32_t> seen;
  std::ranges::copy_if(nodes, std::back_inserter(first_mentions),
                       [&](std::uint32_t node) { return seen.insert(node).second; });
  return first_mentions;
}

template <class Part>
void drop_drawing(Part& part) {
  const GraphAttributes drawing = drawing_of(part);
  std::erase_if(part.attributes, [&](const auto& one) { return is_drawn(drawing, one.first, one.second); });
}

class DotParser {
 public:
  explicit DotParser(GraphReader reader) : reader_(std::move(reader)), lexer_(reader_) {
    reader_.require_utf8();
  }

  GraphFile parse() && {
    now_ = lexer_.next();
    is_strict_ = skip_word("strict");
    is_directed_ = skip_word("digraph");
    if (!is_directed_ && !skip_word("graph")) refuse("must be graph or digraph");
    if (now_.is_id()) advance();
    Group whole;
    read_group(whole);
    if (now_.type != DotToken::Type::end) refuse("must be the end of the file, after its only graph");
    GraphFile graph = std::move(reader_).finish();
    for (GraphNode& node : graph.nodes) drop_drawing(node);
    for (GraphEdge& edge : graph.edges) drop_drawing(edge);
    return graph;
  }

 private:
  [[noreturn]] void refuse(const std::string& allowed) const {
    reader_.refuse(now_.line, now_.text, allowed);
  }
  DotToken advance() { return std::exchange(now_, lexer_.next()); }
  bool skip_word(std::string_view keyword) { return now_.is_word(keyword) && (advance(), true); }
  bool skip_sign(std::string_view sign) { return now_.is_sign(sign) && (advance(), true); }
  DotToken id(std::string_view what) {
    if (!now_.is_id()) refuse(fmt::format("must be {}", what));
    return advance();
  }

  void read_group(Group& group) {
    if (!skip_sign("{")) refuse("must be {");
    if (++depth_ > max_depth) refuse(fmt::format("must be within at most {} groups", max_depth));
    while (!skip_sign("}"))
      if (!skip_sign(";")) read_statement(group);
    --depth_;
  }

  void read_statement(Group& group) {
    if (skip_word("graph")) return static_cast<void>(attributes());
    if (skip_word("node")) return append(group.node, attributes());
    if (skip_word("edge")) return append(group.edge, attributes());
    if (!begins_end()) refuse("must be a node, an edge, a default (node, edge, graph), subgraph or }");
    std::vector<End> ends;
    const int line = now_.line;
    if (begins_group()) {
      ends.push_back(group_end(group));
    } else {
      DotToken first = advance();
      if (skip_sign("=")) return static_cast<void>(id("a value"));
      ends.push_back(node_end(std::move(first), group));
    }
    while (now_.is_sign("->") || now_.is_sign("--")) {
      if (now_.is_sign("->") != is_directed_)
        refuse(is_directed_ ? "must be -> in a digraph" : "must be -- in a graph");
      advance();
      if (!begins_end()) refuse("must be the node at the other end");
      ends.push_back(begins_group() ? group_end(group) : node_end(advance(), group));
    }
    if (ends.size() > 1) return add_edges(ends, group.edge, line);
    if (ends.front().is_group) return;
    for (const Given& given : attributes()) set(reader_.at(ends.front().nodes.front()), given);
  }

  [[nodiscard]] bool begins_group() const { return now_.is_word("subgraph") || now_.is_sign("{"); }
  [[nodiscard]] bool begins_end() const { return now_.is_id() || begins_group(); }

  End group_end(Group& parent) {
    if (skip_word("subgraph") && now_.is_id()) advance();
    Group group{parent.node, parent.edge, {}};
    if (now_.is_sign("{")) read_group(group);
    append(parent.nodes, group.nodes);
    return {without_repeats(group.nodes), {}, true};
  }

  /// ID:3 names a port; other ports that are no numbers (fields of a record, points of the compass) concern
  /// the drawing only.
  End node_end(DotToken name, Group& group) {
    const bool is_new = !reader_.has(name.text);
    const std::uint32_t node = reader_.node(name.text, name.line);
    if (is_new)
      for (const Given& given : group.node) set(reader_.at(node), given);
    group.nodes.push_back(node);
    End end{{node}, {}, false};
    if (skip_sign(":")) {
      end.port = port_of(id("a port"));
      if (skip_sign(":")) (void)id("a point of the compass");
    }
    return end;
  }

  [[nodiscard]] std::optional<std::uint32_t> port_of(const DotToken& given) const {
    const auto port = number_of<std::uint32_t>(given.text);
    if (!port && finite_number_of(given.text))
      reader_.refuse(given.line, given.text, "must be a port, an integer from 0 to 2^32 - 1");
    return port;
  }

  GivenList attributes() {
    GivenList all;
    while (skip_sign("[")) {
      while (!skip_sign("]")) {
        DotToken name = id("name=value or ]");
        if (!skip_sign("=")) refuse("must be =, after the name of an attribute");
        const DotToken value = id("a value");
        all.push_back({std::move(name.text),
                       value.type == DotToken::Type::quoted ? Scalar(value.text) : scalar_of(value.text),
                       name.line});
        if (!skip_sign(",")) skip_sign(";");
      }
    }
    return all;
  }

  void add_edges(const std::vector<End>& ends, const GivenList& defaults, int line) {
    GivenList given = defaults;
    append(given, attributes());
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      const End &from = ends[i], &to = ends[i + 1];
      if (from.is_group || to.is_group) group_edges_ += from.nodes.size() * to.nodes.size();
      if (group_edges_ > max_group_edges)
        reader_.refuse(line, std::to_string(group_edges_),
                       fmt::format("must be at most {} edges of groups in a file", max_group_edges));
      for (const std::uint32_t a : from.nodes)
        for (const std::uint32_t b : to.nodes) {
          GraphEdge edge{.from = a, .to = b, .source_port = from.port, .target_port = to.port};
          edge.line = line;
          add_edge(std::move(edge), given);
        }
    }
  }

  void add_edge(GraphEdge edge, const GivenList& given) {
    const bool ordered = is_directed_ || edge.from < edge.to;
    const auto ends = ordered ? std::pair(edge.from, edge.to) : std::pair(edge.to, edge.from);
    if (is_strict_ && !connected_.insert(ends).second) return;
    std::string direction = is_directed_ ? "forward" : "none";
    for (const Given& one : given)
      if (one.name != "dir")
        set(edge, one);
      else if (is_directed_)
        direction = direction_of(one);
    edge.directed = direction == "forward" || direction == "back";
    if (direction == "back") {
      std::swap(edge.from, edge.to);
      std::swap(edge.source_port, edge.target_port);
    }
    reader_.add_edge(std::move(edge));
  }

  [[nodiscard]] std::string direction_of(const Given& given) const {
    std::string direction = to_string(given.value);
    if (std::ranges::find(directions, direction) == directions.end())
      reader_.refuse(given.line, direction,
                     "must be both or none (a cable), forward or back (one channel): dir");
    return direction;
  }

  template <class Part>
  void set(Part& part, const Given& given) const {
    reader_.set(part, given.name, given.value, given.line);
  }

  GraphReader reader_;
  DotLexer lexer_;
  DotToken now_;
  bool is_strict_ = false, is_directed_ = false;
  int depth_ = 0;
  std::size_t group_edges_ = 0;
  std::set<std::pair<std::uint32_t, std::uint32_t>> connected_;  // of a strict graph
};

}  // namespace

GraphFile parse_dot(GraphReader reader) { return DotParser(std::move(reader)).parse(); }

}  // namespace faultline::formats
