// SPDX-License-Identifier: Apache-2.0
#include "resilience/circuit/attachments.h"

#include <algorithm>

#include "faultline/topology/terminals_by_switches.h"

namespace faultline::survival {
namespace {

std::vector<ChannelId> by_switch(std::span<const ChannelId> channels, auto switch_of) {
  std::vector<ChannelId> sorted(channels.begin(), channels.end());
  std::ranges::stable_sort(sorted, {}, switch_of);
  return sorted;
}

}  // namespace

Attachments::Attachments(const Topology& topology) {
  sources_.class_of.resize(topology.terminal_count());
  destinations_.class_of.resize(topology.terminal_count());
  first_self_row_of_.resize(topology.terminal_count());
  for (const TerminalId terminal : topology.terminals()) {
    sources_.channels.push_back(
        by_switch(topology.injection(terminal), [&](ChannelId channel) { return topology.target(channel); }));
    destinations_.channels.push_back(
        by_switch(topology.ejection(terminal), [&](ChannelId channel) { return topology.source(channel); }));
  }
  for (auto& [switches, terminals] : terminals_by_switches(topology, ChannelRole::injection))
    add_class(sources_, std::move(terminals));
}

bool Attachments::applicable() const {
  const auto few = [](const std::vector<ChannelId>& channels) {
    return !channels.empty() && channels.size() <= max_ports;
  };
  return std::ranges::all_of(sources_.channels, few) && std::ranges::all_of(destinations_.channels, few);
}

std::uint32_t Attachments::add_class(Side& side, std::vector<TerminalId> terminals) {
  const auto number = static_cast<std::uint32_t>(side.classes.size());
  for (const TerminalId terminal : terminals) side.class_of[terminal.index()] = number;
  const auto ports = static_cast<std::uint32_t>(side.channels[terminals.front().index()].size());
  side.classes.push_back({std::move(terminals), ports, row_count_});
  row_count_ += side.classes.back().full();
  return number;
}

std::uint32_t Attachments::add_destinations(const std::vector<TerminalId>& members) {
  const std::uint32_t destination = add_class(destinations_, members);
  for (const TerminalId terminal : members) {
    const std::uint32_t source = sources_.class_of[terminal.index()];
    const auto [entry, is_new] = selves_.try_emplace({source, destination}, Self{self_row_count_, 0});
    if (is_new)
      self_row_count_ += sources_.classes[source].full() * destinations_.classes[destination].full();
    ++entry->second.terminals;
    first_self_row_of_[terminal.index()] = entry->second.first_row;
  }
  return destination;
}

std::uint32_t Attachments::self_row(std::uint32_t source_class, Pattern left, std::uint32_t destination_class,
                                    Pattern right) const {
  const auto found = selves_.find({source_class, destination_class});
  if (found == selves_.end()) return no_row;
  return found->second.first_row + (left - 1) * destinations_.classes[destination_class].full() + right - 1;
}

}  // namespace faultline::survival
