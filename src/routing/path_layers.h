// SPDX-License-Identifier: Apache-2.0
// Paths divided into layers, each on a separate virtual channel, such that the paths of one layer cannot
// deadlock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "routing/path_trees.h"

namespace faultline {

/// Every path from a switch that terminals inject into to the root of a tree.
class PathLayers {
 public:
  static constexpr std::uint8_t none = 0xff;

  PathLayers(const PathTrees& trees, std::size_t switches)
      : switches_(switches), layers_(trees.count() * switches, none) {}

  /// `none` if no terminal injects, or no path leads on.
  [[nodiscard]] std::uint8_t layer(std::size_t tree, SwitchId from) const {
    return layers_[tree * switches_ + from.index()];
  }
  void set(std::size_t tree, SwitchId from, std::uint8_t layer) {
    layers_[tree * switches_ + from.index()] = layer;
    count_ = std::max(count_, layer + 1U);
  }
  /// How many there are; at least 1.
  [[nodiscard]] std::uint32_t count() const { return count_; }

 private:
  std::size_t switches_;
  std::vector<std::uint8_t> layers_;  // by tree and switch
  std::uint32_t count_ = 1;
};

/// The pairs of channels that a packet may hold and wait for: dependency i of a channel is on the i-th output
/// of the switch that it leads to.
class Dependencies {
 public:
  explicit Dependencies(const Topology& topology);
  [[nodiscard]] std::uint32_t count() const { return first_.back(); }
  [[nodiscard]] std::uint32_t of(ChannelId held, ChannelId wanted) const {
    return first_[held.index()] + output_[wanted.index()];
  }
  [[nodiscard]] std::uint32_t first(ChannelId held) const { return first_[held.index()]; }

 private:
  std::vector<std::uint32_t> first_;   // by network channel, and one more
  std::vector<std::uint32_t> output_;  // by network channel: its index among the outputs of its switch
};

/// Switches that a healthy injection channel leads to.
[[nodiscard]] std::vector<SwitchId> injecting_switches(const Topology& topology, const FaultSet& known);

/// visit(channel, next channel) for each dependency of the path.
template <class Visit>
void for_each_dependency(const Topology& topology, const PathTrees& trees, std::size_t tree, SwitchId from,
                         Visit visit) {
  ChannelId held = trees.next(tree, from);
  if (!held.valid()) return;
  while (true) {
    const ChannelId wanted = trees.next(tree, topology.target(held));
    if (!wanted.valid()) return;
    visit(held, wanted);
    held = wanted;
  }
}

/// Assigns each path to the first layer that it leaves free of cycles, in the order of destinations and
/// sources (Skeie, Lysne & Theiss, Layered Shortest Path routing, IPDPS 2002). Throws TooFewVirtualChannels
/// ("routing.vcs") if `most` layers do not suffice.
[[nodiscard]] PathLayers first_fitting_layers(const Topology& topology, const FaultSet& known,
                                              const PathTrees& trees, std::uint32_t most);

/// All paths start in the first layer; of each cycle found, the paths of its least used dependency move to
/// the next layer (Domke, Hoefler & Nagel, section IV). Throws likewise.
[[nodiscard]] PathLayers cycle_breaking_layers(const Topology& topology, const FaultSet& known,
                                               const PathTrees& trees, std::uint32_t most);

/// What both throw.
[[noreturn]] void refuse_layers(const Topology& topology, const FaultSet& known, std::uint32_t most);

}  // namespace faultline
