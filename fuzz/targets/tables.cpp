// SPDX-License-Identifier: Apache-2.0
// Forwarding tables of real fabrics, by themselves and as the routing of one.
#include "faultline/infiniband/forwarding_tables.h"

#include "faultline/routing/kind.h"
#include "faultline/routing/states.h"
#include "faultline/topology/kind.h"
#include "targets.h"

namespace faultline::fuzz {
namespace {

/// Two switches, two hosts.
constexpr const char* dump =
    R"(Switch	4 "S-00000000000000a1"		# "leaf # 1" enhanced port 0 lid 1 lmc 0
[1]	"H-00000000000000c1"[1](c2) 		# "host a" lid 4 4xQDR
[3]	"S-00000000000000a2"[3]		# "leaf 2" lid 2 4xQDR

Switch	4 "S-00000000000000a2"		# "leaf 2" base port 0 lid 2 lmc 0
[1]	"H-00000000000000e1"[1](e2) 		# "host b" lid 7 4xQDR
[3]	"S-00000000000000a1"[3]		# "leaf # 1" lid 1 4xQDR

Ca	1 "H-00000000000000c1"		# "host a"
[1](c2) 	"S-00000000000000a1"[1]		# lid 4 lmc 1 "leaf # 1" lid 1 4xQDR

Ca	1 "H-00000000000000e1"		# "host b"
[1](e2) 	"S-00000000000000a2"[1]		# lid 7 lmc 0 "leaf 2" lid 2 4xQDR
)";

void build(std::string_view bytes) {
  Description given = parse_compact("topology", "fabric:file=dump,tables=tables");
  given.files = std::make_shared<InputFiles>();
  given.files->add("dump", dump);
  given.files->add("tables", std::string(bytes));
  given.files->close();
  const TopologyPtr topology = build_topology(given);
  const RelationPtr relation =
      build_relation(topology, FaultSet(*topology), parse_compact("routing", "tables"));
  for (const TerminalId destination : topology->terminals()) (void)enumerate_states(*relation, destination);
}

void read(std::string_view bytes) {
  const infiniband::ForwardingTables tables = infiniband::parse_forwarding_tables(bytes, "tables");
  for (const infiniband::ForwardingTable& table : tables.switches)
    if (tables.find(table.switch_guid) == nullptr) defect("a table is not found");
  for (const infiniband::ForwardingTable& table : tables.switches) canary(table.port(3) == 7);
  build(bytes);
}

}  // namespace

extern constinit const Target tables{"tables",
                                     [](std::string_view bytes) { answer_or_refusal(read, bytes); }};

}  // namespace faultline::fuzz
