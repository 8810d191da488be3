// SPDX-License-Identifier: Apache-2.0
// GraphML (Brandes et al., GraphML Progress Report, 2001; graphml.graphdrawing.org): one graph, its keys,
// nodes and edges. Read with Expat, which says in which line each element stands; the reader of Boost.Graph
// does not, drops ids of nodes, and refuses graphs that mix directed edges with others.
#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <memory>

#include "base/csv.h"
#include "base/number.h"
#include "formats/graph_reader.h"

namespace faultline::formats {
namespace {

/// The attributes of an element.
class XmlAttributes {
 public:
  explicit XmlAttributes(const XML_Char** pairs) : pairs_(pairs) {}
  [[nodiscard]] const char* find(std::string_view name) const {
    for (const XML_Char** at = pairs_; *at != nullptr; at += 2)
      if (name == *at) return at[1];
    return nullptr;
  }

 private:
  const XML_Char** pairs_;
};

struct Key {
  bool for_node = true, for_edge = true;
  std::string name, type;
  std::optional<std::string> default_text;
  int line = 0;
};

class GraphmlParser {
 public:
  explicit GraphmlParser(GraphReader reader)
      : reader_(std::move(reader)), parser_(XML_ParserCreate(nullptr)) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), &GraphmlParser::on_start, &GraphmlParser::on_end);
    XML_SetCharacterDataHandler(parser_.get(), &GraphmlParser::on_text);
  }

  GraphFile parse() && {
    constexpr std::size_t piece = std::size_t{1} << 28;  // Expat counts in int
    std::string_view rest = reader_.text();
    bool is_last = false;
    while (!is_last) {
      const std::string_view part = rest.substr(0, piece);
      rest.remove_prefix(part.size());
      is_last = rest.empty();
      const auto status =
          XML_Parse(parser_.get(), part.data(), static_cast<int>(part.size()), is_last ? 1 : 0);
      if (failure_) std::rethrow_exception(failure_);
      if (status != XML_STATUS_OK)
        reader_.refuse(line(), XML_ErrorString(XML_GetErrorCode(parser_.get())), "must be well-formed XML");
    }
    if (!has_graph_) reader_.refuse(0, "", "has no <graph>; must be GraphML");
    return std::move(reader_).finish();
  }

 private:
  enum class Where : std::uint8_t { outside, node, edge };

  /// Exceptions must not pass through Expat, which is C.
  template <class Do>
  void guarded(Do act) noexcept {
    if (failure_) return;
    try {
      act();
    } catch (...) {
      failure_ = std::current_exception();
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }
  static void on_start(void* self, const XML_Char* name, const XML_Char** pairs) {
    auto& parser = *static_cast<GraphmlParser*>(self);
    parser.guarded([&] { parser.start(name, XmlAttributes(pairs)); });
  }
  static void on_end(void* self, const XML_Char* name) {
    auto& parser = *static_cast<GraphmlParser*>(self);
    parser.guarded([&] { parser.end(name); });
  }
  static void on_text(void* self, const XML_Char* text, int length) {
    auto& parser = *static_cast<GraphmlParser*>(self);
    if (parser.collects_)
      parser.guarded([&] { parser.collected_.append(text, static_cast<std::size_t>(length)); });
  }

  [[nodiscard]] int line() const { return static_cast<int>(XML_GetCurrentLineNumber(parser_.get())); }
  std::string required(const XmlAttributes& attributes, const char* name, std::string_view element) const {
    const char* const value = attributes.find(name);
    if (value == nullptr) reader_.refuse(line(), element, fmt::format("must have the attribute {}", name));
    return value;
  }

  void start(std::string_view element, const XmlAttributes& attributes) {
    if (element == "graph")
      start_graph(attributes);
    else if (element == "key")
      start_key(attributes);
    else if (element == "node")
      start_node(attributes);
    else if (element == "edge")
      start_edge(attributes);
    else if (element == "hyperedge")
      reader_.refuse(line(), element, "joins more than two nodes; must be an edge");
    else if (element == "port")
      ++ports_;
    else if ((element == "data" && ports_ == 0) || (element == "default" && !key_.empty()))
      collect(element == "data" ? required(attributes, "key", element) : key_);
  }

  void end(std::string_view element) {
    if (element == "key") key_.clear();
    if (element == "port") --ports_;
    if (element == "node" || element == "edge") {
      add_defaults();
      where_ = Where::outside;
    }
    if (!collects_) return;
    if (element == "default") keys_[key_].default_text = collected_;
    if (element == "data") set(collected_key_, collected_);
    if (element == "default" || element == "data") collects_ = false;
  }

  void collect(const std::string& key) {
    collects_ = true;
    collected_.clear();
    collected_key_ = key;
  }

  void start_graph(const XmlAttributes& attributes) {
    if (has_graph_)
      reader_.refuse(line(), "graph", "is a second graph; must be the only one, not nested in a node");
    has_graph_ = true;
    const char* const directed = attributes.find("edgedefault");
    directed_ = directed != nullptr && std::string_view(directed) == "directed";
  }

  void start_key(const XmlAttributes& attributes) {
    key_ = required(attributes, "id", "key");
    const char* const of = attributes.find("for");
    const char* const name = attributes.find("attr.name");
    const char* const type = attributes.find("attr.type");
    const std::string_view domain = of == nullptr ? "all" : of;
    keys_[key_] = {.for_node = domain == "all" || domain == "node",
                   .for_edge = domain == "all" || domain == "edge",
                   .name = name == nullptr ? key_ : name,
                   .type = type == nullptr ? "string" : type,
                   .default_text = {},
                   .line = line()};
  }

  void start_node(const XmlAttributes& attributes) {
    if (where_ != Where::outside) reader_.refuse(line(), "node", "must not be within a node or an edge");
    where_ = Where::node;
    given_.clear();
    node_ = reader_.add_node(required(attributes, "id", "node"), line());
  }

  void start_edge(const XmlAttributes& attributes) {
    if (where_ != Where::outside) reader_.refuse(line(), "edge", "must not be within a node or an edge");
    where_ = Where::edge;
    given_.clear();
    const char* const directed = attributes.find("directed");
    edge_ = &reader_.add_edge(required(attributes, "source", "edge"), required(attributes, "target", "edge"),
                              directed == nullptr ? directed_ : std::string_view(directed) == "true", line());
    // Names of ports: numbers count, others say nothing about the order of the ports.
    if (const char* port = attributes.find("sourceport"); port != nullptr && number_of<std::uint32_t>(port))
      reader_.set(*edge_, "source_port", std::string(port), line());
    if (const char* port = attributes.find("targetport"); port != nullptr && number_of<std::uint32_t>(port))
      reader_.set(*edge_, "target_port", std::string(port), line());
  }

  void set(const std::string& key, const std::string& text) {
    if (where_ == Where::outside) return;  // says something about the graph
    const auto found = keys_.find(key);
    if (found == keys_.end()) reader_.refuse(line(), key, "must be the id of a <key> before it");
    given_.push_back(key);
    if (!(where_ == Where::node ? found->second.for_node : found->second.for_edge)) return;
    put(found->second, text, line());
  }

  void add_defaults() {
    for (const auto& [id, key] : keys_)
      if (key.default_text && (where_ == Where::node ? key.for_node : key.for_edge) &&
          std::ranges::find(given_, id) == given_.end())
        put(key, *key.default_text, key.line);
  }

  void put(const Key& key, const std::string& text, int line) {
    Scalar value = typed(key.type, text, line);
    if (where_ == Where::node)
      reader_.set(reader_.at(node_), key.name, std::move(value), line);
    else
      reader_.set(*edge_, key.name, std::move(value), line);
  }

  /// networkx writes the booleans of Python.
  [[nodiscard]] Scalar typed(const std::string& type, const std::string& given, int line) const {
    const std::string_view text = trimmed(given);
    if (type == "boolean") {
      if (text == "true" || text == "True" || text == "1") return true;
      if (text == "false" || text == "False" || text == "0") return false;
      reader_.refuse(line, given, "must be true or false");
    }
    if (type == "int" || type == "long") {
      Scalar value = scalar_of(text);
      if (!std::holds_alternative<std::int64_t>(value) && !std::holds_alternative<std::uint64_t>(value))
        reader_.refuse(line, given, "must be an integer");
      return value;
    }
    if (type == "float" || type == "double") {
      const auto value = number_of<double>(text);
      if (!value || std::isinf(*value)) reader_.refuse(line, given, "must be a finite number");
      return std::isnan(*value) ? Scalar(std::string(text)) : Scalar(*value);  // nan: unknown
    }
    return given;
  }

  GraphReader reader_;
  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };
  std::unique_ptr<XML_ParserStruct, Free> parser_;
  std::exception_ptr failure_;

  std::map<std::string, Key> keys_;  // by id
  std::string key_;                  // the <key> that is being read
  bool has_graph_ = false, directed_ = false;
  Where where_ = Where::outside;
  std::uint32_t node_ = 0;
  std::size_t ports_ = 0;  // that are open: their data is not that of the node
  GraphEdge* edge_ = nullptr;
  std::vector<std::string> given_;  // keys of the node or edge
  bool collects_ = false;
  std::string collected_key_, collected_;
};

}  // namespace

GraphFile parse_graphml(GraphReader reader) { return GraphmlParser(std::move(reader)).parse(); }

}  // namespace faultline::formats
