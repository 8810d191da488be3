// SPDX-License-Identifier: Apache-2.0
// Node-link JSON: an object with `nodes` and `edges` (networkx from 3.6 on) or `links` (networkx before, d3).
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "formats/graph_reader.h"

namespace faultline::formats {
namespace {

using Json = nlohmann::ordered_json;

/// Reads text and counts the lines that the parser has asked for.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at = nullptr;
  int* line = nullptr;

  reference operator*() const { return *at; }
  CountingIterator& operator++() {
    if (*at == '\n') ++*line;
    ++at;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at == b.at; }
};

/// A document, and the line in which each object of its lists begins.
struct Document {
  Json json;
  std::map<std::string, std::vector<int>> lines;  ///< by the name of the list

  [[nodiscard]] int line(const std::string& list, std::size_t i) const {
    const auto found = lines.find(list);
    return found == lines.end() || i >= found->second.size() ? 0 : found->second[i];
  }
};

Document parse_document(const GraphReader& reader) {
  Document document;
  int line = 1;
  std::string list;
  const auto note = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth == 1 && event == Json::parse_event_t::key) list = parsed.get<std::string>();
    if (depth == 2 && event == Json::parse_event_t::object_start) document.lines[list].push_back(line);
    return true;
  };
  const std::string_view text = reader.text();
  try {
    document.json = Json::parse(CountingIterator{text.data(), &line},
                                CountingIterator{text.data() + text.size(), &line}, note);
  } catch (const nlohmann::json::exception& failure) {
    // "[json.exception.parse_error.101] parse error at line 3, column 1: …"
    const std::string_view said = failure.what();
    reader.refuse(line, said.substr(std::min(said.find(": ") + 2, said.size())), "must be JSON");
  }
  if (!document.json.is_object()) reader.refuse(1, document.json.type_name(), "must be a JSON object");
  return document;
}

/// Lists and objects are left out, and null.
std::optional<Scalar> scalar_in(const Json& value) {
  switch (value.type()) {
    case Json::value_t::boolean:
      return value.get<bool>();
    case Json::value_t::number_integer:
      return value.get<std::int64_t>();
    case Json::value_t::number_unsigned:
      return integer_scalar(value.get<std::uint64_t>());
    case Json::value_t::number_float:
      return value.get<double>();
    case Json::value_t::string:
      return value.get<std::string>();
    default:
      return std::nullopt;
  }
}

class NodeLinkParser {
 public:
  explicit NodeLinkParser(GraphReader reader)
      : reader_(std::move(reader)), document_(parse_document(reader_)) {}

  GraphFile parse() && {
    const Json& root = document_.json;
    bool directed = false;
    if (const auto found = root.find("directed"); found != root.end()) {
      if (!found->is_boolean()) reader_.refuse(0, found->dump(), "must be true or false: directed");
      directed = found->get<bool>();
    }
    const bool links = root.contains("links"), edges = root.contains("edges");
    if (links == edges)
      reader_.refuse(0, links ? "links and edges" : "", "must have one list of edges, named links or edges");
    read_list("nodes", [&](const Json& node, int line) { read_node(node, line); });
    read_list(links ? "links" : "edges",
              [&](const Json& edge, int line) { read_edge(edge, directed, line); });
    return std::move(reader_).finish();
  }

 private:
  template <class Read>
  void read_list(const std::string& name, Read read) {
    const auto list = document_.json.find(name);
    if (list == document_.json.end() || !list->is_array())
      reader_.refuse(0, name, "must be a list of objects");
    std::size_t number = 0;
    for (const Json& one : *list) {
      const int line = document_.line(name, number++);
      if (!one.is_object()) reader_.refuse(line, one.type_name(), fmt::format("must be an object: {}", name));
      read(one, line);
    }
  }

  [[nodiscard]] std::string id_of(const Json& object, const char* key, int line) const {
    const auto found = object.find(key);
    if (found != object.end() && found->is_string()) return found->get<std::string>();
    if (found != object.end() && found->is_number_integer()) return found->dump();
    reader_.refuse(line, found == object.end() ? "" : found->type_name(),
                   fmt::format("must be the id of a node, a string or an integer: {}", key));
  }

  void read_node(const Json& object, int line) {
    GraphNode& node = reader_.at(reader_.add_node(id_of(object, "id", line), line));
    for (const auto& [name, value] : object.items())
      if (auto scalar = scalar_in(value)) reader_.set(node, name, *std::move(scalar), line);
  }

  void read_edge(const Json& object, bool directed, int line) {
    GraphEdge& edge =
        reader_.add_edge(id_of(object, "source", line), id_of(object, "target", line), directed, line);
    for (const auto& [name, value] : object.items())
      if (auto scalar = scalar_in(value)) reader_.set(edge, name, *std::move(scalar), line);
  }

  GraphReader reader_;
  Document document_;
};

Json to_json(const Scalar& scalar) {
  return std::visit(
      []<class Item>(const Item& item) -> Json {
        if constexpr (std::is_same_v<Item, std::string>)
          return utf8(item);
        else
          return item;
      },
      scalar);
}

}  // namespace

GraphFile parse_node_link(GraphReader reader) { return NodeLinkParser(std::move(reader)).parse(); }

std::string node_link_text(const GraphFile& given) {
  const GraphFile graph = with_channels(given);
  const auto list = [](std::string_view name, std::size_t count, const auto& object) {
    std::string text = fmt::format("  \"{}\": [", name);
    for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "\n    " : ",\n    ") + object(i).dump();
    return text + "\n  ]";
  };
  const auto with_attributes = [](Json object, const auto& one) {
    for_each_attribute(
        one, [&](std::string_view name, const Scalar& value) { object[utf8(name)] = to_json(value); });
    return object;
  };
  std::string text = "{\n  \"directed\": true,\n  \"multigraph\": true,\n  \"graph\": {},\n";
  text += list("nodes", graph.nodes.size(), [&](std::size_t i) {
    return with_attributes(Json{{"id", utf8(graph.nodes[i].id)}}, graph.nodes[i]);
  });
  text += ",\n";
  text += list("edges", graph.edges.size(), [&](std::size_t i) {
    const GraphEdge& edge = graph.edges[i];
    return with_attributes(
        Json{{"source", utf8(graph.nodes[edge.from].id)}, {"target", utf8(graph.nodes[edge.to].id)}}, edge);
  });
  return text + "\n}\n";
}

}  // namespace faultline::formats
