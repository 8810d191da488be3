// SPDX-License-Identifier: Apache-2.0
#include "routing/table_repair.h"

#include <algorithm>
#include <optional>
#include <queue>
#include <tuple>

#include "routing/acyclic_dependencies.h"
#include "routing/path_trees.h"
#include "routing/spanning_forest.h"
#include "routing/up_down_order.h"

namespace faultline {
namespace {

struct Dependency {
  ChannelId held, wanted;
  friend bool operator==(const Dependency&, const Dependency&) = default;
};

class Repair {
 public:
  Repair(const Topology& topology, const FaultSet& known, const ForwardingColumns& before, double change_hops)
      : topology_(topology),
        before_(before),
        change_hops_(change_hops),
        order_(topology, known),
        columns_(before),
        sources_(injecting_switches(topology, order_.unusable())),
        injection_channels_(injection_channels_to(topology, order_.unusable())),
        load_(topology.network_channel_count()),
        is_cleared_(before.count()),
        paths_(topology.switch_count()),
        is_followed_(topology.switch_count()),
        best_(topology.switch_count()) {}

  RepairedColumns run() && {
    const std::vector<std::size_t> broken = remove_broken_paths();
    count_dependencies();
    fills_tables_ = std::ranges::all_of(load_, [](std::int64_t load) { return load == 0; });
    if (fills_tables_) make_room_for_forest();
    for (const std::size_t column : broken) repair_column(column);
    restore_what_nobody_follows();
    RepairedColumns repaired{std::move(columns_), 0, 0, dependencies_.has_value()};
    for (std::size_t i = 0; i < before_.next.size(); ++i)
      if (repaired.columns.next[i] != before_.next[i]) ++repaired.changed;
    repaired.columns_chosen_anew = static_cast<std::uint64_t>(std::ranges::count(is_cleared_, true));
    return repaired;
  }

 private:
  /// Of a switch, by the column that is worked on.
  struct Path {
    enum class State : std::uint8_t { unknown, visited, broken, whole };
    State state = State::unknown;
    double cost = 0;        ///< hops, and what changed entries weigh
    std::int64_t load = 0;  ///< the greatest of a channel on it
  };

  [[nodiscard]] bool is_network(ChannelId channel) const {
    return channel.valid() && topology_.role(channel) == ChannelRole::network;
  }
  [[nodiscard]] bool is_alive(ChannelId channel) const { return channel.valid() && order_.usable(channel); }
  [[nodiscard]] bool is_usable(ChannelId channel) const { return is_network(channel) && is_alive(channel); }
  /// Terminals inject there.
  [[nodiscard]] bool is_source(SwitchId at) const { return injection_channels_[at.index()] != 0; }
  [[nodiscard]] bool is_whole(SwitchId at) const { return paths_[at.index()].state == Path::State::whole; }

  // Paths that are whole

  /// Finds out which paths of the column lead to the terminal.
  void follow(std::size_t column) {
    std::ranges::fill(paths_, Path{});
    std::vector<SwitchId> way;
    for (const SwitchId start : topology_.switches()) {
      for (SwitchId at = start; paths_[at.index()].state == Path::State::unknown;) {
        paths_[at.index()].state = Path::State::visited;
        way.push_back(at);
        const ChannelId next = columns_.at(column, at);
        if (is_usable(next)) at = topology_.target(next);
      }
      for (; !way.empty(); way.pop_back()) {
        const ChannelId next = columns_.at(column, way.back());
        paths_[way.back().index()] = path_by(next);
      }
    }
  }
  /// The path that begins with this channel.
  [[nodiscard]] Path path_by(ChannelId channel) const {
    if (is_usable(channel)) {
      const Path& rest = paths_[topology_.target(channel).index()];
      if (rest.state == Path::State::whole)
        return {Path::State::whole, rest.cost + 1, std::max(rest.load, load_[channel.index()])};
    } else if (!is_network(channel) && is_alive(channel)) {
      return {Path::State::whole};
    }
    return {Path::State::broken};
  }

  /// Returns the columns in which a terminal's switch has none left.
  std::vector<std::size_t> remove_broken_paths() {
    std::vector<std::size_t> broken;
    for (std::size_t column = 0; column < columns_.count(); ++column) {
      follow(column);
      for (const SwitchId at : topology_.switches())
        if (!is_whole(at)) columns_.at(column, at) = {};
      if (std::ranges::any_of(sources_, [&](SwitchId source) { return !is_whole(source); }))
        broken.push_back(column);
    }
    return broken;
  }

  void restore_what_nobody_follows() {
    for (std::size_t column = 0; column < columns_.count(); ++column) {
      for_each_followed(column, [](SwitchId) {});
      for (const SwitchId at : topology_.switches()) {
        const ChannelId before = before_.at(column, at);
        if (!is_followed_[at.index()] && !is_source(at) &&
            (before.valid() ? is_alive(before) : !fills_tables_))
          columns_.at(column, at) = before;
      }
    }
  }

  // What packets hold and wait for on these paths, and how many come by each channel

  /// visit(switch) for those that packets come to; sets is_followed_.
  template <class Visit>
  void for_each_followed(std::size_t column, Visit visit) {
    is_followed_.assign(topology_.switch_count(), false);
    for (SwitchId at : sources_)
      while (columns_.at(column, at).valid() && !is_followed_[at.index()]) {
        is_followed_[at.index()] = true;
        visit(at);
        if (!is_network(columns_.at(column, at))) break;
        at = topology_.target(columns_.at(column, at));
      }
  }
  [[nodiscard]] std::vector<Dependency> dependencies_of(std::size_t column) {
    std::vector<Dependency> found;
    for_each_followed(column, [&](SwitchId at) {
      const ChannelId held = columns_.at(column, at);
      if (!is_network(held)) return;
      const ChannelId wanted = columns_.at(column, topology_.target(held));
      if (is_network(wanted)) found.push_back({held, wanted});
    });
    return found;
  }
  void count_dependencies() {
    const Dependencies numbers(topology_);
    std::vector<std::uint32_t> uses(numbers.count());
    for (std::size_t column = 0; column < columns_.count(); ++column) {
      for (const Dependency one : dependencies_of(column)) ++uses[numbers.of(one.held, one.wanted)];
      add_load(column, 1);
    }
    dependencies_ = AcyclicDependencies::of(topology_, std::move(uses), channels_up_and_down());
  }
  /// In the order in which most paths take them: away from the terminals, and back. Switches that are as far
  /// from terminals are told apart by the up-down order.
  [[nodiscard]] std::vector<ChannelId> channels_up_and_down() const {
    const std::vector<std::uint16_t> away = HopsTo(topology_, order_.unusable(), sources_).hops;
    const auto up_key = [&](ChannelId channel) {
      const SwitchId from = topology_.source(channel), to = topology_.target(channel);
      const int here = away[from.index()], there = away[to.index()];
      const bool up = there != here ? there > here : order_.is_above(to, from);
      const std::int64_t rank = order_.rank(from);
      return up ? std::tuple(false, here, -rank) : std::tuple(true, -here, rank);
    };
    std::vector<ChannelId> order;
    for (const ChannelId channel : id_range<ChannelId>(0, topology_.network_channel_count()))
      order.push_back(channel);
    std::ranges::stable_sort(order, {}, up_key);
    return order;
  }
  void add_load(std::size_t column, int times) {
    for (const SwitchId source : sources_)
      for (ChannelId next = columns_.at(column, source); is_network(next);
           next = columns_.at(column, topology_.target(next)))
        load_[next.index()] += times * static_cast<std::int64_t>(injection_channels_[source.index()]);
  }
  /// True where cycles cannot be avoided anyway.
  bool add(Dependency one) { return !dependencies_ || dependencies_->add(one.held, one.wanted); }
  void remove(Dependency one) {
    if (dependencies_) dependencies_->remove(one.held, one.wanted);
  }

  // Repair. The dependencies and loads of each column are counted before and after.

  void repair_column(std::size_t column) {
    if (attach(column) || attach_by_any_turn(column)) return;
    clear(column);
    if (attach(column)) return;
    if (!forest_) make_room_for_forest();
    if (!attach(column)) follow_forest(column);
  }

  /// Gives every terminal's switch a path that does not have one. False, and nothing is changed, where that
  /// would close a cycle.
  bool attach(std::size_t column) {
    const std::vector<Dependency> counted = dependencies_of(column);
    add_load(column, -1);
    attached_.clear();
    added_.clear();
    const bool all = find_paths(column);
    for (const Dependency one : added_) remove(one);
    if (!all)
      for (const SwitchId at : attached_) columns_.at(column, at) = {};
    add_load(column, 1);
    if (!all) return false;
    for (const Dependency one : dependencies_of(column)) add(one);  // some of those that were added
    for (const Dependency one : counted) remove(one);
    return true;
  }

  /// With turns as well that the order of dependencies may have to change for.
  bool attach_by_any_turn(std::size_t column) {
    any_turn_ = true;
    const bool all = attach(column);
    any_turn_ = false;
    return all;
  }

  /// A path by this channel to a switch that has one.
  struct Candidate {
    Path path;
    ChannelId channel;
    friend bool operator>(const Candidate& a, const Candidate& b) {
      return std::tie(a.path.cost, a.path.load, a.channel) > std::tie(b.path.cost, b.path.load, b.channel);
    }
  };

  /// Dijkstra's algorithm, from the switches whose paths are whole.
  bool find_paths(std::size_t column) {
    follow(column);
    candidates_ = {};
    std::ranges::fill(best_, Candidate{});
    refused_.assign(topology_.network_channel_count(), false);
    for (const ChannelId ejection : topology_.ejection(columns_.terminal[column]))
      if (is_alive(ejection) && !is_whole(topology_.source(ejection)))
        give(column, topology_.source(ejection), {{Path::State::whole}, ejection});
    for (const SwitchId at : topology_.switches())
      if (is_whole(at)) offer(column, at);
    for_each_followed(column, [](SwitchId) {});
    auto missing = std::ranges::count_if(sources_, [&](SwitchId source) { return !is_whole(source); });
    bool refused = false;
    while ((missing != 0 || fills_tables_) && !candidates_.empty()) {
      const Candidate best = candidates_.top();
      candidates_.pop();
      const SwitchId from = topology_.source(best.channel);
      if (is_whole(from) || best.channel != best_[from.index()].channel) continue;
      if (is_source(from) ? follow_from(column, best.channel) : may_lead(column, best.channel)) {
        give(column, from, best);
        missing -= is_source(from) ? 1 : 0;
        offer(column, from);
      } else {
        refused = true;
        refused_[best.channel.index()] = true;
        offer_another(column, from);
      }
    }
    return !refused || !leaves_out();
  }
  void give(std::size_t column, SwitchId at, const Candidate& chosen) {
    columns_.at(column, at) = chosen.channel;
    paths_[at.index()] = chosen.path;
    attached_.push_back(at);
  }
  void offer(std::size_t column, SwitchId to) {
    for (const ChannelId channel : topology_.inputs(to))
      if (is_usable(channel) && !is_whole(topology_.source(channel))) offer_path(column, channel);
  }
  /// After the best one was refused.
  void offer_another(std::size_t column, SwitchId from) {
    best_[from.index()] = {};
    for (const ChannelId channel : topology_.outputs(from))
      if (is_usable(channel) && is_whole(topology_.target(channel)) && !refused_[channel.index()])
        offer_path(column, channel);
  }
  void offer_path(std::size_t column, ChannelId channel) {
    const SwitchId from = topology_.source(channel);
    Candidate candidate{path_by(channel), channel};
    if (before_.at(column, from) != channel) candidate.path.cost += change_hops_;
    Candidate& best = best_[from.index()];
    if (best.channel.valid() && !(best > candidate)) return;
    best = candidate;
    candidates_.push(candidate);
  }
  /// By a switch to which packets come only if others lead there. Nothing is added before they do; then it
  /// may turn out to close a cycle.
  [[nodiscard]] bool may_lead(std::size_t column, ChannelId channel) {
    const ChannelId wanted = columns_.at(column, topology_.target(channel));
    return any_turn_ || !dependencies_ || !is_network(wanted) ||
           dependencies_->certainly_allows(channel, wanted);
  }
  /// Adds the dependencies of packets that come by `channel` from a terminal's switch: of it, and of what
  /// follows if none came there before. False, and none is added, if they would close a cycle.
  bool follow_from(std::size_t column, ChannelId channel) {
    const std::size_t before = added_.size();
    std::vector<SwitchId> way{topology_.source(channel)};
    for (ChannelId held = channel; is_network(held);) {
      const SwitchId at = topology_.target(held);
      const ChannelId wanted = columns_.at(column, at);
      if (is_network(wanted)) {
        if (!add({held, wanted})) {
          for (; added_.size() > before; added_.pop_back()) remove(added_.back());
          return false;
        }
        added_.push_back({held, wanted});
      }
      if (is_followed_[at.index()]) break;
      way.push_back(at);
      held = wanted;
    }
    for (const SwitchId at : way) is_followed_[at.index()] = true;
    return true;
  }

  /// A terminal's switch has no path, although channels lead from it to one that has.
  [[nodiscard]] bool leaves_out() const {
    std::vector<SwitchId> whole;
    for (const SwitchId at : topology_.switches())
      if (is_whole(at)) whole.push_back(at);
    const std::vector<std::uint16_t> hops = HopsTo(topology_, order_.unusable(), whole).hops;
    return std::ranges::any_of(sources_, [&](SwitchId source) {
      return !is_whole(source) && hops[source.index()] != PathTrees::unreachable;
    });
  }

  void clear(std::size_t column) {
    is_cleared_[column] = true;
    add_load(column, -1);
    for (const Dependency one : dependencies_of(column)) remove(one);
    for (const SwitchId at : topology_.switches()) columns_.at(column, at) = {};
  }

  // The spanning forest

  /// Its dependencies stay: by them every terminal can be reached.
  void make_room_for_forest() {
    std::vector<SwitchId> ends = sources_;
    for (const TerminalId terminal : topology_.terminals())
      for (const ChannelId channel : topology_.ejection(terminal)) ends.push_back(topology_.source(channel));
    forest_.emplace(topology_, order_, ends);
    std::vector<std::size_t> cleared;
    forest_->for_each_turn([&](ChannelId held, ChannelId wanted) {
      while (!add({held, wanted})) {
        const Dependency other = least_used_on_cycle(held, wanted);
        for (std::size_t column = 0; column < columns_.count(); ++column)
          if (std::ranges::count(dependencies_of(column), other) != 0) {
            clear(column);
            cleared.push_back(column);
          }
      }
    });
    for (const std::size_t column : cleared)
      if (!attach(column)) follow_forest(column);
  }
  /// That is not of the forest: its own close no cycle.
  [[nodiscard]] Dependency least_used_on_cycle(ChannelId held, ChannelId wanted) const {
    const std::vector<ChannelId> chain = dependencies_->chain(wanted, held);
    std::optional<Dependency> least;
    for (std::size_t i = 0; i + 1 < chain.size(); ++i)
      if (!forest_->is_turn(chain[i], chain[i + 1]) &&
          (!least ||
           dependencies_->uses(chain[i], chain[i + 1]) < dependencies_->uses(least->held, least->wanted)))
        least = {chain[i], chain[i + 1]};
    return least.value();
  }
  void follow_forest(std::size_t column) {
    std::vector<SwitchId> ends;
    for (const ChannelId ejection : topology_.ejection(columns_.terminal[column]))
      if (is_alive(ejection)) {
        ends.push_back(topology_.source(ejection));
        columns_.at(column, ends.back()) = ejection;
      }
    const std::vector<ChannelId> next = forest_->towards(ends);
    for (const SwitchId at : topology_.switches())
      if (next[at.index()].valid()) columns_.at(column, at) = next[at.index()];
    for (const Dependency one : dependencies_of(column)) add(one);
    add_load(column, 1);
  }

  const Topology& topology_;
  const ForwardingColumns& before_;
  double change_hops_;
  UpDownOrder order_;
  ForwardingColumns columns_;
  std::vector<SwitchId> sources_;
  std::vector<std::uint64_t> injection_channels_;    // by switch
  std::vector<std::int64_t> load_;                   // by network channel: injection channels and columns
  std::optional<AcyclicDependencies> dependencies_;  // none if the paths that are whole close a cycle
  std::optional<SpanningForest> forest_;
  bool fills_tables_ = false;     // there were no paths: every switch gets an entry that can have one
  std::vector<bool> is_cleared_;  // by column: all its paths were removed

  // Of the column that is worked on
  std::vector<Path> paths_;        // by switch
  std::vector<bool> is_followed_;  // by switch: the dependencies of its path are counted
  bool any_turn_ = false;
  std::vector<SwitchId> attached_;
  std::vector<Dependency> added_;
  std::vector<Candidate> best_;  // by switch
  std::vector<bool> refused_;    // by network channel: it would close a cycle
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates_;
};

}  // namespace

RepairedColumns repair(const Topology& topology, const FaultSet& known, const ForwardingColumns& before,
                       double change_hops) {
  return Repair(topology, known, before, change_hops).run();
}

}  // namespace faultline
