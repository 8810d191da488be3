// SPDX-License-Identifier: Apache-2.0
// Small fabrics with forwarding tables, both drawn at random.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <queue>
#include <random>
#include <vector>

#include "faultline/infiniband/fabric.h"
#include "faultline/infiniband/forwarding_tables.h"
#include "faultline/infiniband/lids.h"

namespace faultline::testing_support {

struct RandomFabric {
  infiniband::Fabric fabric;
  infiniband::ForwardingTables tables;
};

/// The other end of each cable.
inline std::map<infiniband::CableEnd, infiniband::CableEnd> far_ends(const infiniband::Fabric& fabric) {
  std::map<infiniband::CableEnd, infiniband::CableEnd> far;
  for (const infiniband::Cable& cable : fabric.cables) far[cable.a] = cable.b, far[cable.b] = cable.a;
  return far;
}

/// Switches in a tree with more cables between them, also parallel ones, and one or two adapters each, some
/// with several LIDs. Tables lead along shortest paths, but for one entry in `wrong_one_in`, which is missing
/// or names any port (0: none).
inline RandomFabric random_fabric(std::mt19937_64& random, unsigned wrong_one_in) {
  using namespace infiniband;
  const auto below = [&](std::uint64_t bound) { return static_cast<std::uint32_t>(random() % bound); };
  RandomFabric made;
  Fabric& fabric = made.fabric;
  const std::uint32_t switches = 2 + below(5);
  std::uint32_t lid = 1;
  const auto add_node = [&](NodeType type, std::uint8_t lmc) {
    const auto number = static_cast<std::uint32_t>(fabric.nodes.size());
    const Guid guid = 0x100 + 0x10 * number;
    const char* const prefix = type == NodeType::switch_ ? "S" : "H";
    const std::uint32_t end_port = type == NodeType::switch_ ? 0 : 1;
    lid = (lid + (1U << lmc) - 1) >> lmc << lmc;
    Node node{.type = type,
              .id = fmt::format("{}-{:016x}", prefix, guid),
              .guid = guid,
              .description = fmt::format("{}{}", prefix, number),
              .port_count = type == NodeType::switch_ ? 12U : 1U};
    node.end_ports = {
        {.number = end_port, .guid = guid + end_port, .lid = static_cast<Lid>(lid), .lmc = lmc}};
    fabric.nodes.push_back(node);
    lid += 1U << lmc;
    return number;
  };
  std::vector<std::uint32_t> next_port(switches, 1);
  const auto connect = [&](std::uint32_t a, std::uint32_t b) {
    if (a == b || next_port[a] > 12 || next_port[b] > 12) return;
    fabric.cables.push_back({{std::min(a, b), next_port[std::min(a, b)]},
                             {std::max(a, b), next_port[std::max(a, b)]},
                             "4x",
                             "QDR"});
    ++next_port[a], ++next_port[b];
  };
  for (std::uint32_t at = 0; at < switches; ++at) add_node(NodeType::switch_, 0);
  for (std::uint32_t at = 0; at < switches; ++at)
    for (std::uint32_t more = 1 + below(2); more != 0; --more) {
      const std::uint32_t adapter = add_node(NodeType::adapter, static_cast<std::uint8_t>(below(3) == 0));
      fabric.cables.push_back({{at, next_port[at]++}, {adapter, 1}, "4x", "QDR"});
    }
  for (std::uint32_t at = 1; at < switches; ++at) connect(at, below(at));
  for (std::uint32_t more = below(2 * switches); more != 0; --more) connect(below(switches), below(switches));
  std::ranges::sort(fabric.cables, {}, &Cable::a);

  const auto far = far_ends(fabric);
  made.tables.port_guids.resize(lid);
  for (std::uint32_t at = 0; at < switches; ++at)
    made.tables.switches.push_back(
        {fabric.nodes[at].guid, std::vector<std::uint8_t>(lid, ForwardingTable::no_entry)});
  for (std::uint32_t target = 0; target < fabric.nodes.size(); ++target)
    for_each_lid(fabric.nodes[target].end_ports.front(), [&](Lid wanted) {
      std::vector<bool> seen(fabric.nodes.size());
      std::queue<std::uint32_t> reached({target});
      seen[target] = true;
      if (target < switches) made.tables.switches[target].ports[wanted] = 0;
      for (; !reached.empty(); reached.pop())
        for (const auto& [near, end] : far)
          if (end.node == reached.front() && near.node < switches && !seen[near.node]) {
            seen[near.node] = true;
            made.tables.switches[near.node].ports[wanted] = static_cast<std::uint8_t>(near.port);
            reached.push(near.node);
          }
    });
  for (ForwardingTable& table : made.tables.switches)
    for (std::size_t entry = 1; entry < table.ports.size(); ++entry)
      if (wrong_one_in != 0 && below(wrong_one_in) == 0)
        table.ports[entry] = below(3) == 0 ? ForwardingTable::no_entry : static_cast<std::uint8_t>(below(13));
  return made;
}

}  // namespace faultline::testing_support
