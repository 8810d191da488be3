// SPDX-License-Identifier: Apache-2.0
// One shortest path from every switch to each destination: what forwarding tables hold.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "faultline/fault/fault_set.h"

namespace faultline {

/// Trees that lead to the switches where a destination is ejected. Destinations may share one.
class PathTrees {
 public:
  static constexpr std::uint16_t unreachable = std::numeric_limits<std::uint16_t>::max();

  PathTrees(const Topology& topology, std::vector<std::uint32_t> tree_of)
      : switches_(topology.switch_count()), tree_of_(std::move(tree_of)) {}

  /// Of the destination.
  [[nodiscard]] std::uint32_t tree_of(TerminalId destination) const { return tree_of_[destination.index()]; }
  [[nodiscard]] std::size_t count() const { return switches_ == 0 ? 0 : next_.size() / switches_; }
  /// The network channel from `at` towards the root; invalid at a root, and if no path leads to one.
  [[nodiscard]] ChannelId next(std::size_t tree, SwitchId at) const {
    return next_[tree * switches_ + at.index()];
  }

  /// True at a root as well.
  [[nodiscard]] bool reaches(std::size_t tree, SwitchId at) const {
    return reaches_[tree * switches_ + at.index()];
  }

  /// Appends a tree; `next` by switch, `reaching` those that have a path.
  void add(const std::vector<ChannelId>& next, const std::vector<SwitchId>& reaching) {
    next_.insert(next_.end(), next.begin(), next.end());
    reaches_.resize(next_.size());
    for (const SwitchId at : reaching) reaches_[next_.size() - switches_ + at.index()] = true;
  }

 private:
  std::size_t switches_;
  std::vector<std::uint32_t> tree_of_;  // by terminal
  std::vector<ChannelId> next_;         // by tree and switch
  std::vector<bool> reaches_;           // likewise
};

/// One hop more. Throws Error("routing", …) beyond 65,534 hops.
[[nodiscard]] std::uint16_t one_hop_more(std::uint16_t hops, const Topology& topology);

/// Hops from each switch to the nearest of `ends`, and the switches that reach one, nearest first.
struct HopsTo {
  HopsTo(const Topology& topology, const FaultSet& known, const std::vector<SwitchId>& ends);

  std::vector<std::uint16_t> hops;  ///< by switch
  std::vector<SwitchId> order;
};

/// visit(network channel) for those not in `known` that lead from `at` one hop nearer; `hops` by switch.
template <class Visit>
void for_each_nearer(const Topology& topology, const FaultSet& known, const std::vector<std::uint16_t>& hops,
                     SwitchId at, Visit visit) {
  for (const ChannelId channel : topology.outputs(at))
    if (topology.role(channel) == ChannelRole::network && !known.failed(channel) &&
        hops[topology.target(channel).index()] + 1 == hops[at.index()])
      visit(channel);
}

/// Shortest paths by the output port with the lowest number; destinations ejected from the same switches
/// share a tree.
[[nodiscard]] PathTrees lowest_port_trees(const Topology& topology, const FaultSet& known);

/// By switch: the channels not in `known` by which terminals inject there.
[[nodiscard]] std::vector<std::uint64_t> injection_channels_to(const Topology& topology,
                                                               const FaultSet& known);

/// Throws Error("routing") if tables with an entry for each switch and terminal would not fit.
void require_fitting_tables(const Topology& topology);

/// A tree for each destination: of all shortest paths the ones with the least sum of weights, where a channel
/// weighs as many pairs of an injection channel and a destination as use it so far (Domke, Hoefler & Nagel,
/// IPDPS 2011, section III). Throws Error("routing") if the tables would not fit.
[[nodiscard]] PathTrees balanced_trees(const Topology& topology, const FaultSet& known);

}  // namespace faultline
