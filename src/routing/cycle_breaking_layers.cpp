// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "routing/path_layers.h"

namespace faultline {
namespace {

struct Path {
  std::uint32_t tree = 0;
  SwitchId from;
};

/// The paths of one layer, and the cycles among them.
class BreakableLayer {
 public:
  BreakableLayer(const Topology& topology, const PathTrees& trees, const Dependencies& dependencies,
                 std::vector<Path> paths)
      : topology_(topology),
        trees_(trees),
        dependencies_(dependencies),
        paths_(std::move(paths)),
        is_gone_(paths_.size()),
        uses_(dependencies.count()),
        state_(topology.network_channel_count(), State::unseen) {
    list_paths();
  }

  /// Removes paths until no cycle is left, and returns them.
  std::vector<Path> break_cycles() {
    for (const ChannelId channel : id_range<ChannelId>(0, topology_.network_channel_count()))
      if (state_[channel.index()] == State::unseen) search(channel);
    std::vector<Path> moved;
    for (std::size_t path = 0; path < paths_.size(); ++path)
      if (is_gone_[path]) moved.push_back(paths_[path]);
    return moved;
  }
  /// visit(path) for the remaining ones.
  template <class Visit>
  void for_each_kept(Visit visit) const {
    for (std::size_t path = 0; path < paths_.size(); ++path)
      if (!is_gone_[path]) visit(paths_[path]);
  }

 private:
  enum class State : std::uint8_t { unseen, on_stack, done };
  /// A channel of the search, and the next output after it to be tried.
  struct Step {
    ChannelId channel;
    std::uint32_t output = 0;
  };

  template <class Visit>
  void for_each_use(const Path& path, Visit visit) const {
    for_each_dependency(topology_, trees_, path.tree, path.from,
                        [&](ChannelId held, ChannelId wanted) { visit(dependencies_.of(held, wanted)); });
  }

  /// users_: the paths of each dependency, in CSR form.
  void list_paths() {
    for (const Path& path : paths_) for_each_use(path, [&](std::uint32_t one) { ++uses_[one]; });
    first_user_.assign(uses_.size() + 1, 0);
    for (std::size_t one = 0; one < uses_.size(); ++one) first_user_[one + 1] = first_user_[one] + uses_[one];
    users_.resize(first_user_.back());
    std::vector<std::size_t> next(first_user_.begin(), first_user_.end() - 1);
    for (std::size_t path = 0; path < paths_.size(); ++path)
      for_each_use(paths_[path],
                   [&](std::uint32_t one) { users_[next[one]++] = static_cast<std::uint32_t>(path); });
  }

  void push(ChannelId channel) {
    stack_.push_back({channel});
    state_[channel.index()] = State::on_stack;
  }

  /// Depth first. A channel whose search is finished leads to no cycle, and paths are only ever removed.
  void search(ChannelId start) {
    push(start);
    while (!stack_.empty()) {
      Step& step = stack_.back();
      const auto outputs = topology_.outputs(topology_.target(step.channel));
      if (step.output == outputs.size()) {
        state_[step.channel.index()] = State::done;
        stack_.pop_back();
        continue;
      }
      const ChannelId next = outputs[step.output++];
      if (topology_.role(next) != ChannelRole::network || uses_[dependencies_.of(step.channel, next)] == 0)
        continue;
      if (state_[next.index()] == State::unseen)
        push(next);
      else if (state_[next.index()] == State::on_stack)
        break_cycle(next);
    }
  }

  /// The cycle leads from `first` on the stack to its top, and back.
  void break_cycle(ChannelId first) {
    std::size_t bottom = stack_.size() - 1;
    while (stack_[bottom].channel != first) --bottom;
    std::uint32_t weakest = dependencies_.of(stack_.back().channel, first);
    for (std::size_t i = bottom; i + 1 < stack_.size(); ++i)
      if (const std::uint32_t one = dependencies_.of(stack_[i].channel, stack_[i + 1].channel);
          uses_[one] < uses_[weakest])
        weakest = one;
    for (std::size_t user = first_user_[weakest]; user < first_user_[weakest + 1]; ++user)
      if (!is_gone_[users_[user]]) remove(users_[user]);
    // Dependencies along the stack may have been removed as well: the search continues below the first gap,
    // and returns later to what was above it.
    std::size_t kept = 1;
    while (kept < stack_.size() &&
           uses_[dependencies_.of(stack_[kept - 1].channel, stack_[kept].channel)] != 0)
      ++kept;
    for (; stack_.size() > kept; stack_.pop_back()) state_[stack_.back().channel.index()] = State::unseen;
  }

  void remove(std::uint32_t path) {
    is_gone_[path] = true;
    for_each_use(paths_[path], [&](std::uint32_t one) { --uses_[one]; });
  }

  const Topology& topology_;
  const PathTrees& trees_;
  const Dependencies& dependencies_;
  std::vector<Path> paths_;
  std::vector<bool> is_gone_;            // by path
  std::vector<std::uint32_t> uses_;      // by dependency: paths that stay
  std::vector<std::size_t> first_user_;  // by dependency, and one more
  std::vector<std::uint32_t> users_;
  std::vector<State> state_;  // by channel
  std::vector<Step> stack_;
};

}  // namespace

PathLayers cycle_breaking_layers(const Topology& topology, const FaultSet& known, const PathTrees& trees,
                                 std::uint32_t most) {
  const Dependencies dependencies(topology);
  const std::vector<SwitchId> sources = injecting_switches(topology, known);
  PathLayers layers(trees, topology.switch_count());
  std::vector<Path> paths;
  for (std::uint32_t tree = 0; tree < trees.count(); ++tree)
    for (const SwitchId from : sources)
      if (trees.reaches(tree, from)) paths.push_back({tree, from});
  for (std::uint32_t layer = 0; !paths.empty(); ++layer) {
    if (layer == most) refuse_layers(topology, known, most);
    BreakableLayer breakable(topology, trees, dependencies, std::move(paths));
    paths = breakable.break_cycles();
    breakable.for_each_kept(
        [&](const Path& path) { layers.set(path.tree, path.from, static_cast<std::uint8_t>(layer)); });
  }
  return layers;
}

}  // namespace faultline
