// SPDX-License-Identifier: Apache-2.0
// Node-link JSON: an object with `nodes` and `edges` (networkx from 3.6 on) or `links` (networkx before, d3).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

/// An object of a list, without what is neither a number, a text nor true or false.
struct Element {
  int line = 0;
  GraphAttributes members;

  [[nodiscard]] const Scalar* find(std::string_view name) const {
    for (const auto& [member, value] : members)
      if (member == name) return &value;
    return nullptr;
  }
};

struct Document {
  bool directed = false;
  std::map<std::string, std::vector<Element>> lists;  ///< by name
};

/// Takes from the text what a graph consists of, with lines; a tree of all of it would need several times the
/// memory.
class DocumentReader final : public nlohmann::json_sax<Json> {
 public:
  explicit DocumentReader(const GraphReader& reader) : reader_(reader) {}

  Document read() && {
    const std::string_view text = reader_.text();
    (void)Json::sax_parse(CountingIterator{text.data(), &line_},
                          CountingIterator{text.data() + text.size(), &line_}, this);
    return std::move(document_);
  }

  bool null() override { return put(std::nullopt); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(integer_scalar(value)); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(value); }
  bool binary(binary_t&) override { return put(std::nullopt); }

  bool start_object(std::size_t) override {
    if (depth_ == 1) refuse_unless_ignored("an object");
    if (depth_ == 2 && list_ != nullptr) {
      list_->push_back({line_, {}});
      names_.clear();
    }
    if (depth_ == 3) refuse_if_member("an object");
    if (id_)
      reader_.refuse(line_, "an object", "must be a number, a text, true or false in the id of a node");
    ++depth_;
    return true;
  }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override {
    if (depth_ == 0) refuse("a list");
    if (depth_ == 3) refuse_if_member("a list");
    if (depth_ == 3 && list_ != nullptr && is_id(key_))
      id_ = "(";
    else if (id_)
      append_to_id("(");
    if (depth_ == 1 && is_list(key_)) {
      list_ = &document_.lists[key_];
      is_of_nodes_ = key_ == "nodes";
    }
    if (depth_ == 2 && list_ != nullptr) refuse("a list");
    ++depth_;
    return true;
  }
  bool end_array() override {
    if (!id_) return leave();
    *id_ += ')';
    if (depth_ > 4) return leave();
    --depth_;
    return put(*std::exchange(id_, std::nullopt));
  }
  bool key(string_t& value) override {
    key_ = value;
    if (depth_ != 3 || list_ == nullptr) return true;
    if (std::ranges::find(names_, key_) != names_.end()) reader_.refuse_repeated(key_, line_);
    names_.push_back(key_);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& failure) override {
    // "[json.exception.parse_error.101] parse error at line 3, column 1: ...", or
    // "[json.exception.out_of_range.406] number overflow parsing '1e999'"
    std::string_view said = failure.what();
    if (const std::size_t colon = said.find(": "); colon != std::string_view::npos)
      said.remove_prefix(colon + 2);
    else
      said.remove_prefix(std::min(said.find("] ") + 2, said.size()));
    reader_.refuse(line_, said, "must be JSON");
  }

 private:
  /// networkx gives the nodes of a grid the ids [0, 0], [0, 1] …
  static bool is_id(std::string_view name) { return name == "id" || name == "source" || name == "target"; }
  static bool is_list(std::string_view name) { return name == "nodes" || name == "links" || name == "edges"; }
  [[noreturn]] void refuse(std::string_view found) const {
    reader_.refuse(line_, found,
                   depth_ == 0   ? "must be a JSON object"
                   : depth_ == 1 ? "must be a list of objects: " + key_
                                 : "must be an object");
  }
  void refuse_unless_ignored(std::string_view found) const {
    if (is_list(key_)) refuse(found);
  }

  /// Refuses a value that is neither a number, a text nor true or false, if the attribute has a meaning here.
  void refuse_if_member(std::string_view found) const {
    if (list_ == nullptr) return;
    if (is_of_nodes_)
      reader_.require_no_member_of_node(key_, found, line_);
    else
      reader_.require_no_member_of_edge(key_, found, line_);
  }

  void append_to_id(std::string_view item) { id_->append(id_->ends_with('(') ? "" : ", ").append(item); }

  bool leave() {
    --depth_;
    if (depth_ == 1) list_ = nullptr;
    return true;
  }

  bool put(std::optional<Scalar> value) {
    if (depth_ == 0 || (depth_ == 2 && list_ != nullptr)) refuse(value ? to_string(*value) : "null");
    if (id_) append_to_id(value ? to_string(*value) : "null");
    if (depth_ == 1) {
      refuse_unless_ignored(value ? to_string(*value) : "null");
      if (key_ != "directed") return true;
      if (!value || !std::holds_alternative<bool>(*value))
        reader_.refuse(line_, value ? to_string(*value) : "null", "must be true or false: directed");
      document_.directed = std::get<bool>(*value);
    }
    if (depth_ == 3 && !value) refuse_if_member("null");
    if (depth_ == 3 && list_ != nullptr && value) list_->back().members.emplace_back(key_, *std::move(value));
    return true;
  }

  const GraphReader& reader_;
  Document document_;
  int line_ = 1;
  std::size_t depth_ = 0;  // 1: in the document, 2: in a list of it, 3: in an object of that
  std::string key_;
  std::vector<Element>* list_ = nullptr;
  bool is_of_nodes_ = false;        // the list
  std::vector<std::string> names_;  // of the members of its last object
  std::optional<std::string> id_;   // what has been read of one that is a list
};

class NodeLinkParser {
 public:
  explicit NodeLinkParser(GraphReader reader)
      : reader_(std::move(reader)), document_(DocumentReader(reader_).read()) {}

  GraphFile parse() && {
    const bool links = document_.lists.contains("links"), edges = document_.lists.contains("edges");
    if (links == edges)
      reader_.refuse(0, links ? "links and edges" : "", "must have one list of edges, named links or edges");
    if (!document_.lists.contains("nodes")) reader_.refuse(0, "", "must have a list of objects: nodes");
    for (const Element& one : document_.lists["nodes"])
      set_members(reader_.at(reader_.add_node(id_of(one, "id"), one.line)), one);
    for (const Element& one : document_.lists[links ? "links" : "edges"])
      set_members(reader_.add_edge(id_of(one, "source"), id_of(one, "target"), document_.directed, one.line),
                  one);
    return std::move(reader_).finish();
  }

 private:
  [[nodiscard]] std::string id_of(const Element& element, const char* key) const {
    const Scalar* const found = element.find(key);
    if (found == nullptr || std::holds_alternative<bool>(*found) || std::holds_alternative<double>(*found))
      reader_.refuse(element.line, found == nullptr ? "" : to_string(*found),
                     fmt::format("must be the id of a node, a string or an integer: {}", key));
    return to_string(*found);
  }

  template <class Part>
  void set_members(Part& part, const Element& element) const {
    for (const auto& [name, value] : element.members) reader_.set(part, name, value, element.line);
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
