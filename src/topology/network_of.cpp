// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "faultline/formats/limits.h"
#include "faultline/topology/builder.h"
#include "faultline/topology/graph.h"
#include "faultline/topology/limits.h"
#include "topology/columns.h"
#include "topology/default_names.h"
#include "topology/free_ports.h"

namespace faultline {
namespace {

using formats::GraphEdge;
using formats::GraphFile;
using formats::GraphNode;

constexpr std::uint32_t max_switches = std::uint32_t{1} << 20;

bool is_terminal(const GraphNode& node) { return node.type == GraphNode::Type::terminal; }

std::string name_of(const GraphNode& node) {
  if (!node.name.empty()) return node.name;
  const bool is_number = node.id.find_first_not_of("0123456789") == std::string::npos;
  return (is_number ? is_terminal(node) ? "terminal " : "switch " : "") + node.id;
}

/// Builds the network of a graph file; channels in the order of the edges.
class GraphNetwork {
 public:
  GraphNetwork(const GraphFile& graph, const GraphReading& reading)
      : graph_(graph), reading_(reading), labelling_(std::make_unique<GraphLabelling>()) {}

  Topology build(const std::string& name) && {
    check_edges();
    add_nodes();
    FreePorts ports(builder_switches_);
    claim_ports(ports);
    for (const GraphEdge& edge : graph_.edges) connect(edge, ports);
    if (terminals_ == 0) add_terminals(ports);
    if (terminals_ < 2 || terminals_ > max_terminals)
      refuse(0, fmt::format("terminals: {}", terminals_), fmt::format("must be from 2 to {}", max_terminals));
    number_links();
    finish_labelling();
    builder_.set_labelling(std::move(labelling_));
    return std::move(builder_).build(name, "up-down", "lash");
  }

 private:
  /// The properties that network_of gives the builder for one channel.
  struct Channel {
    std::uint32_t link = 0;  ///< a number of its own until number_links()
    GraphLabelling::OfChannel label;
  };

  [[noreturn]] void refuse(int line, const std::string& value, const std::string& allowed) const {
    throw Error(reading_.field, value, allowed, {reading_.path, line});
  }
  [[nodiscard]] std::string text(const GraphEdge& edge) const {
    return fmt::format("{} {} {}", graph_.nodes[edge.from].id, edge.directed ? "->" : "--",
                       graph_.nodes[edge.to].id);
  }

  void check_edges() const {
    for (const GraphEdge& edge : graph_.edges) {
      if (edge.cycles && (*edge.cycles < 1 || *edge.cycles > formats::max_flight_cycles))
        refuse(edge.line, fmt::format("{} cycles", *edge.cycles),
               fmt::format("must be from 1 to {}", formats::max_flight_cycles));
      if (edge.length && !(*edge.length >= 0 && std::isfinite(*edge.length)))
        refuse(edge.line, fmt::format("{} m", *edge.length), "must be a length of at least 0");
      if (edge.from == edge.to) refuse(edge.line, text(edge), "must connect two different nodes");
      if (is_terminal(graph_.nodes[edge.from]) && is_terminal(graph_.nodes[edge.to]))
        refuse(edge.line, text(edge), "connects two terminals; must have a switch at one end");
    }
  }

  /// Columns of a drawing for switches for which the file gives none.
  [[nodiscard]] std::vector<std::uint32_t> columns() const {
    std::vector<std::uint32_t> holders;
    std::vector<std::vector<std::uint32_t>> neighbours(graph_.nodes.size());
    for (const GraphEdge& edge : graph_.edges) {
      if (is_terminal(graph_.nodes[edge.from])) {
        holders.push_back(edge.to);
      } else if (is_terminal(graph_.nodes[edge.to])) {
        holders.push_back(edge.from);
      } else {
        neighbours[edge.from].push_back(edge.to);
        neighbours[edge.to].push_back(edge.from);
      }
    }
    return columns_from(holders, neighbours);
  }

  /// By node. What names faults and paths must tell nodes apart: those of one name get their ids as well.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    std::unordered_map<std::string, std::uint32_t> uses;
    for (const GraphNode& node : graph_.nodes) ++uses[names.emplace_back(name_of(node))];
    std::unordered_set<std::string> taken;
    for (std::size_t index = 0; index < names.size(); ++index) {
      const GraphNode& node = graph_.nodes[index];
      if (uses[names[index]] > 1) names[index] = fmt::format("{} ({})", names[index], node.id);
      if (!taken.insert(names[index]).second) refuse(node.line, names[index], "is the name of two nodes");
    }
    if (std::ranges::none_of(graph_.nodes, is_terminal)) refuse_names_of_terminals(names);
    return names;
  }

  /// Of those that add_terminals() will add.
  void refuse_names_of_terminals(const std::vector<std::string>& names) const {
    const std::uint64_t terminals = std::uint64_t{names.size()} * reading_.terminals_per_switch;
    for (std::size_t index = 0; index < names.size(); ++index) {
      const auto number = number_in(names[index], a_terminal);
      if (number && *number < terminals)
        refuse(graph_.nodes[index].line, names[index],
               "is also the name of a terminal, which each switch is given because the file has none; rename "
               "the switch");
    }
  }

  void add_nodes() {
    const std::vector<std::uint32_t> columns = this->columns();
    const std::vector<std::string> names = this->names();
    std::map<std::uint32_t, std::uint32_t> rows;
    for (std::uint32_t index = 0; index < graph_.nodes.size(); ++index) {
      const GraphNode& node = graph_.nodes[index];
      if (is_terminal(node)) {
        numbers_.push_back(builder_.add_terminal(names[index]).value());
        labelling_->terminals.push_back(node.attributes);
        ++terminals_;
      } else {
        const std::uint32_t column = node.column.value_or(columns[index]);
        const std::uint32_t row = node.row.value_or(rows[column]);
        rows[column] = std::max(rows[column], row) + 1;
        numbers_.push_back(builder_.add_switch({column, row}, names[index]).value());
        labelling_->switches.push_back(node.attributes);
        if (++builder_switches_ > max_switches)
          refuse(node.line, node.id, fmt::format("must be among the first {} switches", max_switches));
      }
    }
  }

  /// The ports that the file numbers, so that no other cable takes them.
  void claim_ports(FreePorts& ports) const {
    const auto claim = [&](bool sends, std::uint32_t node, const std::optional<std::uint32_t>& port,
                           const GraphEdge& edge) {
      if (!port || is_terminal(graph_.nodes[node])) return;
      const std::uint32_t at = numbers_[node];
      if (sends ? ports.take_output(at, *port) : ports.take_input(at, *port)) return;
      refuse(edge.line, text(edge),
             fmt::format("is on port {} of {}, which already has a cable; must be on a free port", *port,
                         graph_.nodes[node].id));
    };
    for (const GraphEdge& edge : graph_.edges) {
      claim(true, edge.from, edge.source_port, edge);
      claim(false, edge.to, edge.target_port, edge);
      if (edge.directed) continue;
      claim(false, edge.from, edge.source_port, edge);
      claim(true, edge.to, edge.target_port, edge);
    }
  }

  [[nodiscard]] std::uint32_t cycles_of(const GraphEdge& edge) const {
    if (edge.cycles) return *edge.cycles;
    if (!edge.length || !reading_.metres_per_cycle) return 1;
    const double cycles = std::ceil(*edge.length / *reading_.metres_per_cycle);
    if (cycles > formats::max_flight_cycles)
      refuse(edge.line, fmt::format("{} m", *edge.length),
             fmt::format("takes {:.0f} cycles; must take at most {}", cycles, formats::max_flight_cycles));
    return std::max(1U, static_cast<std::uint32_t>(cycles));
  }

  std::vector<Channel>& of_role(ChannelRole role) { return channels_[static_cast<std::size_t>(role)]; }

  /// The port of an edge at a switch; a cable's serves both directions.
  [[nodiscard]] Port port_at(std::uint32_t node, const std::optional<std::uint32_t>& number, bool is_source,
                             const GraphEdge& edge, FreePorts& ports) const {
    const std::uint32_t at = numbers_[node];
    if (number) return {SwitchId(at), *number};
    if (!edge.directed) return {SwitchId(at), ports.next(at)};
    return {SwitchId(at), is_source ? ports.next_output(at) : ports.next_input(at)};
  }

  void connect(const GraphEdge& edge, FreePorts& ports) {
    const bool injects = is_terminal(graph_.nodes[edge.from]), ejects = is_terminal(graph_.nodes[edge.to]);
    const std::uint32_t cycles = cycles_of(edge);
    const std::uint32_t link = link_number(edge);
    const auto terminal = [&](std::uint32_t node) { return TerminalId(numbers_[node]); };
    const auto add = [&](ChannelRole role, const std::optional<std::uint32_t>& terminal_port) {
      of_role(role).push_back({link, {edge.length, terminal_port, edge.attributes}});
    };
    if (injects) {
      const Port to = port_at(edge.to, edge.target_port, false, edge, ports);
      builder_.connect_injection(terminal(edge.from), to, cycles);
      add(ChannelRole::injection, edge.source_port);
      if (edge.directed) return;
      builder_.connect_ejection(to, terminal(edge.from), cycles);
      add(ChannelRole::ejection, edge.source_port);
    } else if (ejects) {
      const Port from = port_at(edge.from, edge.source_port, true, edge, ports);
      builder_.connect_ejection(from, terminal(edge.to), cycles);
      add(ChannelRole::ejection, edge.target_port);
      if (edge.directed) return;
      builder_.connect_injection(terminal(edge.to), from, cycles);
      add(ChannelRole::injection, edge.target_port);
    } else {
      const Port from = port_at(edge.from, edge.source_port, true, edge, ports);
      const Port to = port_at(edge.to, edge.target_port, false, edge, ports);
      builder_.connect(from, to, cycles);
      add(ChannelRole::network, {});
      if (edge.directed) return;
      builder_.connect(to, from, cycles);
      add(ChannelRole::network, {});
    }
  }

  /// Edges of one number share a link.
  std::uint32_t link_number(const GraphEdge& edge) {
    if (!edge.link) return next_link_++;
    const auto [entry, is_new] = numbered_.emplace(*edge.link, next_link_);
    if (is_new) ++next_link_;
    return entry->second;
  }

  void add_terminals(FreePorts& ports) {
    terminals_ = std::uint64_t{builder_switches_} * reading_.terminals_per_switch;
    if (terminals_ > max_terminals) return;
    for (std::uint32_t at = 0; at < builder_switches_; ++at)
      for (std::uint32_t i = 0; i < reading_.terminals_per_switch; ++i) {
        builder_.attach(builder_.add_terminal(), {SwitchId(at), ports.next(at)});
        labelling_->terminals.emplace_back();
        const std::uint32_t link = next_link_++;
        of_role(ChannelRole::injection).push_back({link, {}});
        of_role(ChannelRole::ejection).push_back({link, {}});
      }
  }

  /// In the order of the edges, those first that hold a network channel.
  void number_links() {
    constexpr std::uint32_t unnumbered = ~std::uint32_t{0};
    std::vector<bool> is_network(next_link_);
    for (const Channel& channel : of_role(ChannelRole::network)) is_network[channel.link] = true;
    std::vector<std::uint32_t> numbers(next_link_, unnumbered);
    std::uint32_t next = 0;
    for (const bool pass : {true, false})
      for (std::uint32_t link = 0; link < next_link_; ++link)
        if (is_network[link] == pass) numbers[link] = next++;
    std::vector<LinkId> links;
    for (const auto& same_role : channels_)
      for (const Channel& channel : same_role) links.emplace_back(numbers[channel.link]);
    builder_.set_links(std::move(links));
  }

  void finish_labelling() {
    for (auto& same_role : channels_)
      for (Channel& channel : same_role) labelling_->channels.push_back(std::move(channel.label));
  }

  const GraphFile& graph_;
  const GraphReading& reading_;
  TopologyBuilder builder_;
  std::unique_ptr<GraphLabelling> labelling_;
  std::vector<std::uint32_t> numbers_;  // by node: the number of its switch or terminal
  std::uint32_t builder_switches_ = 0;
  std::uint64_t terminals_ = 0;
  std::array<std::vector<Channel>, 3> channels_;  // by role
  std::map<std::uint32_t, std::uint32_t> numbered_;
  std::uint32_t next_link_ = 0;
};

}  // namespace

Topology network_of(const GraphFile& graph, const std::string& name, const GraphReading& reading) {
  return GraphNetwork(graph, reading).build(name);
}

std::uint64_t terminals_of(const GraphFile& graph, std::uint32_t terminals_per_switch) {
  const auto named = static_cast<std::uint64_t>(std::ranges::count_if(graph.nodes, is_terminal));
  return named > 0 ? named : std::uint64_t{graph.nodes.size()} * terminals_per_switch;
}

}  // namespace faultline
