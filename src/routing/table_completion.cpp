// SPDX-License-Identifier: Apache-2.0
#include "routing/table_completion.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "routing/acyclic_dependencies.h"
#include "routing/arrivals.h"
#include "routing/path_layers.h"
#include "routing/spanning_forest.h"
#include "routing/table_dependencies.h"

namespace faultline {
namespace {

struct Network {
  const Topology& topology;
  const FabricLabelling& fabric;
  const FaultSet& dead;
  SwitchPorts ports;
};

/// One attempt to give the entries that are missing for one LID, and to add to `dependencies` what they
/// cause.
class Completion {
 public:
  /// `dependencies`: null if the kept entries close a cycle anyway.
  Completion(const Network& network, const LidPackets& packets, PortsTowards& ports,
             AcyclicDependencies* dependencies)
      : network_(network),
        packets_(packets),
        ports_(ports),
        dependencies_(dependencies),
        arrivals_(network.topology, network.fabric, network.dead, packets.ends),
        may_have_one_(network.topology.switch_count(), true) {
    for (const SwitchId at : packets.lost_at) may_have_one_[at.index()] = false;
  }

  /// False where that had to close a cycle.
  bool give_all() {
    bool avoids_cycles = true;
    for (add_neighbours();; add_neighbours()) {
      if (give_one_of(with_dead_port_) || give_one_of(others_)) continue;
      if (!give_although_it_closes_a_cycle()) return avoids_cycles;
      avoids_cycles = false;
    }
  }

 private:
  struct Way {
    ChannelId channel;
    std::uint8_t port;
  };

  [[nodiscard]] bool lacks_one(SwitchId at) const {
    return ports_[at.index()] == no_port && may_have_one_[at.index()];
  }
  [[nodiscard]] SwitchId start(const Way& way) const { return network_.topology.source(way.channel); }

  /// What leads to a switch whose own port is dead may stay once that switch has another, so such switches
  /// are the first to get one.
  void add_neighbours() {
    arrivals_.for_each_way_in([&](ChannelId channel, std::uint8_t port) {
      const Way way{channel, port};
      const std::size_t from = start(way).index();
      if (ports_[from] == port) arrivals_.add(start(way));
      if (!lacks_one(start(way))) return;
      const bool has_lost_its_own = !network_.ports.behind(start(way), packets_.before[from]).valid();
      const PortsTowards& wished =
          has_lost_its_own && !packets_.otherwise.empty() ? packets_.otherwise : packets_.before;
      if (wished[from] != port)
        (has_lost_its_own ? with_dead_port_ : others_).push_back(way);
      else if (closes_no_cycle(channel))
        give(way);
      else
        closing_a_cycle_.push_back(way);
    });
  }
  /// False where none is left that closes no cycle.
  bool give_one_of(std::deque<Way>& ways) {
    for (; !ways.empty(); ways.pop_front()) {
      if (arrivals_.has(start(ways.front()))) continue;
      if (closes_no_cycle(ways.front().channel)) {
        give(ways.front());
        return true;
      }
      closing_a_cycle_.push_back(ways.front());
    }
    return false;
  }
  bool give_although_it_closes_a_cycle() {
    for (; !closing_a_cycle_.empty(); closing_a_cycle_.pop_front())
      if (!arrivals_.has(start(closing_a_cycle_.front()))) {
        give(closing_a_cycle_.front());
        return true;
      }
    return false;
  }
  void give(const Way& way) {
    ports_[start(way).index()] = way.port;
    arrivals_.add(start(way));
  }

  /// Of packets that come by the channel, to a switch that has a port or is an end. Adds the dependency then.
  bool closes_no_cycle(ChannelId held) {
    const SwitchId next = network_.topology.target(held);
    const ChannelId wanted = network_.ports.channel(next, ports_[next.index()]);
    return dependencies_ == nullptr || !wanted.valid() || dependencies_->add(held, wanted);
  }

  const Network& network_;
  const LidPackets& packets_;
  PortsTowards& ports_;
  AcyclicDependencies* dependencies_;
  Arrivals arrivals_;
  std::vector<bool> may_have_one_;  // by switch
  std::deque<Way> with_dead_port_, others_, closing_a_cycle_;
};

/// Adds the turns of a tree. False, and none is added, where they close a cycle.
bool add_turns(const SpanningForest& forest, AcyclicDependencies& dependencies) {
  std::vector<std::pair<ChannelId, ChannelId>> added;
  bool fits = true;
  forest.for_each_turn([&](ChannelId held, ChannelId wanted) {
    fits = fits && dependencies.add(held, wanted);
    if (fits) added.emplace_back(held, wanted);
  });
  if (!fits)
    for (const auto& [held, wanted] : added) dependencies.remove(held, wanted);
  return fits;
}

/// Adds the turns of the first tree found that close no cycle; packets of switches can then go along it. In a
/// fat tree a leaf switch can be its root: it is where packets go down and up again.
void keep_a_tree_free(const Network& network, AcyclicDependencies& dependencies) {
  constexpr std::size_t most_roots = 64;
  const Topology& topology = network.topology;
  if (!topology.is_two_way()) return;
  std::vector<SwitchId> roots = injecting_switches(topology, network.dead);
  const std::vector<SwitchId> all(topology.switches().begin(), topology.switches().end());
  roots.insert(roots.end(), all.begin(), all.end());
  if (roots.size() > most_roots) roots.resize(most_roots);
  for (const SwitchId root : roots) {
    const UpDownOrder order(topology, network.dead, "tables", root);
    if (add_turns(SpanningForest(topology, order, all), dependencies)) return;
  }
}

}  // namespace

void complete_tables(const Topology& topology, const FabricLabelling& fabric, const FaultSet& dead,
                     const std::vector<LidPackets>& packets, infiniband::ForwardingTables& tables) {
  const Network network{topology, fabric, dead, SwitchPorts(topology, fabric, dead)};
  const infiniband::ForwardingTables kept = tables;
  const std::optional<AcyclicDependencies> of_kept = dependencies_of_tables(topology, fabric, kept, dead);
  std::optional<AcyclicDependencies> dependencies = of_kept;
  const auto complete = [&](const LidPackets& one) {
    PortsTowards ports = ports_towards(tables, one.lid);
    const bool avoids_cycles =
        Completion(network, one, ports, dependencies ? &*dependencies : nullptr).give_all();
    set_ports(tables, one.lid, ports);
    return avoids_cycles;
  };
  if (std::ranges::all_of(packets, complete)) return;
  tables = kept;
  dependencies = of_kept;
  keep_a_tree_free(network, *dependencies);
  std::ranges::for_each(packets, complete);
}

}  // namespace faultline
