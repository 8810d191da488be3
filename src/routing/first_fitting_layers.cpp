// SPDX-License-Identifier: Apache-2.0
#include "routing/channel_order.h"
#include "routing/path_layers.h"

namespace faultline {
namespace {

/// The dependencies of one layer: whether each is there, which takes a bit where AcyclicDependencies counts.
class AcyclicLayer {
 public:
  AcyclicLayer(const Topology& topology, const Dependencies& dependencies)
      : dependencies_(dependencies),
        is_there_(dependencies.count()),
        is_refused_(dependencies.count()),
        after_(topology.network_channel_count()),
        before_(topology.network_channel_count()),
        order_(topology.network_channel_count()) {}

  /// Adds the whole path; false, and nothing is added, if that would close a cycle.
  bool add(const std::vector<std::pair<ChannelId, ChannelId>>& path) {
    for (const auto& [held, wanted] : path)
      if (is_refused_[dependencies_.of(held, wanted)]) return false;
    added_.clear();
    for (const auto& [held, wanted] : path) {
      const std::uint32_t dependency = dependencies_.of(held, wanted);
      if (is_there_[dependency]) continue;
      if (!put_in_order(held, wanted)) {
        // The path closes a cycle by itself and therefore always will: nothing leaves a layer.
        if (added_.empty()) is_refused_[dependency] = true;
        take_back();
        return false;
      }
      is_there_[dependency] = true;
      after_[held.index()].push_back(wanted);
      before_[wanted.index()].push_back(held);
      added_.emplace_back(held, wanted);
    }
    return true;
  }

 private:
  bool put_in_order(ChannelId held, ChannelId wanted) {
    const auto over = [](const std::vector<std::vector<ChannelId>>& links) {
      return [&links](ChannelId channel, auto visit) {
        for (const ChannelId next : links[channel.index()]) visit(next);
      };
    };
    return order_.put_before(held, wanted, over(after_), over(before_));
  }

  void take_back() {
    for (; !added_.empty(); added_.pop_back()) {
      const auto& [held, wanted] = added_.back();
      is_there_[dependencies_.of(held, wanted)] = false;
      after_[held.index()].pop_back();
      before_[wanted.index()].pop_back();
    }
  }

  const Dependencies& dependencies_;
  std::vector<bool> is_there_, is_refused_;             // by dependency
  std::vector<std::vector<ChannelId>> after_, before_;  // by channel
  ChannelOrder order_;
  std::vector<std::pair<ChannelId, ChannelId>> added_;
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
      if (layer == most) refuse_layers(topology, known, most);
      if (layer == acyclic.size()) {
        acyclic.emplace_back(topology, dependencies);
        (void)acyclic.back().add(path);  // a shortest path closes no cycle by itself
      }
      layers.set(tree, from, static_cast<std::uint8_t>(layer));
    }
  return layers;
}

}  // namespace faultline
