// SPDX-License-Identifier: Apache-2.0
#include "routing/table_repair.h"

#include <algorithm>
#include <deque>
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
  Repair(const Topology& topology, const FaultSet& known, const ForwardingColumns& before, double change_hops,
         std::size_t max_cuts)
      : topology_(topology),
        before_(before),
        change_hops_(change_hops),
        order_(topology, known, "repair"),
        columns_(before),
        sources_(injecting_switches(topology, order_.unusable())),
        injection_channels_(injection_channels_to(topology, order_.unusable())),
        load_(topology.network_channel_count()),
        has_lost_paths_(before.count()),
        is_queued_(before.count()),
        cuts_left_(max_cuts),
        paths_(topology.switch_count()),
        is_followed_(topology.switch_count()),
        best_(topology.switch_count()) {}

  RepairedColumns run() && {
    remove_broken_paths();
    count_dependencies();
    fills_tables_ = std::ranges::all_of(load_, [](std::int64_t load) { return load == 0; });
    if (fills_tables_) make_room_for_forest();
    if (fills_tables_) cuts_left_ = 0;
    while (!queue_.empty()) {
      const std::size_t column = queue_.front();
      queue_.pop_front();
      is_queued_[column] = false;
      repair_column(column);
    }
    restore_what_nobody_follows();
    RepairedColumns repaired{{}, 0, breaks_cycles_};
    for (std::size_t column = 0; column < columns_.count(); ++column)
      if (has_lost_paths_[column] && changes_whole_paths(column)) ++repaired.columns_chosen_anew;
    repaired.columns = std::move(columns_);
    return repaired;
  }

 private:
  /// Which dependencies paths may add that close no cycle.
  enum class Turns : std::uint8_t {
    in_order,  ///< of the order in which channels are kept, where packets may or may not come
    any,
    any_once_others_are_cut  ///< those that close a cycle as well, once other columns make room
  };
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
  void follow(const ForwardingColumns& columns, std::size_t column) {
    std::ranges::fill(paths_, Path{});
    std::vector<SwitchId> way;
    for (const SwitchId start : topology_.switches()) {
      for (SwitchId at = start; paths_[at.index()].state == Path::State::unknown;) {
        paths_[at.index()].state = Path::State::visited;
        way.push_back(at);
        const ChannelId next = columns.at(column, at);
        if (is_usable(next)) at = topology_.target(next);
      }
      for (; !way.empty(); way.pop_back()) {
        const ChannelId next = columns.at(column, way.back());
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

  /// And puts the columns into the queue in which a terminal's switch has no path then.
  void remove_broken_paths() {
    for (std::size_t column = 0; column < columns_.count(); ++column) remove_broken_paths(column);
  }
  void remove_broken_paths(std::size_t column) {
    follow(columns_, column);
    for (const SwitchId at : topology_.switches())
      if (!is_whole(at)) columns_.at(column, at) = {};
    if (is_queued_[column] || std::ranges::all_of(sources_, [&](SwitchId at) { return is_whole(at); }))
      return;
    is_queued_[column] = true;
    queue_.push_back(column);
  }

  void restore_what_nobody_follows() {
    for (std::size_t column = 0; column < columns_.count(); ++column) restore_what_nobody_follows(column);
  }
  /// Entries by which only switches' own packets go come back where they lead to the terminal. The others
  /// are what the repair made of them: these lead there, or to a switch whose entries do.
  void restore_what_nobody_follows(std::size_t column) {
    for_each_followed(columns_, column, [](SwitchId) {});
    std::vector<ChannelId> repaired;
    for (const SwitchId at : topology_.switches()) {
      repaired.push_back(columns_.at(column, at));
      const ChannelId before = before_.at(column, at);
      if (!is_followed_[at.index()] && !is_source(at) && is_alive(before)) columns_.at(column, at) = before;
    }
    follow(columns_, column);
    for (const SwitchId at : topology_.switches())
      if (!is_whole(at)) columns_.at(column, at) = repaired[at.index()];
  }

  /// A path of a terminal's switch that was whole is another one now.
  [[nodiscard]] bool changes_whole_paths(std::size_t column) {
    follow(before_, column);
    bool changes = false;
    const auto whole = [&](SwitchId at) { return is_whole(at); };
    for_each_followed(before_, column, whole,
                      [&](SwitchId at) { changes |= columns_.at(column, at) != before_.at(column, at); });
    return changes;
  }

  // What packets hold and wait for on these paths, and how many come by each channel

  /// visit(switch) for those that packets come to; sets is_followed_.
  template <class Visit>
  void for_each_followed(const ForwardingColumns& columns, std::size_t column, Visit visit) {
    for_each_followed(
        columns, column, [&](SwitchId at) { return columns.at(column, at).valid(); }, visit);
  }
  /// The same of paths as far as `leads_on(switch)` is true.
  void for_each_followed(const ForwardingColumns& columns, std::size_t column, auto leads_on, auto visit) {
    is_followed_.assign(topology_.switch_count(), false);
    for (SwitchId at : sources_)
      while (leads_on(at) && !is_followed_[at.index()]) {
        is_followed_[at.index()] = true;
        visit(at);
        if (!is_network(columns.at(column, at))) break;
        at = topology_.target(columns.at(column, at));
      }
  }
  [[nodiscard]] std::vector<Dependency> dependencies_of(std::size_t column) {
    std::vector<Dependency> found;
    for_each_followed(columns_, column, [&](SwitchId at) {
      const ChannelId held = columns_.at(column, at);
      if (!is_network(held)) return;
      const ChannelId wanted = columns_.at(column, topology_.target(held));
      if (is_network(wanted)) found.push_back({held, wanted});
    });
    return found;
  }
  /// Where they close a cycle, paths are removed first.
  void count_dependencies() {
    const Dependencies numbers(topology_);
    std::vector<std::uint32_t> uses(numbers.count());
    std::ranges::fill(load_, 0);
    for (std::size_t column = 0; column < columns_.count(); ++column) {
      for (const Dependency one : dependencies_of(column)) ++uses[numbers.of(one.held, one.wanted)];
      add_load(column, 1);
    }
    const std::vector<ChannelId> order = channels_up_and_down(topology_, order_, sources_);
    dependencies_ = AcyclicDependencies::of(topology_, uses, order);
    if (dependencies_) return;
    breaks_cycles_ = true;
    remove_paths_by(closing_cycles(topology_, uses, order));
    count_dependencies();
  }
  void remove_paths_by(const std::vector<bool>& dependencies) {
    const Dependencies numbers(topology_);
    for (std::size_t column = 0; column < columns_.count(); ++column) {
      bool any = false;
      for (const Dependency one : dependencies_of(column)) {
        if (!dependencies[numbers.of(one.held, one.wanted)]) continue;
        columns_.at(column, topology_.source(one.held)) = {};
        any = true;
      }
      if (!any) continue;
      has_lost_paths_[column] = true;
      remove_broken_paths(column);
    }
  }
  void add_load(std::size_t column, int times) {
    for (const SwitchId source : sources_)
      for (ChannelId next = columns_.at(column, source); is_network(next);
           next = columns_.at(column, topology_.target(next)))
        load_[next.index()] += times * static_cast<std::int64_t>(injection_channels_[source.index()]);
  }
  bool add(Dependency one) { return dependencies_->add(one.held, one.wanted); }
  void remove(Dependency one) { dependencies_->remove(one.held, one.wanted); }

  // Repair. The dependencies and loads of each column are counted before and after.

  void repair_column(std::size_t column) {
    if (attach(column, Turns::in_order) || attach(column, Turns::any)) return;
    if (!forest_) make_room_for_forest();
    if (attach(column, Turns::any_once_others_are_cut)) return;
    clear(column);
    if (!attach(column, Turns::in_order)) follow_forest(column);
  }

  /// Gives every terminal's switch a path that does not have one. False, and the column is as before, where
  /// that would close a cycle.
  bool attach(std::size_t column, Turns turns) {
    const std::vector<Dependency> counted = dependencies_of(column);
    add_load(column, -1);
    turns_ = turns;
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
    follow(columns_, column);
    candidates_ = {};
    std::ranges::fill(best_, Candidate{});
    refused_.assign(topology_.network_channel_count(), false);
    for (const ChannelId ejection : topology_.ejection(columns_.terminal[column]))
      if (is_alive(ejection) && !is_whole(topology_.source(ejection)))
        give(column, topology_.source(ejection), {{Path::State::whole}, ejection});
    for (const SwitchId at : topology_.switches())
      if (is_whole(at)) offer(column, at);
    for_each_followed(columns_, column, [](SwitchId) {});
    auto missing = std::ranges::count_if(sources_, [&](SwitchId source) { return !is_whole(source); });
    while (missing != 0 || fills_tables_) {
      const Candidate chosen = next_path(column);
      if (!chosen.channel.valid()) break;
      const SwitchId from = topology_.source(chosen.channel);
      give(column, from, chosen);
      missing -= is_source(from) ? 1 : 0;
      offer(column, from);
    }
    return missing == 0 || !leaves_out();
  }
  /// The best that closes no cycle; its dependencies are added. No channel if there is none.
  [[nodiscard]] Candidate next_path(std::size_t column) {
    while (!candidates_.empty()) {
      const Candidate best = candidates_.top();
      candidates_.pop();
      const SwitchId from = topology_.source(best.channel);
      if (is_whole(from) || best.channel != best_[from.index()].channel) continue;
      if (is_source(from) ? !refused_from(column, best.channel) : may_lead(column, best.channel)) return best;
      refused_[best.channel.index()] = true;
      offer_another(column, from);
    }
    return turns_ == Turns::any_once_others_are_cut ? next_path_by_cutting(column) : Candidate{};
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
    return turns_ != Turns::in_order || !is_network(wanted) ||
           dependencies_->certainly_allows(channel, wanted);
  }
  /// Adds the dependencies of packets that come by `channel` from a terminal's switch: of it, and of what
  /// follows if none came there before. Returns the first that would close a cycle; then none is added.
  [[nodiscard]] std::optional<Dependency> refused_from(std::size_t column, ChannelId channel) {
    const std::size_t before = added_.size();
    std::vector<SwitchId> way{topology_.source(channel)};
    for (ChannelId held = channel; is_network(held);) {
      const SwitchId at = topology_.target(held);
      const ChannelId wanted = columns_.at(column, at);
      if (is_network(wanted)) {
        if (!add({held, wanted})) {
          for (; added_.size() > before; added_.pop_back()) remove(added_.back());
          return Dependency{held, wanted};
        }
        added_.push_back({held, wanted});
      }
      if (is_followed_[at.index()]) break;
      way.push_back(at);
      held = wanted;
    }
    for (const SwitchId at : way) is_followed_[at.index()] = true;
    return std::nullopt;
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
    has_lost_paths_[column] = true;
    add_load(column, -1);
    for (const Dependency one : dependencies_of(column)) remove(one);
    for (const SwitchId at : topology_.switches()) columns_.at(column, at) = {};
  }

  // Paths that make room for others (rip-up and reroute)

  /// Cuts paths of other columns until a terminal's switch that has no path can be led to one that has.
  [[nodiscard]] Candidate next_path_by_cutting(std::size_t column) {
    for (;;) {
      std::optional<Dependency> least;
      for (const SwitchId from : sources_) {
        if (is_whole(from)) continue;
        for (const ChannelId channel : topology_.outputs(from)) {
          if (!is_usable(channel) || !is_whole(topology_.target(channel))) continue;
          const std::optional<Dependency> refused = refused_from(column, channel);
          if (!refused) return {path_by(channel), channel};
          least = less_used(least, least_used_on_cycle(*refused, column));
        }
      }
      if (!least || uses(*least) > cuts_left_) return {};
      cuts_left_ -= uses(*least);
      const std::vector<Path> paths = paths_;
      const std::vector<bool> is_followed = is_followed_;
      cut(*least);
      paths_ = paths;
      is_followed_ = is_followed;
    }
  }
  /// On the cycle that `last` would close; neither of the forest, whose own close no cycle, nor of the
  /// column. Absent if all are.
  [[nodiscard]] std::optional<Dependency> least_used_on_cycle(Dependency last,
                                                              std::optional<std::size_t> column) const {
    const std::vector<ChannelId> chain = dependencies_->chain(last.wanted, last.held);
    std::optional<Dependency> least;
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
      const Dependency one{chain[i], chain[i + 1]};
      if (!forest_->is_turn(one.held, one.wanted) && !(column && has(*column, one)))
        least = less_used(least, one);
    }
    return least;
  }
  [[nodiscard]] std::optional<Dependency> less_used(std::optional<Dependency> one,
                                                    std::optional<Dependency> other) const {
    if (!one || !other) return one ? one : other;
    return uses(*other) < uses(*one) ? other : one;
  }
  [[nodiscard]] std::size_t uses(Dependency one) const { return dependencies_->uses(one.held, one.wanted); }
  /// Whether packets that come to `one.held` in this column wait for `one.wanted`.
  [[nodiscard]] bool has(std::size_t column, Dependency one) const {
    return columns_.at(column, topology_.source(one.held)) == one.held &&
           columns_.at(column, topology_.target(one.held)) == one.wanted;
  }
  /// Removes the paths by it, in all columns.
  void cut(Dependency one) {
    for (std::size_t column = 0; column < columns_.count(); ++column) {
      if (!has(column, one)) continue;
      const std::vector<Dependency> counted = dependencies_of(column);
      if (std::ranges::count(counted, one) == 0) continue;
      has_lost_paths_[column] = true;
      add_load(column, -1);
      columns_.at(column, topology_.source(one.held)) = {};
      remove_broken_paths(column);
      add_load(column, 1);
      for (const Dependency left : dependencies_of(column)) add(left);
      for (const Dependency former : counted) remove(former);
    }
  }

  // The spanning forest

  /// Its dependencies stay: by them every terminal can be reached.
  void make_room_for_forest() {
    std::vector<SwitchId> ends = sources_;
    for (const TerminalId terminal : topology_.terminals())
      for (const ChannelId channel : topology_.ejection(terminal)) ends.push_back(topology_.source(channel));
    forest_.emplace(topology_, order_, ends);
    forest_->for_each_turn([&](ChannelId held, ChannelId wanted) {
      while (!add({held, wanted})) cut(least_used_on_cycle({held, wanted}, std::nullopt).value());
    });
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
  std::optional<AcyclicDependencies> dependencies_;  // of all paths, once they are counted
  std::optional<SpanningForest> forest_;
  bool breaks_cycles_ = false;
  bool fills_tables_ = false;         // there were no paths: every switch gets an entry that can have one
  std::vector<bool> has_lost_paths_;  // by column: to make room for others
  std::deque<std::size_t> queue_;     // columns that need a repair
  std::vector<bool> is_queued_;       // by column
  std::size_t cuts_left_;             // paths that may still be removed for others, but for the forest

  // Of the column that is worked on
  std::vector<Path> paths_;        // by switch
  std::vector<bool> is_followed_;  // by switch: the dependencies of its path are counted
  Turns turns_ = Turns::in_order;
  std::vector<SwitchId> attached_;
  std::vector<Dependency> added_;
  std::vector<Candidate> best_;  // by switch
  std::vector<bool> refused_;    // by network channel: it would close a cycle
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates_;
};

}  // namespace

RepairedColumns repair(const Topology& topology, const FaultSet& known, const ForwardingColumns& before,
                       double change_hops, std::size_t cuts_per_column) {
  return Repair(topology, known, before, change_hops, cuts_per_column * before.count()).run();
}

}  // namespace faultline
