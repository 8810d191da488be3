// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/table_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <map>

#include "base/sort_unique.h"
#include "faultline/infiniband/lids.h"
#include "faultline/topology/labellings.h"
#include "routing/path_layers.h"
#include "routing/paths_to_switches.h"
#include "routing/table_completion.h"
#include "routing/table_dependencies.h"

namespace faultline {
namespace {

using infiniband::ForwardingTable;

class Export {
 public:
  Export(const RoutingRelation& relation, const FabricLabelling& fabric, const FaultSet& dead,
         std::string_view name)
      : relation_(relation),
        name_(name),
        topology_(relation.topology()),
        fabric_(fabric),
        dead_(dead),
        paths_(topology_, fabric, dead),
        sources_(injecting_switches(topology_, dead)) {
    require_names();
    if (relation.reads_held_channel() || relation.tag_count() > max_tags)
      refuse("its choice depends on where a packet comes from");
    for (const TerminalId terminal : topology_.terminals())
      has_tag_per_lid_.push_back(tags_are_offsets_of_lids(terminal));
  }

  TableExport run() && {
    if (fabric_.tables) result_.changed = result_.changed_for_switches = 0;
    for (const SwitchId at : topology_.switches()) add_table(at);
    for (const TerminalId terminal : topology_.terminals()) add_entries_for(terminal);
    for (const SwitchId target : topology_.switches()) keep_entries_for(target);
    complete_entries();
    count_entries();
    if (result_.changed.value_or(0) + result_.changed_for_switches.value_or(0) != 0) leave_out_other_lids();
    result_.acyclic_with_switches =
        dependencies_of_tables(topology_, fabric_, result_.tables, dead_).has_value();
    return std::move(result_);
  }

 private:
  static constexpr std::uint64_t max_tags = 128;  ///< a port has no more LIDs

  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error("routing", std::string(name_),
                "must send all packets for a LID by one port of each switch to be written as tables, as "
                "dfsssp, lash and repair do; " +
                    reason);
  }

  /// Tables are named by GUIDs, and their entries by LIDs.
  void require_names() {
    std::map<infiniband::Guid, SwitchId> switches;
    for (const SwitchId at : topology_.switches()) {
      const auto [other, is_new] = switches.emplace(fabric_.node(at).guid, at);
      if (other->first == 0)
        throw Error("topology.file", topology_.name(at),
                    "has no GUID in the fabric's file; its table needs one");
      if (!is_new)
        throw Error("topology.file", topology_.name(at),
                    fmt::format("has the GUID of {}; their tables need different ones",
                                topology_.name(other->second)));
    }
    require_lids_that_fit();
    if (const auto shared = infiniband::shared_lids(fabric_.fabric); !shared.empty())
      throw Error(
          "topology.file", fmt::format("LID {}", shared.front().lid),
          fmt::format("is given to {} and to {}; to be written as tables, each LID must be of one port",
                      shared.front().ports[0], shared.front().ports[1]));
    for (const TerminalId terminal : topology_.terminals())
      if (!infiniband::has_lid(fabric_.end_port(terminal))) result_.without_lid.push_back(terminal);
    if (!result_.without_lid.empty() && result_.without_lid.size() == topology_.terminal_count())
      throw Error("topology.file", topology_.name(result_.without_lid.front()),
                  "has no LID, nor has any other adapter: the file must be of a fabric that a subnet manager "
                  "has configured");
  }

  void require_lids_that_fit() const {
    for (const infiniband::Node& node : fabric_.fabric.nodes)
      for (const infiniband::EndPort& port : node.end_ports)
        if (!infiniband::lid_fits_lmc(port))
          throw Error(
              "topology.file", fmt::format("LID {}", port.lid),
              fmt::format("is the first of {}[{}], whose LMC is {}; it must be a multiple of {}, or the "
                          "port takes packets for other LIDs",
                          node.id, port.number, port.lmc, infiniband::lid_count(port)));
  }

  /// Every source offers the tags 0 … N - 1 for the terminal's N LIDs, and packets keep them, as with
  /// `tables` and `repair`: then a packet to the i-th LID after the first is one with tag i, whichever source
  /// sends it.
  [[nodiscard]] bool tags_are_offsets_of_lids(TerminalId terminal) {
    const std::uint32_t lids = infiniband::lid_count(fabric_.end_port(terminal));
    if (relation_.tag_count() == 1) return lids == 1;
    return lids <= relation_.tag_count() &&
           std::ranges::all_of(topology_.terminals(),
                               [&](TerminalId source) {
                                 return source == terminal || offers_tags_below(lids, source, terminal);
                               }) &&
           std::ranges::all_of(topology_.switches(),
                               [&](SwitchId at) { return keeps_tags(lids, at, terminal); });
  }
  /// Either all of these and no others, or nothing.
  [[nodiscard]] bool offers_tags_below(Tag count, TerminalId source, TerminalId terminal) {
    options_.clear();
    relation_.inject(source, terminal, options_);
    std::bitset<max_tags> tags;
    for (const RouteOption& option : options_) {
      if (option.tag >= count) return false;
      tags.set(option.tag);
    }
    return options_.empty() || tags.count() == count;
  }
  [[nodiscard]] bool keeps_tags(Tag count, SwitchId at, TerminalId terminal) {
    for (Tag tag = 0; tag < count; ++tag) {
      options_.clear();
      add_options(terminal, at, tag);
      if (std::ranges::any_of(options_, [&](const RouteOption& option) {
            return option.tag != tag && topology_.role(option.channel) == ChannelRole::network;
          }))
        return false;
    }
    return true;
  }

  void add_table(SwitchId at) {
    const infiniband::Node& node = fabric_.node(at);
    tables_before_.push_back(fabric_.tables ? fabric_.tables->find(node.guid) : nullptr);
    result_.tables.switches.push_back({node.guid, tables_before_.back() != nullptr
                                                      ? tables_before_.back()->ports
                                                      : std::vector<std::uint8_t>()});
  }

  /// As the relation routes.
  void add_entries_for(TerminalId terminal) {
    const infiniband::EndPort& end = fabric_.end_port(terminal);
    infiniband::for_each_lid(end, [&](infiniband::Lid lid) {
      PortsTowards ports;
      for (const SwitchId at : topology_.switches())
        ports.push_back(port_towards(terminal, at, Tag{lid} - end.lid));
      LidPackets packets{.lid = lid, .ends = ends_of(terminal, ports), .before = ports_before(lid)};
      auto followed = paths_.remove_what_does_not_arrive(ports, packets.ends, sources_);
      packets.fixed = std::move(followed.towards);
      packets.lost_at = std::move(followed.lost_at);
      packets.kept = std::move(ports);
      packets_.push_back(std::move(packets));
    });
  }
  /// What the tables hold for a LID of a switch stays wherever it leads there, unless it closes a cycle.
  void keep_entries_for(SwitchId target) {
    PortsTowards computed, fixed(topology_.switch_count(), no_port);
    fixed[target.index()] = 0;
    for_each_lid_of(target, [&](infiniband::Lid lid) {
      LidPackets packets{.lid = lid, .ends = {target}, .before = ports_before(lid), .fixed = fixed};
      if (computed.empty()) computed = computed_ports(target);
      packets.kept = packets.before;
      packets.kept[target.index()] = 0;
      paths_.remove_what_does_not_arrive(packets.kept, packets.ends, {});
      packets.otherwise = computed;
      packets_.push_back(std::move(packets));
    });
  }
  void complete_entries() {
    const std::vector<PortsTowards> ports =
        complete_tables(CabledNetwork(topology_, fabric_, dead_), packets_);
    for (std::size_t i = 0; i < packets_.size(); ++i) set_ports(result_.tables, packets_[i].lid, ports[i]);
  }

  template <class Visit>
  void for_each_lid_of(SwitchId target, Visit visit) const {
    const infiniband::EndPort* const own = fabric_.node(target).find_end_port(0);
    if (own != nullptr && own->lid != 0) infiniband::for_each_lid(*own, visit);
  }
  /// The switches that eject packets for the terminal.
  [[nodiscard]] std::vector<SwitchId> ends_of(TerminalId terminal, const PortsTowards& ports) const {
    std::vector<SwitchId> ends;
    for (const ChannelId channel : topology_.ejection(terminal))
      if (const SwitchId at = topology_.source(channel);
          !dead_.failed(channel) && ports[at.index()] == fabric_.output_port(topology_, channel))
        ends.push_back(at);
    return ends;
  }
  [[nodiscard]] PortsTowards ports_before(infiniband::Lid lid) const {
    PortsTowards ports;
    for (const ForwardingTable* const table : tables_before_)
      ports.push_back(table == nullptr ? no_port : table->port(lid).value_or(no_port));
    return ports;
  }
  void count_entries() {
    for (const TerminalId terminal : topology_.terminals())
      infiniband::for_each_lid(fabric_.end_port(terminal),
                               [&](infiniband::Lid lid) { count(lid, result_.entries, result_.changed); });
    for (const SwitchId target : topology_.switches())
      for_each_lid_of(target, [&](infiniband::Lid lid) {
        count(lid, result_.switch_entries, result_.changed_for_switches);
      });
  }
  /// A dead switch holds no tables that count.
  void count(infiniband::Lid lid, std::uint64_t& entries, std::optional<std::uint64_t>& changed) const {
    const PortsTowards before = ports_before(lid), ports = ports_towards(result_.tables, lid);
    for (const SwitchId at : topology_.switches()) {
      if (dead_.failed(at)) continue;
      if (ports[at.index()] != no_port) ++entries;
      if (changed && ports[at.index()] != before[at.index()]) ++*changed;
    }
  }
  /// A dead switch holds none that count.
  void leave_out_other_lids() {
    std::vector<bool> has_port(std::size_t{infiniband::last_unicast_lid} + 1);
    for (const LidPackets& one : packets_) has_port[one.lid] = true;
    for (const SwitchId at : topology_.switches()) {
      std::vector<std::uint8_t>& ports = result_.tables.switches[at.index()].ports;
      for (std::size_t lid = 0; lid < ports.size(); ++lid) {
        if (has_port[lid] || ports[lid] == no_port) continue;
        ports[lid] = no_port;
        result_.left_out_entries += dead_.failed(at) ? 0 : 1;
      }
    }
  }
  /// The paths to one of its terminals, or else the shortest.
  [[nodiscard]] PortsTowards computed_ports(SwitchId target) {
    PortsTowards shortest = paths_.shortest(target);
    for (const ChannelId channel : topology_.outputs(target)) {
      if (topology_.role(channel) != ChannelRole::ejection) continue;
      PortsTowards ports;
      for (const SwitchId at : topology_.switches())
        ports.push_back(at == target ? std::uint8_t{0} : port_towards(topology_.terminal(channel), at, 0));
      if (paths_.lead(ports, target, shortest)) return ports;
    }
    return shortest;
  }

  void add_options(TerminalId terminal, SwitchId at, Tag tag) {
    relation_.route({.at = at, .destination = terminal, .held = {}, .vc = 0, .tag = tag}, options_);
  }
  /// For the LID that is `offset` behind the terminal's first; `no_entry` where the switch cannot reach it.
  [[nodiscard]] std::uint8_t port_towards(TerminalId terminal, SwitchId at, Tag offset) {
    options_.clear();
    if (has_tag_per_lid_[terminal.index()])
      add_options(terminal, at, offset);
    else
      for (Tag tag = 0; tag < relation_.tag_count(); ++tag) add_options(terminal, at, tag);
    if (options_.empty()) return ForwardingTable::no_entry;
    const ChannelId channel = options_.front().channel;
    if (std::ranges::any_of(options_, [&](const RouteOption& option) { return option.channel != channel; }))
      refuse(fmt::format("at {} it offers several for {}", topology_.name(at), topology_.name(terminal)));
    return fabric_.output_port(topology_, channel);
  }

  const RoutingRelation& relation_;
  std::string_view name_;
  const Topology& topology_;
  const FabricLabelling& fabric_;
  const FaultSet& dead_;
  PathsToSwitches paths_;
  std::vector<SwitchId> sources_;                      // terminals inject there
  std::vector<const ForwardingTable*> tables_before_;  // by switch; null where the fabric has none
  RouteOptions options_;
  std::vector<LidPackets> packets_;
  std::vector<bool> has_tag_per_lid_;  // by terminal
  TableExport result_;
};

}  // namespace

TableExport export_tables(const RoutingRelation& relation, const FabricLabelling& fabric,
                          const FaultSet& dead, std::string_view name) {
  dead.require_of(relation.topology(), "dead");
  return Export(relation, fabric, dead, name).run();
}

TableExport export_tables(const RoutingRelation& relation, const FaultSet& dead, std::string_view name) {
  return export_tables(relation, relation.topology().labelling<FabricLabelling>(name, "tables-out"), dead,
                       name);
}

}  // namespace faultline
