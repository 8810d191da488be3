// SPDX-License-Identifier: Apache-2.0
#include "faultline/traffic/pattern.h"

#include <algorithm>

namespace faultline {

bool TrafficPattern::silent(TerminalId) const { return false; }

double TrafficPattern::share(TerminalId source, TerminalId destination) const {
  return this->destination(source, 0) == destination ? 1 : 0;
}

double sending_fraction(const TrafficPattern& pattern, const Topology& topology) {
  if (pattern.trace() != nullptr) return 1;
  const auto silent = std::ranges::count_if(topology.terminals(),
                                            [&](TerminalId terminal) { return pattern.silent(terminal); });
  return 1 - static_cast<double>(silent) / static_cast<double>(topology.terminal_count());
}

PatternPtr build_pattern(const Topology& topology, std::uint64_t seed, const Resolved<PatternKind>& pattern) {
  return pattern.kind().build(topology, seed, pattern.parameters());
}

}  // namespace faultline
