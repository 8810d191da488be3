// SPDX-License-Identifier: Apache-2.0
// The multipath of a pair of terminals: which paths are open, and how packets are divided among them (DRB;
// paper 2, section 3.1).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "faultline/agent/agent.h"

namespace faultline {

class Multipath {
 public:
  struct Rules {
    std::uint32_t max_open = 4;  ///< besides those that are ruled out
    double upper = 1.3;          ///< of the least unloaded latency of a path: above it one more is opened
    double lower = 0.55;         ///< below it one is closed
  };
  struct Path {
    InjectionWay way;
    std::uint32_t latency = 1;                ///< as last reported; before any report, the unloaded one
    mutable std::vector<ChannelId> channels;  ///< after the injection channel; empty until they are needed
  };

  /// Adds those of `ways` that are new, after those that are known.
  void know(std::span<const RouteOption> ways, TerminalId destination, const AgentContext& context);

  /// Absent if no path begins in this way.
  [[nodiscard]] std::optional<std::size_t> find(InjectionWay way) const;
  [[nodiscard]] std::vector<Path>& paths() { return paths_; }
  [[nodiscard]] std::span<const Path> open_paths() const { return std::span(paths_).first(open_); }
  [[nodiscard]] std::size_t open() const { return open_; }
  [[nodiscard]] std::size_t max_ever_open() const { return max_ever_; }

  /// One of `among`, positions of paths, of which there is at least one: path i with the probability
  /// (1 / latency of i) / (the sum of that over all of them).
  [[nodiscard]] std::size_t draw(std::span<const std::size_t> among, std::uint64_t random) const;

  /// Opens one more path; false if none may be opened. `ruled_out` of the open ones will not be used again:
  /// the multipath is expanded instead (paper 2, section 3).
  bool widen(const Rules& rules, std::size_t ruled_out);
  /// Closes the last paths while more than may be open can be used: some that were ruled out may be used
  /// again.
  template <class RuledOut>
  void keep_within(const Rules& rules, RuledOut ruled_out) {
    while (open_ > rules.max_open && open_ - ruled_out() > rules.max_open) --open_;
  }
  /// Opens or closes one path according to the joint latency of the open ones that are `usable`: 1 / (the sum
  /// of 1 / latency).
  template <class Usable>
  void configure(const Rules& rules, std::size_t ruled_out, Usable usable) {
    double rate = 0;
    for (const Path& path : open_paths())
      if (usable(path)) rate += 1.0 / path.latency;
    if (rate > 0) configure(rules, ruled_out, 1 / rate);
  }

 private:
  void configure(const Rules& rules, std::size_t ruled_out, double joint_latency);

  std::vector<Path> paths_;
  double unloaded_ = 1;  // the least latency that one of the paths has alone in the network
  std::size_t open_ = 1, max_ever_ = 1;
};

}  // namespace faultline
