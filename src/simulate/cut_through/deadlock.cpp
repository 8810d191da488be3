// SPDX-License-Identifier: Apache-2.0
#include "simulate/cut_through/deadlock.h"

#include <fmt/format.h>

#include <algorithm>

namespace faultline::cut_through {

Deadlock find_deadlock(const Topology& topology, std::uint32_t vcs, std::vector<Blocked> blocked) {
  const auto held = [](const Blocked& head) { return head.waits.vc; };
  std::ranges::sort(blocked, {}, held);
  std::vector<Waiting> waiting;
  waiting.reserve(blocked.size());
  for (const Blocked& head : blocked) waiting.push_back(head.waits);
  Deadlock deadlock;
  for (const VcIndex vc : faultline::find_deadlock(waiting)) {
    const Blocked& head = *std::ranges::lower_bound(blocked, vc, {}, held);
    deadlock.channels.push_back(topology.name(ChannelId(vc / vcs)));
    deadlock.packets.push_back(fmt::format("{} -> {} #{}", topology.name(head.source),
                                           topology.name(head.destination), head.sequence));
  }
  return deadlock;
}

}  // namespace faultline::cut_through
