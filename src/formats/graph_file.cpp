// SPDX-License-Identifier: Apache-2.0
#include "faultline/formats/graph_file.h"

#include <algorithm>
#include <set>

#include "base/utf8.h"
#include "formats/dot.h"
#include "formats/graph_reader.h"

namespace faultline::formats {
namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view first_word(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_first_of(blanks));
}

/// The text behind a byte order mark and lines that begin with #.
std::string_view beginning(std::string_view text) {
  text = without_byte_order_mark(text);
  while (first_word(text).starts_with('#'))
    text.remove_prefix(std::min(text.find('\n', text.find('#')), text.size()));
  return text;
}

/// A comment as in C, or `graph`, `digraph` or `strict` with the opening brace behind it or in the next line.
/// In an edge list, `graph b {'weight': 3}`, `graph b {"weight": 3}` and `graph b {}` are edges of a node
/// that is called graph: a text in double quotes also begins DOT, but no edge of it follows in the same line.
bool begins_dot(std::string_view text) {
  std::string_view word = first_word(text);
  word = word.substr(0, word.find('{'));
  if (word.starts_with("//") || word.starts_with("/*")) return true;
  if (!is_keyword(word, "graph") && !is_keyword(word, "digraph") && !is_keyword(word, "strict")) return false;
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const std::size_t brace = text.find('{');
  if (brace == std::string_view::npos) return false;
  const std::string_view line = text.substr(brace + 1, text.find('\n', brace) - brace - 1);
  const auto holds = [&](std::string_view sign) { return line.find(sign) != std::string_view::npos; };
  if (line.starts_with('}') || line.starts_with('\'')) return false;
  if (line.starts_with('"') && holds("\":") && holds("}") && !holds("--") && !holds("->")) return false;
  const std::string_view head = text.substr(0, brace);
  return head.substr(0, head.find_last_not_of(blanks) + 1).find('\n') == std::string_view::npos;
}

bool is_channel_back(const GraphEdge& there, const GraphEdge& back) {
  return there.directed && back.directed && there.link && there.link == back.link && there.from == back.to &&
         there.to == back.from && there.source_port == back.target_port &&
         there.target_port == back.source_port && there.cycles == back.cycles &&
         there.length == back.length && there.attributes == back.attributes;
}

/// Numbers of links that more than two edges have, or edges that are not consecutive.
std::set<std::uint32_t> scattered_links(const GraphFile& graph) {
  std::set<std::uint32_t> seen, scattered;
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const auto& link = graph.edges[i].link;
    if (!link) continue;
    const bool follows = i > 0 && graph.edges[i - 1].link == link;
    const bool third = i > 1 && follows && graph.edges[i - 2].link == link;
    if ((!follows && seen.contains(*link)) || third) scattered.insert(*link);
    seen.insert(*link);
  }
  return scattered;
}

}  // namespace

GraphFormat format_of(const InputFile& file) {
  const std::string_view text = beginning(*file.content);
  const std::string_view word = first_word(text);
  if (word.starts_with('<')) return GraphFormat::graphml;
  if (word.starts_with('{')) return GraphFormat::json;
  if (word == "router" || word == "node") return GraphFormat::anynet;
  return begins_dot(text) ? GraphFormat::dot : GraphFormat::edges;
}

GraphFile parse_graph(const InputFile& file, GraphFormat format, const std::string& field) {
  GraphReader reader(file, field);
  switch (format) {
    case GraphFormat::graphml:
      return parse_graphml(std::move(reader));
    case GraphFormat::json:
      return parse_node_link(std::move(reader));
    case GraphFormat::anynet:
      return parse_anynet(std::move(reader));
    case GraphFormat::dot:
      return parse_dot(std::move(reader));
    case GraphFormat::edges:
      break;
  }
  return parse_edge_list(std::move(reader));
}

GraphFile with_channels(const GraphFile& graph) {
  std::uint32_t next_link = 0;
  for (const GraphEdge& edge : graph.edges)
    if (edge.link) next_link = std::max(next_link, *edge.link + 1);
  GraphFile channels{graph.nodes, {}};
  for (const GraphEdge& edge : graph.edges) {
    GraphEdge& there = channels.edges.emplace_back(edge);
    if (edge.directed) continue;
    there.directed = true;
    if (!there.link) there.link = next_link++;
    GraphEdge back = there;
    std::swap(back.from, back.to);
    std::swap(back.source_port, back.target_port);
    channels.edges.push_back(std::move(back));
  }
  return channels;
}

GraphFile with_cables(const GraphFile& graph) {
  const std::set<std::uint32_t> scattered = scattered_links(graph);
  GraphFile cables{graph.nodes, {}};
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    GraphEdge& edge = cables.edges.emplace_back(graph.edges[i]);
    if (i + 1 == graph.edges.size() || !is_channel_back(edge, graph.edges[i + 1]) ||
        scattered.contains(*edge.link))
      continue;
    edge.directed = false;
    edge.link.reset();
    ++i;
  }
  return cables;
}

}  // namespace faultline::formats
