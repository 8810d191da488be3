// SPDX-License-Identifier: Apache-2.0
// Go-back in a MiKANT (paper 3; readings.md section 3): a depth-first search for a path that switches carry
// out with what they see of their own neighbours.
#pragma once

#include "routing/mirrored_tree_relation.h"

namespace faultline {

/// What a head remembers, packed into its tag.
///
/// Every hop replaces one digit of the switch's order, and which one follows from level and hop count, so
/// that the replaced digits of all hops are the way back.
struct SearchHead {
  std::uint32_t hops = 0;      ///< of the path so far; those taken back do not count
  std::uint64_t replaced = 0;  ///< base k, the last hop's digit first
  std::uint32_t tried = 0;     ///< ways on that failed here; 0: it has just come forward
  std::uint32_t vc_class = 0;  ///< the virtual channel of the next hop at least
};

/// `classes` virtual channels. With one, hops forward and back share it, and may deadlock. With more, the
/// class rises whenever the direction turns and whenever a packet changes groups again: within a class
/// packets go up, change groups once, and go down, which is free of cycles. A search that needs more classes
/// fails.
class BacktrackingRelation final : public MirroredTreeRelation {
 public:
  /// Throws Error where the topology is no MiKANT, or too large for the tag.
  BacktrackingRelation(TopologyPtr topology, std::string_view who, std::uint32_t classes);

  void route(const RouteState& state, RouteOptions& options) const override;
  [[nodiscard]] std::uint32_t virtual_channels() const override { return classes_; }
  [[nodiscard]] std::uint64_t tag_count() const override { return tag_count_; }
  [[nodiscard]] Claim claim() const override {
    return {.minimal = true, .deadlock_free = true, .deadlock_free_cut_through = true, .tolerates = {}};
  }

  /// Changes of group on one path. Two lead to another switch of the same group, and two more make up for a
  /// digit that had to deviate.
  static constexpr std::uint32_t most_crossings = 4;

 private:
  [[nodiscard]] SearchHead unpack(Tag tag) const;
  [[nodiscard]] Tag pack(const SearchHead& head) const;
  void go_forward(const RouteState& state, const SearchHead& head, RouteOptions& options) const;
  void go_back(const RouteState& state, const SearchHead& head, RouteOptions& options) const;
  void offer(ChannelId channel, SearchHead head, RouteOptions& options) const;
  [[nodiscard]] SearchHead after(const SearchHead& head, std::uint32_t replaced_digit) const;
  /// Ways that the switch before has tried when its hop to `order` with digit `position` fails.
  [[nodiscard]] std::uint32_t tried_before(SwitchId at, TerminalId destination, std::uint32_t position) const;

  [[nodiscard]] std::uint32_t top() const { return labels().levels() - 1; }

  std::uint32_t classes_;
  std::uint32_t most_hops_;
  std::uint64_t tag_count_ = 1;
};

}  // namespace faultline
