// SPDX-License-Identifier: Apache-2.0
// Lost terminals by their definition: search the channels that are left, compare terminals pair by pair, find
// the largest set of them that all reach each other. Uses neither connected components nor symmetries.
#pragma once

#include <bit>
#include <vector>

#include "faultline/fault/components.h"

namespace faultline {

struct PlainLoss {
  std::uint32_t lost = 0;
  std::uint64_t connected_pairs = 0;
};

/// Up to 32 terminals. A link of which one channel failed counts as dead.
class PlainLosses {
 public:
  explicit PlainLosses(const Topology& topology) : topology_(topology) {}

  [[nodiscard]] PlainLoss of(const FaultSet& faults) const {
    const auto terminals = static_cast<std::uint32_t>(topology_.terminal_count());
    std::vector<std::uint32_t> reaches(terminals);
    for (std::uint32_t a = 0; a < terminals; ++a) reaches[a] = reached_from(TerminalId(a), faults);
    PlainLoss loss;
    std::vector<std::uint32_t> friends(terminals);
    for (std::uint32_t a = 0; a < terminals; ++a)
      for (std::uint32_t b = 0; b < terminals; ++b)
        if (a != b && (reaches[a] >> b & 1U) != 0) {
          ++loss.connected_pairs;
          if ((reaches[b] >> a & 1U) != 0) friends[a] |= 1U << b;
        }
    const std::uint32_t all = terminals == 32 ? ~0U : (1U << terminals) - 1;
    loss.lost = terminals - largest(friends, all, 0);
    return loss;
  }

 private:
  [[nodiscard]] bool usable(ChannelId channel, const FaultSet& faults) const {
    for (const ChannelId one : topology_.channels(topology_.link(channel)))
      if (faults.failed(one)) return false;
    return true;
  }

  [[nodiscard]] std::uint32_t reached_from(TerminalId source, const FaultSet& faults) const {
    std::uint32_t reached = 0;
    std::vector<bool> seen(topology_.switch_count());
    std::vector<ChannelId> todo;
    for (const ChannelId channel : topology_.injection(source)) todo.push_back(channel);
    while (!todo.empty()) {
      const ChannelId channel = todo.back();
      todo.pop_back();
      if (!usable(channel, faults)) continue;
      const SwitchId at = topology_.target(channel);
      if (!at.valid()) {
        reached |= 1U << topology_.terminal(channel).value();
        continue;
      }
      if (seen[at.index()]) continue;
      seen[at.index()] = true;
      for (const ChannelId next : topology_.outputs(at)) todo.push_back(next);
    }
    return reached;
  }

  /// Tries every set: with the next terminal, and without it.
  static std::uint32_t largest(const std::vector<std::uint32_t>& friends, std::uint32_t candidates,
                               std::uint32_t size) {
    if (candidates == 0) return size;
    const auto next = static_cast<std::uint32_t>(std::countr_zero(candidates));
    const std::uint32_t rest = candidates & (candidates - 1);
    const std::uint32_t with = largest(friends, rest & friends[next], size + 1);
    if ((rest & ~friends[next]) == 0) return with;  // it is connected with all that are left
    return std::max(with, largest(friends, rest, size));
  }

  const Topology& topology_;
};

}  // namespace faultline
