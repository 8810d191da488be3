// SPDX-License-Identifier: Apache-2.0
#include "infiniband/remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "faultline/infiniband/lids.h"
#include "infiniband/oddities.h"

namespace faultline::infiniband {
namespace {

template <class Key>
using Owners = std::map<Key, std::vector<std::string>>;

/// "NAME is shared by A, B and 87 more"
std::string shared_by(const std::string& name, const std::vector<std::string>& ids) {
  constexpr std::size_t shown = 2;
  std::string list = fmt::format("{}", fmt::join(ids.begin(), ids.begin() + shown, ", "));
  if (ids.size() > shown) list += fmt::format(" and {} more", ids.size() - shown);
  return fmt::format("{} is shared by {}", name, list);
}

template <class Key, class Name>
void remark_on_shared(const Owners<Key>& owners, Name name, Fabric& fabric) {
  Oddities shared;
  for (const auto& [key, ids] : owners)
    if (ids.size() > 1) shared.add([&, &key = key, &ids = ids] { return shared_by(name(key), ids); });
  shared.remark(fabric.remarks);
}

}  // namespace

std::vector<SharedLid> shared_lids(const Fabric& fabric) {
  Owners<Lid> owners;
  for (const Node& node : fabric.nodes)
    for (const EndPort& port : node.end_ports)
      for_each_lid(port,
                   [&](Lid lid) { owners[lid].push_back(fmt::format("{}[{}]", node.id, port.number)); });
  std::vector<SharedLid> shared;
  for (auto& [lid, ports] : owners)
    if (ports.size() > 1) shared.push_back({lid, std::move(ports)});
  return shared;
}

void remark_on_repetitions(Fabric& fabric) {
  Owners<std::string> descriptions;
  Owners<Guid> guids, port_guids;
  Oddities without_cable, lids, misfits, no_unicast;
  for (const Node& node : fabric.nodes) {
    if (!node.description.empty()) descriptions[node.description].push_back(node.id);
    if (node.guid != 0) guids[node.guid].push_back(node.id);
    if (node.type != NodeType::switch_ && node.end_ports.empty())
      without_cable.add([&] { return fmt::format("\"{}\" has no cable", node.id); });
    for (const EndPort& port : node.end_ports) {
      if (port.guid != 0) port_guids[port.guid].push_back(fmt::format("{}[{}]", node.id, port.number));
      if (port.lid > last_unicast_lid)
        no_unicast.add([&] {
          return fmt::format("LID {} of {}[{}] is no unicast LID, the last of which is {}", port.lid, node.id,
                             port.number, last_unicast_lid);
        });
      if (!lid_fits_lmc(port))
        misfits.add([&] {
          return fmt::format("LID {} of {}[{}], whose LMC is {}, is no multiple of {}", port.lid, node.id,
                             port.number, port.lmc, lid_count(port));
        });
    }
  }
  for (const SharedLid& shared : shared_lids(fabric))
    lids.add([&] { return shared_by(fmt::format("LID {}", shared.lid), shared.ports); });
  without_cable.remark(fabric.remarks);
  remark_on_shared(
      descriptions, [](const std::string& name) { return fmt::format("name \"{}\"", name); }, fabric);
  remark_on_shared(
      guids, [](Guid guid) { return fmt::format("GUID 0x{:016x}", guid); }, fabric);
  remark_on_shared(
      port_guids, [](Guid guid) { return fmt::format("port GUID 0x{:016x}", guid); }, fabric);
  lids.remark(fabric.remarks);
  no_unicast.remark(fabric.remarks);
  misfits.remark(fabric.remarks);
}

void remark_on_remote_lids(const std::vector<Listing>& listings, Fabric& fabric) {
  std::unordered_map<std::string_view, const Node*> by_id;
  for (const Node& node : fabric.nodes) by_id.emplace(node.id, &node);
  Oddities different;
  for (const Listing& listing : listings) {
    const Node& remote = *by_id.at(listing.port.remote_id);
    const std::uint32_t number = remote.type == NodeType::switch_ ? 0 : listing.port.remote_port.value_or(0);
    const EndPort* port = remote.find_end_port(number);
    if (port == nullptr || port->lid == 0 || listing.port.remote_lid == 0 ||
        port->lid == listing.port.remote_lid)
      continue;
    different.add([&] {
      return fmt::format("line {}: LID {} for \"{}\", whose own record says {}", listing.line,
                         listing.port.remote_lid, remote.id, port->lid);
    });
  }
  different.remark(fabric.remarks);
}

void remark_on_unused_cables(Fabric& fabric) {
  Oddities between_adapters, loops;
  for (const auto& [a, b, width, speed] : fabric.cables) {
    const Node &from = fabric.nodes[a.node], &to = fabric.nodes[b.node];
    const auto between = [&] {
      return fmt::format("\"{}\"[{}] - \"{}\"[{}]", from.id, a.port, to.id, b.port);
    };
    if (from.type != NodeType::switch_ && to.type != NodeType::switch_)
      between_adapters.add([&] { return between() + " passes no switch; left out"; });
    else if (a.node == b.node)
      loops.add([&] { return between() + " leads back to its switch; left out"; });
  }
  between_adapters.remark(fabric.remarks);
  loops.remark(fabric.remarks);
}

void remark_on_rates(Fabric& fabric) {
  std::map<std::string, std::size_t> links;
  for (const Cable& cable : fabric.cables)
    if (!cable.speed.empty()) ++links[cable.width + cable.speed];
  if (links.size() < 2) return;
  std::string list;
  for (const auto& [rate, count] : links)
    list += fmt::format("{}{} of {}", list.empty() ? "" : ", ", count, rate);
  fabric.remarks.push_back(
      fmt::format("links have {} rates, and all are treated alike: {}", links.size(), list));
}

}  // namespace faultline::infiniband
