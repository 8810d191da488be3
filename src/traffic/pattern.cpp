// SPDX-License-Identifier: Apache-2.0
#include "faultline/traffic/pattern.h"

namespace faultline {

bool TrafficPattern::silent(TerminalId) const { return false; }

PatternPtr build_pattern(const Topology& topology, std::uint64_t seed, const Description& description) {
  return find_kind(pattern_kinds(), description).build(topology, seed, description);
}

}  // namespace faultline
