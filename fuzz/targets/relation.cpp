// SPDX-License-Identifier: Apache-2.0
// Relation files.
#include "faultline/formats/relation_file.h"
#include "faultline/routing/kind.h"
#include "faultline/routing/states.h"
#include "faultline/topology/kind.h"
#include "targets.h"

namespace faultline::fuzz {
namespace {

/// As a network with the file's own routing.
void build(std::string_view bytes) {
  Description given = parse_compact("topology", "relation:file=file");
  given.files = std::make_shared<InputFiles>();
  given.files->add("file", std::string(bytes));
  given.files->close();
  const TopologyPtr topology = build_topology(given);
  const RelationPtr relation = build_relation(topology, FaultSet(*topology), Description{.path = "routing"});
  for (const TerminalId destination : topology->terminals()) (void)enumerate_states(*relation, destination);
}

void read(std::string_view bytes) {
  constexpr std::uint32_t max_switches = 64;
  const formats::RelationFile file = formats::parse_relation(bytes, "file", "relation");
  if (formats::relation_text(formats::parse_relation(formats::relation_text(file), "again", "again")) !=
      formats::relation_text(file))
    defect("a relation is not read back as it was written");
  canary(file.virtual_channels == 3);
  if (file.switches <= max_switches) build(bytes);
}

}  // namespace

extern constinit const Target relation{"relation",
                                       [](std::string_view bytes) { answer_or_refusal(read, bytes); }};

}  // namespace faultline::fuzz
