// SPDX-License-Identifier: Apache-2.0
#include "faultline/traffic/pattern.h"

namespace faultline {

bool TrafficPattern::silent(TerminalId) const { return false; }

double TrafficPattern::share(TerminalId source, TerminalId destination) const {
  return this->destination(source, 0) == destination ? 1 : 0;
}

PatternPtr build_pattern(const Topology& topology, std::uint64_t seed, const Resolved<PatternKind>& pattern) {
  return pattern.kind().build(topology, seed, pattern.parameters());
}

}  // namespace faultline
