// SPDX-License-Identifier: Apache-2.0
#include "infiniband/port_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

#include "infiniband/oddities.h"
#include "infiniband/port_list_lines.h"

namespace faultline::infiniband {
namespace {

/// The id of a node that `ibnetdiscover` would print for this GUID.
std::string id_of(NodeType type, Guid guid) {
  const char letter = type == NodeType::switch_ ? 'S' : type == NodeType::adapter ? 'H' : 'R';
  return fmt::format("{}-{:016x}", letter, guid);
}

class PortListReader {
 public:
  explicit PortListReader(const std::string& file) : file_(file) {}

  void read(const Line& line) {
    if (auto port = read_port_list_line(line, file_))
      entries_.push_back({.port = std::move(*port), .line = line.number});
  }

  Dump finish() && {
    require_whole_last_switch();
    if (std::ranges::all_of(entries_,
                            [](const Entry& entry) { return entry.port.own.type == NodeType::switch_; }))
      take_adapters_from_switches();
    for (Entry& entry : entries_) read_own(entry);
    for (Entry& entry : entries_)
      if (entry.port.far) find_far(entry);
    name_nodes();
    for (const Entry& entry : entries_)
      if (entry.port.far) list_cable(entry);
    remark();
    return std::move(dump_);
  }

 private:
  struct Entry {
    PortListLine port;
    int line = 0;
    std::uint32_t node = 0, far_node = 0;
  };
  struct Origin {
    int line = 0;  ///< the first that names the node
    std::uint32_t ports = 0;
  };
  using PortKey = std::tuple<NodeType, Guid, std::uint32_t>;  // the last: its number
  /// A node: a switch by its GUID; ports of an adapter have one description, and GUIDs as far apart as their
  /// numbers, so that the difference of the two is the same for all.
  using NodeKey = std::tuple<NodeType, Guid, std::string>;

  static PortKey port_key(const ListedPort& port) { return {port.type, port.guid, port.number}; }
  static NodeKey node_key(const ListedPort& port, const std::string& name) {
    if (port.type == NodeType::switch_) return {port.type, port.guid, {}};
    return {port.type, port.guid - port.number, name};
  }
  static std::string text(const ListedPort& port) {
    return fmt::format("\"{}\"[{}]", id_of(port.type, port.guid), port.number);
  }

  /// The last switch may lead to nodes that no other line names: what shows a cut there is the order of its
  /// ports, all of which the tool lists, downwards.
  void require_whole_last_switch() const {
    if (entries_.size() < 2) return;
    const ListedPort& last = entries_.back().port.own;
    const ListedPort& previous = entries_[entries_.size() - 2].port.own;
    if (last.type == NodeType::switch_ && previous.guid == last.guid && previous.number > last.number &&
        last.number > 1)
      throw Error(
          "port", text(last),
          "the file ends here, but must list the ports of a switch down to port 1" + std::string(retake),
          {file_, entries_.back().line});
  }

  /// They come first, because the last node of a dump is the one that a cut affects.
  void take_adapters_from_switches() {
    for (const Entry& entry : entries_)
      if (entry.port.far && entry.port.far->type != NodeType::switch_)
        (void)add_port(*entry.port.far, entry.port.far_name, entry.line);
  }

  void read_own(Entry& entry) {
    const ListedPort& own = entry.port.own;
    const auto [known, is_first] = line_of_.emplace(port_key(own), entry.line);
    if (!is_first)
      throw Error("port", text(own), fmt::format("must be listed once; line {} lists it too", known->second),
                  {file_, entry.line});
    entry.node = add_port(own, entry.port.name, entry.line);
    Node& node = dump_.fabric.nodes[entry.node];
    compare_name(node, entry.port.name, entry.line);
    if (own.type == NodeType::switch_) state_lid(node, own.lid, entry.line);
  }

  /// The node of a port; a new one where none of its ports has been named yet.
  std::uint32_t add_port(const ListedPort& port, const std::string& name, int line) {
    std::vector<Node>& nodes = dump_.fabric.nodes;
    const NodeKey key = node_key(port, name);
    const auto [found, is_new] = node_of_.try_emplace(key, static_cast<std::uint32_t>(nodes.size()));
    if (is_new) {
      nodes.push_back({.type = port.type, .guid = port.guid, .description = name});
      if (port.type == NodeType::switch_) nodes.back().end_ports = {{.guid = port.guid, .lid = port.lid}};
      origins_.push_back({.line = line});
    }
    Node& node = nodes[found->second];
    node.port_count = std::max(node.port_count, port.number);
    // The GUID less the part that its ports share is the number of the lowest port so far.
    const Guid shared = std::get<Guid>(key);
    if (port.type != NodeType::switch_ && port.number < node.guid - shared) node.guid = port.guid;
    if (node_at_.try_emplace(port_key(port), found->second).second) ++origins_[found->second].ports;
    return found->second;
  }

  void find_far(Entry& entry) {
    const ListedPort& far = *entry.port.far;
    const auto at = node_at_.find(port_key(far));
    const auto of = node_of_.find(node_key(far, entry.port.far_name));
    if (at == node_at_.end() && of == node_of_.end())
      throw Error("cable", fmt::format("{} - {}", text(entry.port.own), text(far)),
                  "must end at a node with lines of its own, the second has none" + std::string(retake),
                  {file_, entry.line});
    entry.far_node = at != node_at_.end() ? at->second : of->second;
    Node& node = dump_.fabric.nodes[entry.far_node];
    node.port_count = std::max(node.port_count, far.number);
    compare_name(node, entry.port.far_name, entry.line);
  }

  void name_nodes() {
    std::unordered_set<std::string> ids;
    for (std::size_t index = 0; index < dump_.fabric.nodes.size(); ++index) {
      Node& node = dump_.fabric.nodes[index];
      node.id = id_of(node.type, node.guid);
      if (!ids.insert(node.id).second)
        throw Error("port GUID", fmt::format("0x{:016x}", node.guid),
                    "must belong to one port of one adapter", {file_, origins_[index].line});
    }
  }

  void list_cable(const Entry& entry) {
    const ListedPort& own = entry.port.own;
    const ListedPort& far = *entry.port.far;
    PortLine port{.own = {.number = own.number},
                  .remote_id = dump_.fabric.nodes[entry.far_node].id,
                  .remote_port = far.number,
                  .remote_lid = far.lid,
                  .width = entry.port.width,
                  .speed = entry.port.speed};
    if (far.type != NodeType::switch_) port.remote_guid = far.guid;
    if (own.type != NodeType::switch_) {
      port.own.guid = own.guid;
      port.own.lid = own.lid;
      add_end_port(dump_.fabric.nodes[entry.node], port.own);
    }
    dump_.listings.push_back({entry.node, std::move(port), entry.line});
  }

  void compare_name(const Node& node, const std::string& name, int line) {
    if (node.description == name) return;
    names_.add([&] {
      return fmt::format("line {}: \"{}\" is named \"{}\", but in another line \"{}\"", line,
                         id_of(node.type, node.guid), name, node.description);
    });
  }

  void state_lid(Node& node, Lid lid, int line) {
    EndPort& port = node.end_ports.front();
    if (port.lid == 0) port.lid = lid;
    if (lid == 0 || lid == port.lid) return;
    lids_.add([&] {
      return fmt::format("line {}: LID {} for \"{}\", but in an earlier line {}", line, lid,
                         id_of(node.type, node.guid), port.lid);
    });
  }

  void remark() {
    Oddities joined;
    for (std::size_t index = 0; index < origins_.size(); ++index)
      if (const Node& node = dump_.fabric.nodes[index];
          node.type != NodeType::switch_ && origins_[index].ports > 1)
        joined.add([&] {
          return fmt::format(
              "\"{}\": ports with the same name and consecutive GUIDs are taken for one adapter", node.id);
        });
    dump_.remarks.emplace_back(
        "ibnetdiscover -p lists ports, not nodes: a node is given as many ports as the highest one listed, "
        "an adapter the GUID of its lowest port, and every port one LID (the list has no LMC)");
    for (const Oddities* sort : {&joined, &names_, &lids_}) sort->remark(dump_.remarks);
  }

  const std::string& file_;
  std::vector<Entry> entries_;
  Dump dump_;
  std::vector<Origin> origins_;  // by node
  std::map<NodeKey, std::uint32_t> node_of_;
  std::map<PortKey, std::uint32_t> node_at_;
  std::map<PortKey, int> line_of_;
  Oddities names_, lids_;
};

}  // namespace

bool is_port_list(std::string_view text) {
  std::optional<bool> answer;
  for_each_line(text, [&](const Line& line) {
    if (answer) return;
    if (begins_with_listed_port(line.text)) answer = true;
    if (opens_record(line.text)) answer = false;
  });
  return answer.value_or(false);
}

Dump read_port_list(std::string_view text, const std::string& file) {
  PortListReader reader(file);
  for_each_line(text, [&](const Line& line) { reader.read(line); });
  return std::move(reader).finish();
}

}  // namespace faultline::infiniband
