// SPDX-License-Identifier: Apache-2.0
#include "faultline/routing/table_export.h"

#include <fmt/format.h>

#include <algorithm>

#include "faultline/infiniband/lids.h"
#include "faultline/topology/labellings.h"

namespace faultline {
namespace {

using infiniband::ForwardingTable;

class Export {
 public:
  Export(const RoutingRelation& relation, std::string_view name)
      : relation_(relation),
        name_(name),
        topology_(relation.topology()),
        fabric_(topology_.labelling<FabricLabelling>(name, "tables-out")) {
    constexpr std::uint64_t most_tags = 64;
    if (relation.reads_held_channel() || relation.tag_count() > most_tags)
      refuse("its choice depends on where a packet comes from");
  }

  TableExport run() && {
    if (fabric_.tables) result_.changed = 0;
    for (const SwitchId at : topology_.switches()) add_table(at);
    return std::move(result_);
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error("routing", std::string(name_),
                "must send all packets for a terminal by one port of each switch to be written as tables, as "
                "dfsssp and lash do; " +
                    reason);
  }

  void add_table(SwitchId at) {
    const infiniband::Node& node = fabric_.node(at);
    const ForwardingTable* const before = fabric_.tables ? fabric_.tables->find(node.guid) : nullptr;
    ForwardingTable table{node.guid, before != nullptr ? before->ports : std::vector<std::uint8_t>()};
    if (const auto* const own = node.find_end_port(0); own != nullptr && own->lid != 0 && before == nullptr)
      set(table, own->lid, 0);
    for (const TerminalId terminal : topology_.terminals()) {
      const std::uint8_t port = port_towards(terminal, at);
      infiniband::for_each_lid(fabric_.end_port(terminal), [&](infiniband::Lid lid) {
        const auto old = before != nullptr ? before->port(lid) : std::nullopt;
        if (result_.changed && old.value_or(ForwardingTable::no_entry) != port) ++*result_.changed;
        if (port != ForwardingTable::no_entry) ++result_.entries;
        set(table, lid, port);
      });
    }
    result_.tables.switches.push_back(std::move(table));
  }

  static void set(ForwardingTable& table, infiniband::Lid lid, std::uint8_t port) {
    if (lid >= table.ports.size()) table.ports.resize(std::size_t{lid} + 1, ForwardingTable::no_entry);
    table.ports[lid] = port;
  }

  /// `no_entry` where the switch cannot reach the terminal.
  [[nodiscard]] std::uint8_t port_towards(TerminalId terminal, SwitchId at) {
    options_.clear();
    for (Tag tag = 0; tag < relation_.tag_count(); ++tag)
      relation_.route({.at = at, .destination = terminal, .held = {}, .vc = 0, .tag = tag}, options_);
    if (options_.empty()) return ForwardingTable::no_entry;
    const ChannelId channel = options_.front().channel;
    if (std::ranges::any_of(options_, [&](const RouteOption& option) { return option.channel != channel; }))
      refuse(fmt::format("at {} it offers several for {}", topology_.name(at), topology_.name(terminal)));
    return static_cast<std::uint8_t>(topology_.output_port(channel));
  }

  const RoutingRelation& relation_;
  std::string_view name_;
  const Topology& topology_;
  const FabricLabelling& fabric_;
  RouteOptions options_;
  TableExport result_;
};

}  // namespace

TableExport export_tables(const RoutingRelation& relation, std::string_view name) {
  return Export(relation, name).run();
}

}  // namespace faultline
