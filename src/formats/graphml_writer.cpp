// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <map>

#include "base/xml_text.h"
#include "formats/graph_reader.h"

namespace faultline::formats {
namespace {

std::string_view type_of(const Scalar& value) {
  constexpr std::array<std::string_view, 5> types{"boolean", "long", "double", "string", "long"};
  return types[value.index()];
}

/// Keys of nodes, or of edges: one type a name, string where there are several.
class Keys {
 public:
  Keys(std::string_view of, char prefix) : of_(of), prefix_(prefix) {}
  void see(std::string_view name, const Scalar& value) {
    const auto [entry, is_new] = types_.emplace(name, type_of(value));
    if (is_new)
      order_.emplace_back(name);
    else if (entry->second != type_of(value))
      entry->second = "string";
  }
  [[nodiscard]] std::string declarations() {
    std::string text;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      ids_[order_[i]] = fmt::format("{}{}", prefix_, i);
      text += fmt::format("  <key id=\"{}\" for=\"{}\" attr.name=\"{}\" attr.type=\"{}\"/>\n",
                          ids_[order_[i]], of_, xml_text(order_[i]), types_[order_[i]]);
    }
    return text;
  }
  [[nodiscard]] std::string data(std::string_view name, const Scalar& value) const {
    return fmt::format("      <data key=\"{}\">{}</data>\n", ids_.at(std::string(name)),
                       xml_text(to_string(value)));
  }

 private:
  std::string_view of_;
  char prefix_;
  std::vector<std::string> order_;
  std::map<std::string, std::string_view> types_;
  std::map<std::string, std::string> ids_;
};

}  // namespace

std::string graphml_text(const GraphFile& given) {
  const GraphFile graph = with_channels(given);
  Keys node_keys("node", 'n'), edge_keys("edge", 'e');
  for (const GraphNode& node : graph.nodes)
    for_each_attribute(node, [&](std::string_view name, const Scalar& value) { node_keys.see(name, value); });
  for (const GraphEdge& edge : graph.edges)
    for_each_attribute(edge, [&](std::string_view name, const Scalar& value) { edge_keys.see(name, value); });
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
  text += node_keys.declarations() + edge_keys.declarations();
  text += "  <graph edgedefault=\"directed\">\n";
  for (const GraphNode& node : graph.nodes) {
    text += fmt::format("    <node id=\"{}\">\n", xml_text(node.id));
    for_each_attribute(
        node, [&](std::string_view name, const Scalar& value) { text += node_keys.data(name, value); });
    text += "    </node>\n";
  }
  for (const GraphEdge& edge : graph.edges) {
    text += fmt::format("    <edge source=\"{}\" target=\"{}\">\n", xml_text(graph.nodes[edge.from].id),
                        xml_text(graph.nodes[edge.to].id));
    for_each_attribute(
        edge, [&](std::string_view name, const Scalar& value) { text += edge_keys.data(name, value); });
    text += "    </edge>\n";
  }
  return text + "  </graph>\n</graphml>\n";
}

}  // namespace faultline::formats
