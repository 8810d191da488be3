// SPDX-License-Identifier: Apache-2.0
#include "routing/reserved_tree.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "routing/path_layers.h"

namespace faultline {
namespace {

/// Turns that are all added, or none.
class AddedTurns {
 public:
  explicit AddedTurns(AcyclicDependencies& dependencies) : dependencies_(dependencies) {}

  /// False where it closes a cycle.
  bool add(ChannelId held, ChannelId wanted) {
    if (!dependencies_.add(held, wanted)) return false;
    added_.emplace_back(held, wanted);
    return true;
  }
  [[nodiscard]] std::size_t count() const { return added_.size(); }
  /// Until there are `count` again.
  void take_back(std::size_t count) {
    for (; added_.size() > count; added_.pop_back())
      dependencies_.remove(added_.back().first, added_.back().second);
  }

 private:
  AcyclicDependencies& dependencies_;
  std::vector<std::pair<ChannelId, ChannelId>> added_;
};

std::vector<SwitchId> possible_roots(const Topology& topology, const FaultSet& dead) {
  constexpr std::size_t most = 64;
  std::vector<SwitchId> roots = injecting_switches(topology, dead);
  roots.insert(roots.end(), topology.switches().begin(), topology.switches().end());
  if (roots.size() > most) roots.resize(most);
  return roots;
}

/// False, and none is added, where the turns of the tree close a cycle.
bool add_turns(const SpanningForest& forest, AcyclicDependencies& dependencies) {
  AddedTurns turns(dependencies);
  bool fits = true;
  forest.for_each_turn([&](ChannelId held, ChannelId wanted) { fits = fits && turns.add(held, wanted); });
  if (!fits) turns.take_back(0);
  return fits;
}

/// Grows link by link, breadth first, by those whose turns close no cycle.
class GrowingForest {
 public:
  GrowingForest(const Topology& topology, const FaultSet& unusable, AcyclicDependencies& dependencies)
      : topology_(topology),
        unusable_(unusable),
        turns_(dependencies),
        has_(topology.network_channel_count()),
        ways_in_(topology.switch_count()),
        tree_(topology.switch_count()) {}

  /// Absent, and nothing is added, where a link is left that joins two trees.
  std::optional<SpanningForest> from(SwitchId root) && {
    grow(root);
    for (const SwitchId at : topology_.switches())
      if (!tree_[at.index()].valid()) grow(at);
    for (const ChannelId channel : id_range<ChannelId>(0, topology_.network_channel_count()))
      if (!unusable_.failed(channel) &&
          tree_[topology_.source(channel).index()] != tree_[topology_.target(channel).index()]) {
        turns_.take_back(0);
        return std::nullopt;
      }
    return SpanningForest(topology_, std::move(has_));
  }

 private:
  void grow(SwitchId root) {
    tree_[root.index()] = root;
    std::vector<SwitchId> queue{root};
    for (std::size_t next = 0; next < queue.size(); ++next)
      for (const ChannelId down : topology_.outputs(queue[next])) {
        if (topology_.role(down) != ChannelRole::network || unusable_.failed(down)) continue;
        const SwitchId at = topology_.target(down);
        if (tree_[at.index()].valid() || !add_link(down)) continue;
        tree_[at.index()] = root;
        queue.push_back(at);
      }
  }
  /// The other channel of its link.
  [[nodiscard]] ChannelId back(ChannelId channel) const {
    const auto both = topology_.channels(topology_.link(channel));
    return both.front() == channel ? both.back() : both.front();
  }
  bool add_link(ChannelId down) {
    const ChannelId up = back(down);
    const SwitchId from = topology_.source(down);
    const std::size_t before = turns_.count();
    for (const ChannelId in : ways_in_[from.index()]) {
      if (turns_.add(in, down) && turns_.add(up, back(in))) continue;
      turns_.take_back(before);
      return false;
    }
    has_[down.index()] = has_[up.index()] = true;
    ways_in_[from.index()].push_back(up);
    ways_in_[topology_.target(down).index()].push_back(down);
    return true;
  }

  const Topology& topology_;
  const FaultSet& unusable_;
  AddedTurns turns_;
  std::vector<bool> has_;                        // by network channel
  std::vector<std::vector<ChannelId>> ways_in_;  // by switch: channels of the forest
  std::vector<SwitchId> tree_;                   // by switch: the root of its tree
};

}  // namespace

std::optional<ReservedTree> reserve_tree(const Topology& topology, const FaultSet& dead,
                                         AcyclicDependencies& dependencies) {
  if (!topology.is_two_way()) return std::nullopt;
  const std::vector<SwitchId> roots = possible_roots(topology, dead);
  const std::vector<SwitchId> all(topology.switches().begin(), topology.switches().end());
  for (const SwitchId root : roots) {
    const UpDownOrder order(topology, dead, "tables", root);
    if (SpanningForest forest(topology, order, all); add_turns(forest, dependencies))
      return ReservedTree{std::move(forest), root};
  }
  const FaultSet unusable = with_whole_links(topology, dead);
  for (const SwitchId root : roots)
    if (auto forest = GrowingForest(topology, unusable, dependencies).from(root))
      return ReservedTree{std::move(*forest), root};
  return std::nullopt;
}

}  // namespace faultline
