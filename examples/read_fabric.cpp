// SPDX-License-Identifier: Apache-2.0
// Read a real fabric from the output of ibnetdiscover: which of its cables between switches must not fail?
// One to try is examples/data/small.ibnetdiscover; without an argument it is looked for in the current
// folder.
#include <faultline/faultline.h>

#include <iostream>

using namespace faultline;

int main(int count, char** arguments) try {
  const std::string dump = count > 1 ? arguments[1] : "small.ibnetdiscover";
  const TopologyPtr topology = build_topology(parse_compact("topology", "fabric:file=" + dump));
  std::cout << topology->switch_count() << " switches, " << topology->terminal_count() << " terminals, "
            << topology->network_link_count() << " cables between switches\n";
  for (const LinkId link : id_range<LinkId>(0, topology->network_link_count())) {
    FaultSet dead(*topology);
    dead.fail(*topology, link);
    const RelationPtr relation = build_relation(topology, dead, parse_compact("routing", "up-down"));
    const Verdict verdict = verify(*relation, dead, {});
    if (!verdict.connected())
      std::cout << topology->name(link) << " cuts " << verdict.unreachable_pairs << " pairs off\n";
  }
} catch (const Error& error) {  // the file, the line, and what is allowed
  std::cerr << error.what() << '\n';
  return 2;
}
