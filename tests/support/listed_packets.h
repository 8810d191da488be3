// SPDX-License-Identifier: Apache-2.0
// A pattern that is a list of packets.
#pragma once

#include <algorithm>
#include <vector>

#include "faultline/traffic/pattern.h"
#include "faultline/traffic/trace.h"

namespace faultline::testing_support {

struct ListedPacket {
  TerminalId source;
  Trace::Packet packet;
};

class ListedPackets final : public TrafficPattern {
 public:
  ListedPackets(const Topology& topology, std::vector<ListedPacket> packets) {
    std::ranges::stable_sort(
        packets, {}, [](const ListedPacket& listed) { return std::pair(listed.source, listed.packet.time); });
    for (const TerminalId terminal : topology.terminals()) {
      trace_.first.push_back(static_cast<std::uint32_t>(trace_.packets.size()));
      for (const ListedPacket& listed : packets)
        if (listed.source == terminal) trace_.packets.push_back(listed.packet);
    }
    trace_.first.push_back(static_cast<std::uint32_t>(trace_.packets.size()));
  }
  [[nodiscard]] TerminalId destination(TerminalId, std::uint64_t) const override { return {}; }
  [[nodiscard]] bool silent(TerminalId source) const override { return trace_.count(source) == 0; }
  [[nodiscard]] const Trace* trace() const override { return &trace_; }

 private:
  Trace trace_;
};

}  // namespace faultline::testing_support
