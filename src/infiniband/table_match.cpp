// SPDX-License-Identifier: Apache-2.0
#include "faultline/infiniband/table_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_set>

#include "faultline/base/error.h"
#include "faultline/infiniband/lids.h"
#include "infiniband/oddities.h"

namespace faultline::infiniband {
namespace {

class TableMatch {
 public:
  TableMatch(const ForwardingTables& tables, const Fabric& fabric) : tables_(tables), fabric_(fabric) {
    for (const Cable& cable : fabric.cables) {
      far_.emplace(cable.a, cable.b);
      far_.emplace(cable.b, cable.a);
    }
    for (const auto& [end, far] : far_)
      if (!is_switch(end) && is_switch(far)) add_destination(end);
    for (std::uint32_t index = 0; index < fabric.nodes.size(); ++index) {
      const Node& node = fabric.nodes[index];
      const bool forwards = node.type == NodeType::switch_ && has_cable(index);
      table_of_.push_back(forwards ? tables.find(node.guid) : nullptr);
      if (forwards)
        for_each_lid(*node.find_end_port(0), [&](Lid lid) { destinations_.push_back({{index, 0}, lid}); });
    }
  }

  std::vector<std::string> remarks(bool with_entries) && {
    examine_switches();
    for (const auto& [end, lid] : destinations_)
      if (is_switch(end)) examine_circle(end.node, lid);
    examine_names();
    examine_lids();
    std::vector<std::string> remarks;
    unknown_.remark("table is of a switch that the fabric does not have",
                    "tables are of switches that the fabric does not have", remarks);
    without_table_.remark("switch has no table", "switches have no table", remarks);
    without_lid_.remark("adapter port has no unicast LID", "adapter ports have no unicast LID", remarks);
    if (with_entries) remark_on_entries(remarks);
    unowned_.remark("LID in the tables belongs to no port of the fabric",
                    "LIDs in the tables belong to no port of the fabric", remarks);
    renamed_.remark("LID belongs to another port than the tables say (dumped at another time?)",
                    "LIDs belong to other ports than the tables say (dumped at another time?)", remarks);
    return remarks;
  }

 private:
  void remark_on_entries(std::vector<std::string>& remarks) const {
    missing_.remark("entry for the LID of an adapter is missing",
                    "entries for the LIDs of adapters are missing", remarks);
    uncabled_.remark("entry leads to a port without a cable", "entries lead to ports without a cable",
                     remarks);
    kept_.remark("entry for the LID of an adapter leads to the switch itself",
                 "entries for the LIDs of adapters lead to the switch itself", remarks);
    elsewhere_.remark("entry leads to an adapter port that does not have the LID",
                      "entries lead to adapter ports that do not have the LID", remarks);
    own_.remark("entry for a switch's own LID does not lead to the switch itself",
                "entries for switches' own LIDs do not lead to the switches themselves", remarks);
    kept_by_another_.remark("entry for the LID of another switch leads to the switch itself",
                            "entries for the LIDs of other switches lead to the switch itself", remarks);
    circles_.remark("LID of a switch has entries that lead in a circle",
                    "LIDs of switches have entries that lead in a circle", remarks);
  }

  struct Destination {
    CableEnd end;
    Lid lid;
  };

  [[nodiscard]] bool is_switch(const CableEnd& end) const {
    return fabric_.nodes[end.node].type == NodeType::switch_;
  }
  [[nodiscard]] bool has_cable(std::uint32_t index) const {
    const auto first = far_.lower_bound({index, 0});
    return first != far_.end() && first->first.node == index;
  }
  [[nodiscard]] std::string name(std::uint32_t index) const {
    const Node& node = fabric_.nodes[index];
    return node.description.empty() ? fmt::format("\"{}\"", node.id)
                                    : fmt::format("\"{}\" ({})", node.description, node.id);
  }

  void add_destination(const CableEnd& end) {
    const EndPort& port = *fabric_.nodes[end.node].find_end_port(end.port);
    if (port.lid == 0 || port.lid > last_unicast_lid)
      return without_lid_.add([&] { return fmt::format("{}, port {}", name(end.node), end.port); });
    for_each_lid(port, [&](Lid lid) { destinations_.push_back({end, lid}); });
  }

  void examine_switches() {
    std::unordered_set<Guid> known;
    for (std::uint32_t index = 0; index < fabric_.nodes.size(); ++index) {
      const Node& node = fabric_.nodes[index];
      if (node.type != NodeType::switch_) continue;
      known.insert(node.guid);
      if (!has_cable(index)) continue;
      if (table_of_[index] != nullptr)
        examine(index, *table_of_[index]);
      else
        without_table_.add([&] { return name(index); });
    }
    for (const ForwardingTable& table : tables_.switches)
      if (!known.contains(table.switch_guid))
        unknown_.add([&] { return fmt::format("GUID 0x{:016x}", table.switch_guid); });
  }

  void examine(std::uint32_t at, const ForwardingTable& table) {
    std::array<const CableEnd*, 256> far_of_port{};
    for (auto cable = far_.lower_bound({at, 0}); cable != far_.end() && cable->first.node == at; ++cable)
      far_of_port[cable->first.port] = &cable->second;
    for (const auto& [end, lid] : destinations_) {
      const std::optional<std::uint8_t> port = table.port(lid);
      const auto entry = [&, lid = lid] {
        return fmt::format("LID {} at {}, port {}", lid, name(at), *port);
      };
      const bool is_for_switch = is_switch(end);
      if (!port) {
        if (!is_for_switch)
          missing_.add([&, lid = lid] { return fmt::format("LID {} at {}", lid, name(at)); });
      } else if (at == end.node) {
        if (*port != 0) own_.add(entry);
      } else if (*port == 0) {
        (is_for_switch ? kept_by_another_ : kept_).add(entry);
      } else if (far_of_port[*port] == nullptr) {
        uncabled_.add(entry);
      } else if (const CableEnd& far = *far_of_port[*port]; !is_switch(far) && far != end) {
        elsewhere_.add([&] { return fmt::format("{}, to {}", entry(), name(far.node)); });
      }
    }
  }

  /// Follows the entries for the LID of the switch `to` from each switch.
  void examine_circle(std::uint32_t to, Lid lid) {
    constexpr std::uint32_t not_yet = ~std::uint32_t{0};
    std::vector<std::uint32_t> followed_from(fabric_.nodes.size(), not_yet);
    for (std::uint32_t start = 0; start < fabric_.nodes.size(); ++start) {
      std::optional<std::uint32_t> at = start;
      while (at && at != to && followed_from[*at] == not_yet) {
        followed_from[*at] = start;
        at = next_switch(*at, lid);
      }
      if (!at || at == to || followed_from[*at] != start) continue;
      return circles_.add([&] { return fmt::format("LID {} of {}, at {}", lid, name(to), name(*at)); });
    }
  }
  [[nodiscard]] std::optional<std::uint32_t> next_switch(std::uint32_t at, Lid lid) const {
    const std::optional<std::uint8_t> port =
        table_of_[at] == nullptr ? std::nullopt : table_of_[at]->port(lid);
    if (!port) return std::nullopt;
    const auto far = far_.find({at, *port});
    if (far == far_.end() || !is_switch(far->second)) return std::nullopt;
    return far->second.node;
  }

  void examine_names() {
    for (std::uint32_t index = 0; index < fabric_.nodes.size(); ++index)
      for (const EndPort& port : fabric_.nodes[index].end_ports)
        for_each_lid(port, [&](Lid lid) {
          if (lid >= tables_.port_guids.size() || port.guid == 0) return;
          const std::vector<Guid>& guids = tables_.port_guids[lid];
          const auto named = std::ranges::find_if(guids, [&](Guid guid) { return guid != port.guid; });
          if (named == guids.end()) return;
          renamed_.add([&] {
            return fmt::format("LID {} of {}, port GUID 0x{:016x}, in the tables 0x{:016x}", lid, name(index),
                               port.guid, *named);
          });
        });
  }

  void examine_lids() {
    std::vector<bool> has_port(std::size_t{last_unicast_lid} + 1), has_entry(has_port.size());
    for (const Node& node : fabric_.nodes)
      for (const EndPort& port : node.end_ports) for_each_lid(port, [&](Lid lid) { has_port[lid] = true; });
    for (const ForwardingTable& table : tables_.switches)
      for (std::size_t lid = 1; lid < std::min(table.ports.size(), has_entry.size()); ++lid)
        if (table.ports[lid] != ForwardingTable::no_entry) has_entry[lid] = true;
    for (std::size_t lid = 1; lid < has_port.size(); ++lid)
      if (has_entry[lid] && !has_port[lid]) unowned_.add([&] { return fmt::format("LID {}", lid); });
  }

  const ForwardingTables& tables_;
  const Fabric& fabric_;
  std::map<CableEnd, CableEnd> far_;
  std::vector<const ForwardingTable*> table_of_;  ///< by node; null where nothing is forwarded
  std::vector<Destination> destinations_;
  Oddities unknown_, without_table_, without_lid_, missing_, uncabled_, kept_, elsewhere_, own_,
      kept_by_another_, circles_, renamed_, unowned_;
};

}  // namespace

std::vector<std::string> remarks_on_match(const ForwardingTables& tables, const Fabric& fabric) {
  return TableMatch(tables, fabric).remarks(true);
}

std::vector<std::string> remarks_on_nodes(const ForwardingTables& tables, const Fabric& fabric) {
  return TableMatch(tables, fabric).remarks(false);
}

void require_same_fabric(const ForwardingTables& tables, const Fabric& fabric, std::string_view field,
                         const std::string& file) {
  const bool has_a_table = std::ranges::any_of(fabric.nodes, [&](const Node& node) {
    return node.type == NodeType::switch_ && tables.find(node.guid) != nullptr;
  });
  if (!has_a_table)
    throw Error(std::string(field), file,
                "holds no table of a switch of this fabric; must be tables of the same fabric");
}

}  // namespace faultline::infiniband
