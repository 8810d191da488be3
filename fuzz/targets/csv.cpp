// SPDX-License-Identifier: Apache-2.0
// Files of lines: weights of traffic, traces, schedules of faults, rooms, and lists of faults. The first byte
// says which.
#include <cmath>

#include "faultline/design/layout.h"
#include "faultline/fault/schedule.h"
#include "faultline/routing/kind.h"
#include "faultline/topology/kind.h"
#include "faultline/traffic/pattern.h"
#include "study/fault_options.h"
#include "targets.h"

namespace faultline::fuzz {
namespace {

void read_pattern(const Topology& topology, const std::string& kind,
                  const std::shared_ptr<InputFiles>& files) {
  Description given = parse_compact("traffic", kind + ":file=file");
  given.files = files;
  const PatternPtr pattern = build_pattern(topology, 1, given);
  double share = 0;
  for (const TerminalId destination : topology.terminals())
    share += pattern->share(TerminalId(0), destination);
  if (!pattern->silent(TerminalId(0)) && (share < 0.999 || share > 1.001)) defect("shares that are not one");
  if (!pattern->silent(TerminalId(0)) &&
      pattern->destination(TerminalId(0), ~std::uint64_t{0}).index() >= topology.terminal_count())
    defect("a destination that is none");
  canary(kind == "matrix" && pattern->share(TerminalId(2), TerminalId(1)) == 0);
}

void read(std::string_view bytes) {
  static const TopologyPtr topology = build_topology(parse_compact("topology", "fat-tree:k=2,n=2"));
  if (bytes.empty()) return;
  const auto files = std::make_shared<InputFiles>();
  files->add("file", std::string(bytes.substr(1)));
  files->close();
  switch (bytes.front()) {
    case 'm':
      return read_pattern(*topology, "matrix", files);
    case 't':
      return read_pattern(*topology, "trace", files);
    case 's': {
      const FaultSchedule schedule =
          read_fault_schedule(topology, files->read("file", "schedule"), "schedule");
      for (const Outage& outage : schedule)
        if (outage.from >= outage.until) defect("an outage that is none");
      return;
    }
    case 'r':
      for (const Spot& spot : read_room(files->read("file", "room")).spots)
        for (const double coordinate : spot)
          if (!std::isfinite(coordinate)) defect("a spot that is nowhere");
      return;
    default:
      (void)StaticFaultOptions{{.unit = "link", .scope = "all"}, "file"}.choose(
          topology, Description{.path = "routing"}, Switching::cut_through, 1,
          {.path = "simulate", .files = files});
  }
}

}  // namespace

extern constinit const Target csv{"csv", [](std::string_view bytes) { answer_or_refusal(read, bytes); }};

}  // namespace faultline::fuzz
