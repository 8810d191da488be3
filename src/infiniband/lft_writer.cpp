// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>
#include <unordered_map>

#include "faultline/infiniband/forwarding_tables.h"
#include "faultline/infiniband/lids.h"

namespace faultline::infiniband {
namespace {

struct Owner {
  const Node* node;
  const EndPort* port;
};

std::unordered_map<Lid, Owner> owners_of_lids(const Fabric& fabric) {
  std::unordered_map<Lid, Owner> owners;
  for (const Node& node : fabric.nodes)
    for (const EndPort& port : node.end_ports)
      for_each_lid(port, [&](Lid lid) { owners.emplace(lid, Owner{&node, &port}); });
  return owners;
}

std::string_view type_name(NodeType type) {
  switch (type) {
    case NodeType::switch_:
      return "Switch";
    case NodeType::adapter:
      return "Channel Adapter";
    case NodeType::router:
      return "Router";
  }
  return "";
}

/// The last one with an entry; 0: none.
std::size_t last_lid(const ForwardingTable& table) {
  std::size_t lids = table.ports.size();
  while (lids > 1 && table.ports[lids - 1] == ForwardingTable::no_entry) --lids;
  return lids == 0 ? 0 : lids - 1;
}

}  // namespace

std::string to_lft_dump(const ForwardingTables& tables, const Fabric& fabric) {
  const std::unordered_map<Lid, Owner> owners = owners_of_lids(fabric);
  std::unordered_map<Guid, const Node*> switches;
  for (const Node& node : fabric.nodes)
    if (node.type == NodeType::switch_) switches.emplace(node.guid, &node);

  std::string text;
  const auto print = [&text]<class... Values>(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Values>(values)...);
  };
  for (const ForwardingTable& table : tables.switches) {
    const auto found = switches.find(table.switch_guid);
    const Node* node = found == switches.end() ? nullptr : found->second;
    print(
        "Unicast lids [0x0-0x{:x}] of switch Lid {} guid 0x{:016x} ({}):\n  Lid  Out   Destination\n       "
        "Port     Info\n",
        last_lid(table), node == nullptr ? 0 : node->end_ports.front().lid, table.switch_guid,
        node == nullptr ? "" : node->description);
    for (std::size_t lid = 1; lid < table.ports.size(); ++lid) {
      if (table.ports[lid] == ForwardingTable::no_entry) continue;
      const auto owner = owners.find(static_cast<Lid>(lid));
      if (owner == owners.end())
        print("0x{:04x} {:03} :\n", lid, table.ports[lid]);
      else
        print("0x{:04x} {:03} : ({} portguid 0x{:016x}: '{}')\n", lid, table.ports[lid],
              type_name(owner->second.node->type), owner->second.port->guid, owner->second.node->description);
    }
    print("{} lids dumped\n", table.entry_count());
  }
  return text;
}

}  // namespace faultline::infiniband
