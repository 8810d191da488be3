// SPDX-License-Identifier: Apache-2.0
#include "infiniband/remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

namespace faultline::infiniband {
namespace {

template <class Key>
using Owners = std::map<Key, std::vector<std::string>>;

/// "… is shared by A, B and 87 more"
template <class Key, class Text>
void remark_on_shared(const Owners<Key>& owners, Text text, Fabric& fabric) {
  constexpr std::size_t shown = 2;
  for (const auto& [key, ids] : owners) {
    if (ids.size() < 2) continue;
    std::string list = fmt::format("{}", fmt::join(ids.begin(), ids.begin() + shown, ", "));
    if (ids.size() > shown) list += fmt::format(" and {} more", ids.size() - shown);
    fabric.remarks.push_back(fmt::format("{} is shared by {}", text(key), list));
  }
}

}  // namespace

void remark_on_repetitions(Fabric& fabric) {
  Owners<std::string> descriptions;
  Owners<Guid> guids;
  Owners<Lid> lids;
  for (const Node& node : fabric.nodes) {
    if (!node.description.empty()) descriptions[node.description].push_back(node.id);
    if (node.guid != 0) guids[node.guid].push_back(node.id);
    for (const EndPort& port : node.end_ports)
      if (port.lid != 0) lids[port.lid].push_back(fmt::format("{}[{}]", node.id, port.number));
    if (node.type != NodeType::switch_ && node.end_ports.empty())
      fabric.remarks.push_back(fmt::format("\"{}\" has no cable", node.id));
  }
  remark_on_shared(
      descriptions, [](const std::string& name) { return fmt::format("name \"{}\"", name); }, fabric);
  remark_on_shared(
      guids, [](Guid guid) { return fmt::format("GUID 0x{:016x}", guid); }, fabric);
  remark_on_shared(
      lids, [](Lid lid) { return fmt::format("LID {}", lid); }, fabric);
}

void remark_on_remote_lids(const std::vector<Listing>& listings, Fabric& fabric) {
  std::unordered_map<std::string_view, const Node*> by_id;
  for (const Node& node : fabric.nodes) by_id.emplace(node.id, &node);
  for (const Listing& listing : listings) {
    const Node& remote = *by_id.at(listing.port.remote_id);
    const std::uint32_t number = remote.type == NodeType::switch_ ? 0 : listing.port.remote_port.value_or(0);
    const EndPort* port = remote.find_end_port(number);
    if (port == nullptr || port->lid == 0 || listing.port.remote_lid == 0 ||
        port->lid == listing.port.remote_lid)
      continue;
    fabric.remarks.push_back(fmt::format("line {}: LID {} for \"{}\", whose own record says {}", listing.line,
                                         listing.port.remote_lid, remote.id, port->lid));
  }
}

}  // namespace faultline::infiniband
