// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/table_use.h"

#include <algorithm>
#include <optional>

#include "faultline/infiniband/lids.h"
#include "faultline/topology/labellings.h"
#include "routing/table_dependencies.h"

namespace faultline {
namespace {

const FabricLabelling& fabric_of(const Topology& topology) {
  return topology.labelling<FabricLabelling>("forwarding tables", "topology");
}

/// By switch; null where `tables` hold none of it.
std::vector<const infiniband::ForwardingTable*> tables_by_switch(const Topology& topology,
                                                                 const FabricLabelling& fabric,
                                                                 const infiniband::ForwardingTables& tables) {
  std::vector<const infiniband::ForwardingTable*> found;
  for (const SwitchId at : topology.switches()) found.push_back(tables.find(fabric.node(at).guid));
  return found;
}

std::optional<std::uint8_t> port_of(const infiniband::ForwardingTable* table, infiniband::Lid lid) {
  return table == nullptr ? std::nullopt : table->port(lid);
}

}  // namespace

std::uint64_t differing_entries(const Topology& topology, const FaultSet& dead,
                                const infiniband::ForwardingTables& before,
                                const infiniband::ForwardingTables& after) {
  dead.require_of(topology, "dead");
  const FabricLabelling& fabric = fabric_of(topology);
  const auto old_tables = tables_by_switch(topology, fabric, before);
  const auto new_tables = tables_by_switch(topology, fabric, after);
  std::uint64_t differing = 0;
  for (const TerminalId terminal : topology.terminals())
    infiniband::for_each_lid(fabric.end_port(terminal), [&](infiniband::Lid lid) {
      for (const SwitchId at : topology.switches())
        if (!dead.failed(at) && port_of(old_tables[at.index()], lid) != port_of(new_tables[at.index()], lid))
          ++differing;
    });
  return differing;
}

SwitchPackets switch_packets(const Topology& topology, const FaultSet& dead,
                             const infiniband::ForwardingTables& tables) {
  dead.require_of(topology, "dead");
  const FabricLabelling& fabric = fabric_of(topology);
  const auto table = tables_by_switch(topology, fabric, tables);
  SwitchPackets packets;
  for (const SwitchId target : topology.switches())
    if (const infiniband::EndPort* const own = fabric.node(target).find_end_port(0); own != nullptr)
      infiniband::for_each_lid(*own, [&](infiniband::Lid lid) {
        for (const SwitchId at : topology.switches())
          if (!dead.failed(at) && port_of(table[at.index()], lid)) ++packets.entries;
      });
  packets.are_acyclic = dependencies_of_tables(topology, fabric, tables, dead).has_value();
  return packets;
}

ForwardingPaths::ForwardingPaths(const Topology& topology, const infiniband::ForwardingTables& tables)
    : topology_(topology) {
  const FabricLabelling& fabric = fabric_of(topology);
  constexpr std::size_t port_numbers = 256;
  std::vector<ChannelId> at_port(topology.switch_count() * port_numbers);
  for (const ChannelId channel : topology.channels())
    if (const SwitchId at = topology.source(channel); at.valid())
      at_port[at.index() * port_numbers + fabric.output_port(topology, channel)] = channel;
  const auto table = tables_by_switch(topology, fabric, tables);
  for (const TerminalId terminal : topology.terminals())
    infiniband::for_each_lid(fabric.end_port(terminal), [&](infiniband::Lid lid) {
      terminal_.push_back(terminal);
      for (const SwitchId at : topology.switches()) {
        const auto port = port_of(table[at.index()], lid);
        const ChannelId channel = port ? at_port[at.index() * port_numbers + *port] : ChannelId();
        const bool leads_on = channel.valid() && (topology.role(channel) != ChannelRole::ejection ||
                                                  topology.terminal(channel) == terminal);
        entry_.push_back(leads_on ? Entry::forwards : port ? Entry::misled : Entry::none);
        next_.push_back(channel);
      }
    });
}

/// What becomes of packets at each switch, by the entries of one column after the other.
class ForwardingPaths::Fates {
 public:
  enum class Fate : std::uint8_t { unknown, met, arrives, lost };

  /// `dead`: null where nothing is.
  Fates(const ForwardingPaths& paths, const FaultSet* dead)
      : paths_(paths), topology_(paths.topology_), dead_(dead) {}

  void begin(std::size_t column) {
    first_ = column * topology_.switch_count();
    fate_.assign(topology_.switch_count(), Fate::unknown);
  }

  /// All switches on the way have the same one.
  Fate from(SwitchId at) {
    way_.clear();
    Fate fate = Fate::lost;
    while (true) {
      Fate& here = fate_[at.index()];
      if (here != Fate::unknown) {
        if (here != Fate::met) fate = here;  // where it was met on this way, packets go round in a circle
        break;
      }
      here = Fate::met;
      way_.push_back(at);
      if (paths_.entry_[first_ + at.index()] != Entry::forwards) break;
      const ChannelId next = paths_.next_[first_ + at.index()];
      if (dead_ != nullptr && dead_->failed(next)) break;
      if (topology_.role(next) == ChannelRole::ejection) {
        fate = Fate::arrives;
        break;
      }
      at = topology_.target(next);
    }
    for (const SwitchId passed : way_) fate_[passed.index()] = fate;
    return fate;
  }

 private:
  const ForwardingPaths& paths_;
  const Topology& topology_;
  const FaultSet* dead_;
  std::size_t first_ = 0;  // of the column
  std::vector<Fate> fate_;
  std::vector<SwitchId> way_;
};

/// Follows the entries of one column after the other.
class ForwardingPaths::Walk {
 public:
  Walk(const ForwardingPaths& paths, const FaultSet& dead)
      : paths_(paths),
        topology_(paths.topology_),
        dead_(dead),
        now_(paths, &dead),
        before_(paths, nullptr),
        sources_(topology_.switch_count()),
        load_(topology_.network_channel_count()) {
    for (const TerminalId terminal : topology_.terminals())
      for (const ChannelId channel : topology_.injection(terminal))
        if (!dead.failed(channel)) ++sources_[topology_.target(channel).index()];
  }

  TableUse run() && {
    for (std::size_t column = 0; column < paths_.terminal_.size(); ++column) follow(column);
    use_.max_link_load = load_.empty() ? 0 : *std::ranges::max_element(load_);
    return use_;
  }

 private:
  using Fate = Fates::Fate;

  void follow(std::size_t column) {
    first_ = column * topology_.switch_count();
    now_.begin(column);
    before_.begin(column);
    const TerminalId terminal = paths_.terminal_[column];
    const bool can_arrive = std::ranges::any_of(topology_.ejection(terminal),
                                                [&](ChannelId channel) { return !dead_.failed(channel); });
    for (const SwitchId at : topology_.switches()) {
      const Fate fate = now_.from(at);
      count_entry(at, fate);
      if (can_arrive) count_routes(at, fate, sources_at(at, terminal));
    }
  }

  [[nodiscard]] bool is_dead(SwitchId at) const { return dead_.failed(paths_.next_[first_ + at.index()]); }

  void count_entry(SwitchId at, Fate fate) {
    const Entry entry = paths_.entry_[first_ + at.index()];
    if (entry == Entry::none || dead_.failed(at)) return;
    ++use_.entries;
    if (entry == Entry::misled || is_dead(at)) ++use_.dead_entries;
    if (fate == Fate::lost) ++use_.crossed_entries;
  }

  /// Terminals that inject at this switch, but for the one that packets are for.
  [[nodiscard]] std::uint64_t sources_at(SwitchId at, TerminalId destination) const {
    std::uint64_t sources = sources_[at.index()];
    for (const ChannelId channel : topology_.injection(destination))
      if (!dead_.failed(channel) && topology_.target(channel) == at) --sources;
    return sources;
  }

  void count_routes(SwitchId at, Fate fate, std::uint64_t sources) {
    if (sources == 0) return;
    use_.routes += sources;
    if (fate == Fate::lost) {
      use_.lost_routes += sources;
      if (before_.from(at) == Fate::arrives) use_.newly_lost_routes += sources;
      return;
    }
    for (ChannelId next = paths_.next_[first_ + at.index()]; topology_.role(next) == ChannelRole::network;
         next = paths_.next_[first_ + topology_.target(next).index()])
      load_[next.index()] += sources;
  }

  const ForwardingPaths& paths_;
  const Topology& topology_;
  const FaultSet& dead_;
  Fates now_, before_;                  // with what is dead, and while nothing was
  std::vector<std::uint64_t> sources_;  // terminals with a living injection channel, by switch
  std::vector<std::uint64_t> load_;     // routes, by network channel
  std::size_t first_ = 0;               // of the column that is followed
  TableUse use_;
};

TableUse ForwardingPaths::use(const FaultSet& dead) const {
  dead.require_of(topology_, "dead");
  return Walk(*this, dead).run();
}

}  // namespace faultline
