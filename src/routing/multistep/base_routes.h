// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "faultline/routing/relation.h"

namespace faultline {

/// A deterministic routing as a table: which channel leads from a switch towards a terminal. 8 bytes for each
/// switch and terminal.
class BaseRoutes {
 public:
  /// If the base offers several options, its first is taken. Throws Error("routing", `routing`, "needs …")
  /// unless the base has one virtual channel, no tags, does not read the held channel and leads from every
  /// switch to every terminal; every terminal has one injection and one ejection channel, at
  /// one switch of at most 65,535 outputs. Throws Error("routing", …) as well where the base breaks its
  /// contract, and where the table would not fit (require_fitting_tables).
  BaseRoutes(const RoutingRelation& base, const std::string& routing);

  [[nodiscard]] const Topology& topology() const { return *topology_; }
  [[nodiscard]] SwitchId home(TerminalId terminal) const { return homes_[terminal.index()]; }
  /// The ejection channel at the terminal's own switch.
  [[nodiscard]] ChannelId next(SwitchId at, TerminalId to) const {
    return topology_->outputs(at)[entry(at, to).output];
  }
  /// Network channels from `at` to the terminal's switch.
  [[nodiscard]] std::uint32_t hops(SwitchId at, TerminalId to) const { return entry(at, to).hops; }

  /// The last of them; invalid where there are none.
  [[nodiscard]] ChannelId last(SwitchId at, TerminalId to) const { return entry(at, to).last; }

  /// Whether the path from `at` to the terminal leads over `through`. As a switch has one path to a terminal,
  /// the hops of `through` would then remain.
  [[nodiscard]] bool comes_by(SwitchId at, TerminalId to, SwitchId through) const {
    for (std::uint32_t left = hops(through, to); hops(at, to) > left;) at = topology_->target(next(at, to));
    return at == through;
  }

  /// visit(channel) for each network channel from `at` to the terminal's switch; ends when it returns false.
  template <class Visit>
  void walk(SwitchId at, TerminalId to, Visit visit) const {
    while (at != home(to)) {
      const ChannelId channel = next(at, to);
      if (!visit(channel)) return;
      at = topology_->target(channel);
    }
  }

 private:
  struct Entry {
    std::uint16_t output = 0;  ///< position among the outputs of the switch
    std::uint16_t hops = 0;
    ChannelId last;
  };

  [[nodiscard]] const Entry& entry(SwitchId at, TerminalId to) const { return entries_[index(at, to)]; }
  /// Paths to one terminal are followed from switch to switch.
  [[nodiscard]] std::size_t index(SwitchId at, TerminalId to) const {
    return to.index() * topology_->switch_count() + at.index();
  }
  void count_hops(TerminalId to, const std::string& routing);

  const Topology* topology_;
  std::vector<SwitchId> homes_;  // by terminal
  std::vector<Entry> entries_;   // by terminal and switch
};

}  // namespace faultline
