// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "faultline/infiniband/lids.h"
#include "faultline/infiniband/table_match.h"
#include "faultline/topology/builder.h"
#include "faultline/topology/kind.h"
#include "faultline/topology/labellings.h"
#include "topology/columns.h"

namespace faultline::topologies {
namespace {

using infiniband::Cable;
using infiniband::CableEnd;
using infiniband::Node;
using infiniband::NodeType;

/// As Topology names links and channels.
bool looks_like_a_cable(std::string_view description) {
  return (description.find(" - ") != std::string_view::npos && description.back() == ']') ||
         description.find(" -> ") != std::string_view::npos;
}

/// From the nodes and cables of a dump to switches, terminals and links. Cables between two adapters, or from
/// a switch to itself, carry no traffic in the network and are left out.
class FabricBuilder {
 public:
  explicit FabricBuilder(FabricLabelling& labelling) : fabric_(labelling.fabric), labelling_(labelling) {
    for (const Cable& cable : fabric_.cables) {
      const bool a_is_switch = is_switch(cable.a), b_is_switch = is_switch(cable.b);
      if (a_is_switch && b_is_switch) {
        if (cable.a.node != cable.b.node) switch_cables_.push_back(cable);
      } else if (a_is_switch || b_is_switch) {
        terminal_cables_.push_back(a_is_switch ? cable : Cable{cable.b, cable.a, {}, {}});
      }
    }
    std::ranges::sort(terminal_cables_, {}, &Cable::b);
  }

  /// Where a cable ends, `a` at the switch and `b` at the terminal; by terminal.
  [[nodiscard]] const std::vector<Cable>& terminal_cables() const { return terminal_cables_; }

  void add_all(TopologyBuilder& builder) {
    count_names();
    add_switches(builder);
    for (const Cable& cable : switch_cables_)
      builder.connect_both({switch_of_[cable.a.node], cable.a.port},
                           {switch_of_[cable.b.node], cable.b.port});
    for (const Cable& cable : terminal_cables_) {
      builder.attach(builder.add_terminal(unique(terminal_name(cable.b))),
                     {switch_of_[cable.a.node], cable.a.port});
      labelling_.terminal_ports.push_back(cable.b);
    }
  }

 private:
  [[nodiscard]] bool is_switch(const CableEnd& end) const {
    return fabric_.nodes[end.node].type == NodeType::switch_;
  }

  void count_names() {
    for (const Node& node : fabric_.nodes)
      if (node.type == NodeType::switch_) ++uses_[node.description];
    for (const Cable& cable : terminal_cables_) {
      ++uses_[fabric_.nodes[cable.b.node].description];
      ++terminals_of_[cable.b.node];
    }
  }

  /// The description, followed by the id if others have the same one, or preceded by it if the
  /// description looks like a comment or a cable in a file of faults, or begins or ends with a blank.
  [[nodiscard]] std::string node_name(const Node& node) const {
    const std::string& description = node.description;
    if (description.empty()) return node.id;
    if (description.front() == '#' || description.front() == ' ' || description.back() == ' ' ||
        looks_like_a_cable(description))
      return fmt::format("{} ({})", node.id, description);
    return uses_.at(description) == 1 ? description : fmt::format("{} ({})", description, node.id);
  }
  [[nodiscard]] std::string terminal_name(const CableEnd& end) const {
    const std::string name = node_name(fabric_.nodes[end.node]);
    return terminals_of_.at(end.node) == 1 ? name : fmt::format("{} port {}", name, end.port);
  }

  /// A description may be what another node's description and id make together.
  [[nodiscard]] std::string unique(std::string name) {
    if (!taken_.insert(name).second)
      throw Error("topology.file", name, "is the name of two nodes; give one of them another description");
    return name;
  }

  void add_switches(TopologyBuilder& builder) {
    const std::vector<std::uint32_t> columns = hops_from_terminals();
    std::map<std::uint32_t, std::uint32_t> rows;
    switch_of_.resize(fabric_.nodes.size());
    for (std::uint32_t index = 0; index < fabric_.nodes.size(); ++index) {
      const Node& node = fabric_.nodes[index];
      if (node.type != NodeType::switch_) continue;
      switch_of_[index] =
          builder.add_switch({columns[index], rows[columns[index]]++}, unique(node_name(node)));
      labelling_.switch_nodes.push_back(index);
    }
  }

  /// By node; 0 where no terminal is within reach.
  [[nodiscard]] std::vector<std::uint32_t> hops_from_terminals() const {
    std::vector<std::vector<std::uint32_t>> neighbours(fabric_.nodes.size());
    for (const Cable& cable : switch_cables_) {
      neighbours[cable.a.node].push_back(cable.b.node);
      neighbours[cable.b.node].push_back(cable.a.node);
    }
    std::vector<std::uint32_t> holders;
    for (const Cable& cable : terminal_cables_) holders.push_back(cable.a.node);
    return columns_from(holders, neighbours);
  }

  const infiniband::Fabric& fabric_;
  FabricLabelling& labelling_;
  std::vector<Cable> switch_cables_, terminal_cables_;
  std::map<std::string, std::uint32_t> uses_;            // switches and terminals with this description
  std::map<std::uint32_t, std::uint32_t> terminals_of_;  // by node
  std::vector<SwitchId> switch_of_;                      // by node
  std::set<std::string> taken_;                          // names
};

/// Refuses tables of another fabric, and ones that name ports which their switch does not have.
void require_match(const infiniband::ForwardingTables& tables, const FabricLabelling& labelling,
                   const std::string& path) {
  infiniband::require_same_fabric(tables, labelling.fabric, "topology.tables", path);
  for (const std::uint32_t index : labelling.switch_nodes) {
    const Node& node = labelling.fabric.nodes[index];
    const infiniband::ForwardingTable* table = tables.find(node.guid);
    if (table == nullptr) continue;
    for (std::size_t lid = 0; lid < table->ports.size(); ++lid)
      if (table->ports[lid] != infiniband::ForwardingTable::no_entry && table->ports[lid] > node.port_count)
        throw Error("topology.tables", path,
                    fmt::format("sends LID {} of switch {} to port {}; must be a port from 0 to {}", lid,
                                node.id, table->ports[lid], node.port_count));
  }
}

/// Tables route by LID: a fabric with two ports of the same LID does not say where they lead.
void require_single_lids(const infiniband::Fabric& fabric, const std::string& path) {
  const std::vector<infiniband::SharedLid> shared = infiniband::shared_lids(fabric);
  if (!shared.empty())
    throw Error("topology.file", path,
                fmt::format("gives LID {} to {} and to {}; where there are forwarding tables, must give "
                            "each LID to one port",
                            shared.front().lid, shared.front().ports[0], shared.front().ports[1]));
}

struct Fabric {
  InputFile file;
  std::optional<InputFile> tables;

  static void fields(auto& field) {
    field("file", &Fabric::file, file_path().required(),
          "output of ibnetdiscover, plain or with -p, or an ibsim net file");
    field("tables", &Fabric::tables, file_path(),
          "forwarding tables as ibroute, dump_fts or OpenSM print them, for the routing named tables");
  }
  /// None: a fabric is a file, and the program has none.
  static std::vector<Fabric> samples() { return {}; }

  [[nodiscard]] Topology build(const std::string& name) const {
    auto labelling = std::make_unique<FabricLabelling>();
    labelling->fabric = infiniband::parse_ibnetdiscover(*file.content, file.path);
    FabricBuilder fabric(*labelling);
    if (fabric.terminal_cables().size() < 2)
      throw Error("topology.file", file.path, "must have at least two adapters cabled to switches");
    TopologyBuilder builder;
    fabric.add_all(builder);
    if (tables) {
      labelling->tables = infiniband::parse_forwarding_tables(*tables->content, tables->path);
      require_match(*labelling->tables, *labelling, tables->path);
      require_single_lids(labelling->fabric, file.path);
    }
    const std::string_view routing = labelling->tables ? "tables" : "up-down";
    builder.set_labelling(std::move(labelling));
    return std::move(builder).build(name, routing);
  }
};

}  // namespace

extern constinit const TopologyKind fabric = topology_kind<Fabric>(
    "fabric", "a real InfiniBand fabric, from its discovery dump", "infiniband-diags, ibnetdiscover(8)");

}  // namespace faultline::topologies
