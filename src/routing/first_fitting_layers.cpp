// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "routing/path_layers.h"

namespace faultline {
namespace {

/// The dependencies of one layer in a topological order of its channels that is kept while they are added
/// (Pearce & Kelly, A Dynamic Topological Sort Algorithm, ACM JEA 2006).
class AcyclicLayer {
 public:
  AcyclicLayer(const Topology& topology, const Dependencies& dependencies)
      : dependencies_(dependencies),
        is_there_(dependencies.count()),
        is_refused_(dependencies.count()),
        after_(topology.network_channel_count()),
        before_(topology.network_channel_count()),
        position_(topology.network_channel_count()),
        mark_(topology.network_channel_count()) {
    for (std::uint32_t channel = 0; channel < position_.size(); ++channel) position_[channel] = channel;
  }

  /// Adds the whole path; false, and nothing is added, if that would close a cycle.
  bool add(const std::vector<std::pair<ChannelId, ChannelId>>& path) {
    for (const auto& [held, wanted] : path)
      if (is_refused_[dependencies_.of(held, wanted)]) return false;
    added_.clear();
    for (const auto& [held, wanted] : path) {
      const std::uint32_t dependency = dependencies_.of(held, wanted);
      if (is_there_[dependency]) continue;
      if (!put_in_order(held.value(), wanted.value())) {
        // The path closes a cycle by itself and therefore always will: nothing leaves a layer.
        if (added_.empty()) is_refused_[dependency] = true;
        take_back();
        return false;
      }
      is_there_[dependency] = true;
      after_[held.index()].push_back(wanted.value());
      before_[wanted.index()].push_back(held.value());
      added_.emplace_back(held, wanted);
    }
    return true;
  }

 private:
  void take_back() {
    for (; !added_.empty(); added_.pop_back()) {
      const auto& [held, wanted] = added_.back();
      is_there_[dependencies_.of(held, wanted)] = false;
      after_[held.index()].pop_back();
      before_[wanted.index()].pop_back();
    }
  }

  /// Moves channels so that `held` comes before `wanted`; false if `held` can be reached from `wanted`.
  bool put_in_order(std::uint32_t held, std::uint32_t wanted) {
    if (position_[held] < position_[wanted]) return true;
    if (held == wanted ||
        !collect(
            wanted, after_, forward_, [&](std::uint32_t c) { return position_[c] <= position_[held]; }, held))
      return false;
    (void)collect(
        held, before_, backward_, [&](std::uint32_t c) { return position_[c] >= position_[wanted]; }, nobody);
    const auto by_position = [&](std::uint32_t a, std::uint32_t b) { return position_[a] < position_[b]; };
    std::ranges::sort(forward_, by_position);
    std::ranges::sort(backward_, by_position);
    std::vector<std::uint32_t> positions;
    for (const auto* part : {&backward_, &forward_})
      for (const std::uint32_t channel : *part) positions.push_back(position_[channel]);
    std::ranges::sort(positions);
    std::size_t next = 0;
    for (const auto* part : {&backward_, &forward_})
      for (const std::uint32_t channel : *part) position_[channel] = positions[next++];
    return true;
  }

  /// Collects into `found` everything that `start` reaches within the affected part; false if that includes
  /// `forbidden`.
  template <class Within>
  bool collect(std::uint32_t start, const std::vector<std::vector<std::uint32_t>>& links,
               std::vector<std::uint32_t>& found, Within is_within, std::uint32_t forbidden) {
    found.assign(1, start);
    mark_[start] = ++marks_;
    for (std::size_t next = 0; next < found.size(); ++next)
      for (const std::uint32_t channel : links[found[next]]) {
        if (channel == forbidden) return false;
        if (mark_[channel] == marks_ || !is_within(channel)) continue;
        mark_[channel] = marks_;
        found.push_back(channel);
      }
    return true;
  }

  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  const Dependencies& dependencies_;
  std::vector<bool> is_there_, is_refused_;  // by dependency
  std::vector<std::vector<std::uint32_t>> after_, before_;
  std::vector<std::uint32_t> position_;  // in the order
  std::vector<std::uint64_t> mark_;
  std::uint64_t marks_ = 0;
  std::vector<std::pair<ChannelId, ChannelId>> added_;
  std::vector<std::uint32_t> forward_, backward_;
};

}  // namespace

PathLayers first_fitting_layers(const Topology& topology, const FaultSet& known, const PathTrees& trees,
                                std::uint32_t most) {
  const Dependencies dependencies(topology);
  const std::vector<SwitchId> sources = injecting_switches(topology, known);
  PathLayers layers(trees, topology.switch_count());
  std::vector<AcyclicLayer> acyclic;
  std::vector<std::pair<ChannelId, ChannelId>> path;
  for (std::size_t tree = 0; tree < trees.count(); ++tree)
    for (const SwitchId from : sources) {
      if (!trees.reaches(tree, from)) continue;
      path.clear();
      for_each_dependency(topology, trees, tree, from,
                          [&](ChannelId held, ChannelId wanted) { path.emplace_back(held, wanted); });
      std::uint32_t layer = 0;
      while (layer < acyclic.size() && !acyclic[layer].add(path)) ++layer;
      if (layer == most) refuse_layers(topology, most);
      if (layer == acyclic.size()) {
        acyclic.emplace_back(topology, dependencies);
        (void)acyclic.back().add(path);  // a shortest path closes no cycle by itself
      }
      layers.set(tree, from, static_cast<std::uint8_t>(layer));
    }
  return layers;
}

}  // namespace faultline
