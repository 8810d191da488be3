// SPDX-License-Identifier: Apache-2.0
// An edge list, one edge per line, as networkx writes it, extended by ports and types of nodes.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/lines.h"
#include "base/number.h"
#include "base/utf8.h"
#include "formats/graph_reader.h"
#include "formats/json_text.h"

namespace faultline::formats {
namespace {

/// Words with another meaning, or with characters that end a word, are quoted.
std::string word_text(std::string_view word) {
  const bool is_plain =
      word != "switch" && word != "terminal" && word != "->" && word != "--" &&
      word.find_first_of(" \t\r\n\"#={") == std::string_view::npos && !word.empty() &&
      utf8_length(word) == word.size() &&
      std::ranges::none_of(word, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  return is_plain ? std::string(word) : json_string(word);
}

class EdgeListParser {
 public:
  explicit EdgeListParser(GraphReader reader) : reader_(std::move(reader)) { reader_.require_utf8(); }

  GraphFile parse() && {
    for (std::string_view text = reader_.text(); !text.empty();) {
      ++line_;
      rest_ = take_line(text);
      skip_blanks();
      if (!at_end()) read_line();
    }
    return std::move(reader_).finish();
  }

 private:
  struct Word {
    std::string text;
    bool is_quoted = false;
    [[nodiscard]] bool is(std::string_view keyword) const { return !is_quoted && text == keyword; }
  };

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size())); }
  [[nodiscard]] bool at_end() const { return rest_.empty() || rest_.front() == '#'; }

  /// A word, or a string of JSON.
  Word word(std::string_view what, std::string_view ends) {
    if (at_end()) reader_.refuse(line_, "", fmt::format("ends too early; must go on with {}", what));
    Word result;
    std::size_t length = std::min(rest_.find_first_of(ends), rest_.size());
    if (rest_.front() == '"') {
      const std::string_view text = leading_json_string(rest_);
      const std::optional<std::string> plain = parse_json_string(text);
      if (!plain) reader_.refuse(line_, text, "must be a string in quotes, as JSON writes it");
      result = {*plain, true};
      length = text.size();
    } else {
      result.text = rest_.substr(0, length);
    }
    rest_.remove_prefix(length);
    return result;
  }
  Word next_word(std::string_view what) {
    const std::string_view shown = rest_;
    Word result = word(what, " \t\r#");
    if (result.is_quoted && !at_end() && rest_.find_first_of(" \t\r") != 0)
      reader_.refuse(line_, shown, "must have a blank behind the text in quotes");
    skip_blanks();
    return result;
  }

  void read_line() {
    given_.clear();
    Word first = next_word("a node");
    if (first.is("switch") || first.is("terminal")) return read_node(first.text);
    Word second = next_word("the node at the other end");
    const bool directed = second.is("->");
    if (directed || second.is("--")) second = next_word("the node at the other end");
    GraphEdge edge;
    edge.from = reader_.node(first.text, line_);
    edge.to = reader_.node(second.text, line_);
    edge.directed = directed;
    edge.line = line_;
    read_weight(edge);
    read_attributes(edge);
    reader_.add_edge(std::move(edge));
  }

  /// As networkx writes weighted edges: 0 1 3.0
  void read_weight(GraphEdge& edge) {
    const std::string_view third = rest_.substr(0, rest_.find_first_of(" \t\r#="));
    const bool is_name = third.size() < rest_.size() && rest_[third.size()] == '=';
    if (is_name || !number_of<double>(third)) return;
    set(edge, "weight", scalar_of(third));
    rest_.remove_prefix(third.size());
    skip_blanks();
  }

  void read_node(const std::string& type) {
    const std::string id = next_word("its id").text;
    const bool is_new = !reader_.has(id);
    GraphNode& node = reader_.at(reader_.node(id, line_));
    if (!is_new && node.type != GraphNode::Type::unsaid)
      reader_.refuse(line_, id, "was declared before; every node must be declared at most once");
    set(node, "kind", type);
    read_attributes(node);
  }

  template <class Part>
  void set(Part& part, const std::string& name, Scalar value) {
    reader_.set(part, name, std::move(value), line_);
    if (std::ranges::find(given_, name) != given_.end()) reader_.refuse_repeated(name, line_);
    given_.push_back(name);
  }

  template <class Part>
  void read_attributes(Part& part) {
    if (!at_end() && rest_.front() == '{') return read_dictionary(part);
    while (!at_end()) {
      const std::string_view shown = rest_;
      const std::string name = word("name=value", " \t\r#=").text;
      if (rest_.empty() || rest_.front() != '=')
        reader_.refuse(line_, shown, "must be name=value, with blanks between, or the end of the line");
      rest_.remove_prefix(1);
      if (rest_.empty()) reader_.refuse(line_, name, "must have a value behind =");
      const Word value = next_word("a value");
      set(part, name, value.is_quoted ? Scalar(value.text) : scalar_of(value.text));
    }
  }

  /// As networkx writes the attributes of an edge: {'weight': 3}.
  template <class Part>
  void read_dictionary(Part& part) {
    const std::string_view text = rest_.substr(0, length_of_dictionary());
    const std::optional<ParsedObject> dictionary = parse_object(text);
    if (!dictionary) reader_.refuse(line_, rest_, "must be name=value, or a dictionary like {'cycles': 2}");
    if (dictionary->repeated) reader_.refuse_repeated(*dictionary->repeated, line_);
    for (const std::string& name : dictionary->others)
      if constexpr (std::is_same_v<Part, GraphNode>)
        reader_.require_no_member_of_node(name, text, line_);
      else
        reader_.require_no_member_of_edge(name, text, line_);
    for (const auto& [name, value] : dictionary->members) set(part, name, value);
    rest_.remove_prefix(text.size());
    skip_blanks();
    if (!at_end()) reader_.refuse(line_, rest_, "must be the end of the line, behind the dictionary");
  }
  /// Up to the brace that closes it, outside quotes.
  [[nodiscard]] std::size_t length_of_dictionary() const {
    char quote = 0;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const char c = rest_[i];
      if (quote != 0 && c == '\\')
        ++i;
      else if (quote != 0)
        quote = c == quote ? '\0' : quote;
      else if (c == '\'' || c == '"')
        quote = c;
      else if (c == '}')
        return i + 1;
    }
    return rest_.size();
  }

  GraphReader reader_;
  std::string_view rest_;           // of the line
  std::vector<std::string> given_;  // names of its attributes
  int line_ = 0;
};

template <class Part>
std::string attributes_text(const Part& part) {
  std::string text;
  for_each_attribute(part, [&](std::string_view name, const Scalar& value) {
    // The kind of a node is the first word of its line.
    if (std::is_same_v<Part, GraphEdge> || name != "kind")
      text += fmt::format(" {}={}", word_text(name), json_text(value));
  });
  return text;
}

std::string_view type_text(GraphNode::Type type) {
  return type == GraphNode::Type::terminal ? "terminal" : "switch";
}

}  // namespace

GraphFile parse_edge_list(GraphReader reader) { return EdgeListParser(std::move(reader)).parse(); }

std::string edge_list_text(const GraphFile& given) {
  const GraphFile graph = with_cables(given);
  std::string text =
      "# switch ID, terminal ID, ID ID (a cable), ID -> ID (one channel), each with name=value ...\n";
  for (const GraphNode& node : graph.nodes)
    text += fmt::format("{} {}{}\n", type_text(node.type), word_text(node.id), attributes_text(node));
  for (const GraphEdge& edge : graph.edges)
    text += fmt::format("{} {}{}{}\n", word_text(graph.nodes[edge.from].id), edge.directed ? "-> " : "",
                        word_text(graph.nodes[edge.to].id), attributes_text(edge));
  return text;
}

}  // namespace faultline::formats
