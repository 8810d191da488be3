// SPDX-License-Identifier: Apache-2.0
#include "simulate/cut_through/deadlock.h"

#include <fmt/format.h>

#include <algorithm>

namespace faultline::cut_through {

Deadlock find_deadlock(const Topology& topology, std::uint32_t vcs, const BlockedHeads& blocked) {
  Deadlock deadlock;
  for (const VcIndex vc : faultline::find_deadlock(blocked.waits)) {
    const auto& head = *std::ranges::find(blocked.heads, vc, &BlockedHeads::Head::vc);
    deadlock.channels.push_back(topology.name(ChannelId(vc / vcs)));
    deadlock.packets.push_back(fmt::format("{} -> {} #{}", topology.name(head.source),
                                           topology.name(head.destination), head.sequence));
  }
  return deadlock;
}

}  // namespace faultline::cut_through
