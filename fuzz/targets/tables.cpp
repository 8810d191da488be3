// SPDX-License-Identifier: Apache-2.0
// Forwarding tables of real fabrics.
#include "faultline/infiniband/forwarding_tables.h"
#include "targets.h"

namespace faultline::fuzz {
namespace {

void read(std::string_view bytes) {
  const infiniband::ForwardingTables tables = infiniband::parse_forwarding_tables(bytes, "tables");
  for (const infiniband::ForwardingTable& table : tables.switches)
    if (tables.find(table.switch_guid) == nullptr) defect("a table is not found");
  for (const infiniband::ForwardingTable& table : tables.switches) canary(table.port(3) == 7);
}

}  // namespace

extern constinit const Target tables{"tables",
                                     [](std::string_view bytes) { answer_or_refusal(read, bytes); }};

}  // namespace faultline::fuzz
