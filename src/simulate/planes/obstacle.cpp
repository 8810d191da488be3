// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "simulate/planes/engine.h"
#include "simulate/switches/widest_switch.h"

namespace faultline::wormhole::planes {

std::optional<std::string> obstacle(const RoutingRelation& relation, const SimulationSpec& spec) {
  constexpr std::size_t max_ports = 64;
  constexpr std::uint64_t max_log_bytes = std::uint64_t{1} << 30;
  const Topology& topology = relation.topology();
  if (!spec.speedup.none()) return "a speed-up of switches";
  if (arbitration_of(spec) != Arbitration::round_robin) return "arbitration other than round robin";
  if (vc_count(relation, spec) > max_vcs_by_planes) return "more than 8 virtual channels";
  const std::size_t ports = widest_switch(topology);
  if (ports > max_ports) return "switches of more than 64 ports";
  std::uint64_t longest = 0;
  const Timing timing(spec.wormhole());
  for (const ChannelId channel : topology.channels())
    longest = std::max(longest, static_cast<std::uint64_t>(timing.flit_delay(topology, channel)) +
                                    static_cast<std::uint64_t>(timing.credit_delay(topology, channel)));
  if (std::bit_ceil(longest + 1) * topology.switch_count() * std::bit_ceil(ports) > max_log_bytes)
    return "channels too long for its log of flits in flight";
  return {};
}

}  // namespace faultline::wormhole::planes
