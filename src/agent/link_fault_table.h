// SPDX-License-Identifier: Apache-2.0
// The link fault information of a source (paper 2, section 3.2, as PAPERS.md reads it).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "faultline/base/ids.h"

namespace faultline {

class LinkFaultTable {
 public:
  struct Rules {
    std::uint32_t permanent_stage = 3;     ///< an entry of this stage is permanent
    std::uint32_t attempts = 10;           ///< until a path with a non-permanent entry is tried
    std::uint32_t permanent_attempts = 0;  ///< likewise for a permanent one; 0: never (the paper's rule)
    std::uint32_t max_entries = 0;         ///< beyond these the oldest is forgotten; 0: no limit
  };
  struct Entry {
    ChannelId channel;
    std::uint32_t stage = 1;    ///< notifications since the entry was made
    std::uint32_t attempt = 0;  ///< refusals since the last notification
  };

  explicit LinkFaultTable(const Rules& rules) : rules_(rules) {}

  /// A channel has been reported to be down.
  void notify(ChannelId channel);
  /// Whether a packet may be injected onto the path. If it may not, and no entry rules the path out
  /// permanently, this counts as an attempt at each of its channels.
  [[nodiscard]] bool admits(std::span<const ChannelId> path);
  /// A packet has arrived over the path: returns how many entries are deleted.
  std::size_t clear(std::span<const ChannelId> path);

  /// No packet may be injected onto the path until one has arrived over its channels in another way.
  [[nodiscard]] bool rules_out(std::span<const ChannelId> path) const;
  [[nodiscard]] bool touches(std::span<const ChannelId> path) const;
  [[nodiscard]] bool is_permanent(const Entry& entry) const { return entry.stage >= rules_.permanent_stage; }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  Rules rules_;
  std::vector<Entry> entries_;  // the oldest first
};

}  // namespace faultline
