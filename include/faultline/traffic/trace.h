// SPDX-License-Identifier: Apache-2.0
// Recorded or prescribed packets, one by one.
#pragma once

#include <cstdint>
#include <vector>

#include "faultline/base/file.h"
#include "faultline/base/ids.h"

#pragma GCC visibility push(default)
namespace faultline {

struct Trace {
  struct Packet {
    std::uint32_t time = 0;  ///< cycle of its generation
    TerminalId destination;
    std::uint32_t flits = 1;
  };
  std::vector<Packet> packets;       ///< by source; those of a source by time
  std::vector<std::uint32_t> first;  ///< by source: where its packets begin; one more entry at the end

  [[nodiscard]] std::size_t sources() const { return first.size() - 1; }
  [[nodiscard]] std::uint32_t count(TerminalId source) const {
    return first[source.index() + 1] - first[source.index()];
  }
  [[nodiscard]] const Packet& packet(TerminalId source, std::uint32_t sequence) const {
    return packets[first[source.index()] + sequence];
  }
};

/// The longest time and size that a trace may hold.
inline constexpr std::uint32_t max_trace_time = std::uint32_t{1} << 29,
                               max_trace_flits = std::uint32_t{1} << 20;

/// Reads lines "time,source,destination,flits" in any order, terminals by number; empty lines, lines that
/// begin with # and a first line of column names are skipped. Throws Error("traffic.file") with file and line
/// for anything else, or for a packet to its own source.
[[nodiscard]] Trace read_trace(const InputFile& file, std::size_t terminals);

}  // namespace faultline
#pragma GCC visibility pop
