// SPDX-License-Identifier: Apache-2.0
// Dumps of real fabrics, in records or as a list of ports.
#include "faultline/infiniband/fabric.h"

#include "faultline/routing/kind.h"
#include "faultline/routing/states.h"
#include "faultline/topology/kind.h"
#include "targets.h"

namespace faultline::fuzz {
namespace {

/// What the dump describes, as a network with a routing.
void build(std::string_view bytes) {
  constexpr std::size_t max_terminals = 64;
  Description given = parse_compact("topology", "fabric:file=dump");
  given.files = std::make_shared<InputFiles>();
  given.files->add("dump", std::string(bytes));
  given.files->close();
  const TopologyPtr topology = build_topology(given);
  if (topology->terminal_count() > max_terminals) return;
  const RelationPtr relation = build_relation(topology, FaultSet(*topology), Description{.path = "routing"});
  (void)enumerate_states(*relation, TerminalId(0));
}

void read(std::string_view bytes) {
  using namespace infiniband;
  const Fabric fabric = parse_ibnetdiscover(bytes, "dump");
  for (const Cable& cable : fabric.cables)
    for (const CableEnd& end : {cable.a, cable.b})
      if (end.node >= fabric.nodes.size() || end.port < 1 || end.port > fabric.nodes[end.node].port_count)
        defect("a cable ends nowhere");
  const Fabric again = parse_ibnetdiscover(to_ibnetdiscover(fabric), "again");
  if (again.nodes.size() != fabric.nodes.size() || again.cables != fabric.cables)
    defect("a fabric is not read back as it was written");
  for (const Node& node : fabric.nodes)
    for (const EndPort& port : node.end_ports) canary(port.lmc == 2);
  build(bytes);
}

}  // namespace

extern constinit const Target dump{"dump", [](std::string_view bytes) { answer_or_refusal(read, bytes); }};

}  // namespace faultline::fuzz
