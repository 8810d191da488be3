// SPDX-License-Identifier: Apache-2.0
#include "faultline/fault/components.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

namespace faultline {
namespace {

constexpr std::array<std::string_view, 4> unit_names{"channel", "link", "switch", "terminal"};
constexpr std::array<std::string_view, 3> scope_names{"network", "terminal", "all"};

template <class Enum, std::size_t size>
Enum named(const std::array<std::string_view, size>& names, std::string_view name, std::string_view field) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<Enum>(found - names.begin());
  std::string allowed = "must be one of: ";
  for (const std::string_view known : names) allowed.append(known == names.front() ? "" : ", ").append(known);
  throw Error(Error::Parts{std::string(field), std::string(name), allowed, nearest_name(name, names), {}});
}

bool holds_terminals(const Topology& topology, SwitchId at) {
  const auto is_terminal = [&](ChannelId channel) { return topology.terminal(channel).valid(); };
  return std::ranges::any_of(topology.outputs(at), is_terminal) ||
         std::ranges::any_of(topology.inputs(at), is_terminal);
}

/// The members of a unit are numbered network first, so that a scope of channels or links is a range.
std::vector<std::uint32_t> members_in_scope(std::size_t network_count, std::size_t count, FaultScope scope) {
  const std::size_t first = scope == FaultScope::terminal ? network_count : 0;
  const std::size_t end = scope == FaultScope::network ? network_count : count;
  std::vector<std::uint32_t> members(end - first);
  std::iota(members.begin(), members.end(), static_cast<std::uint32_t>(first));
  return members;
}

std::vector<std::uint32_t> members_of(const Topology& topology, FaultUnit unit, FaultScope scope) {
  switch (unit) {
    case FaultUnit::channel:
      return members_in_scope(topology.network_channel_count(), topology.channel_count(), scope);
    case FaultUnit::link:
      return members_in_scope(topology.network_link_count(), topology.link_count(), scope);
    case FaultUnit::terminal:
      return members_in_scope(0, topology.terminal_count(), FaultScope::all);
    case FaultUnit::switch_:
      break;
  }
  std::vector<std::uint32_t> members;
  for (const SwitchId at : topology.switches())
    if (scope != FaultScope::terminal || holds_terminals(topology, at)) members.push_back(at.value());
  return members;
}

std::vector<ChannelId> channels_of(const Topology& topology, FaultUnit unit, std::uint32_t member) {
  std::vector<ChannelId> channels;
  const auto append = [&](auto range) { channels.insert(channels.end(), range.begin(), range.end()); };
  switch (unit) {
    case FaultUnit::channel:
      channels.emplace_back(member);
      break;
    case FaultUnit::link:
      append(topology.channels(LinkId(member)));
      break;
    case FaultUnit::switch_:
      append(topology.outputs(SwitchId(member)));
      append(topology.inputs(SwitchId(member)));
      break;
    case FaultUnit::terminal:
      append(topology.injection(TerminalId(member)));
      append(topology.ejection(TerminalId(member)));
      break;
  }
  return channels;
}

}  // namespace

std::string_view to_string(FaultUnit unit) { return unit_names.at(static_cast<std::size_t>(unit)); }
std::string_view to_string(FaultScope scope) { return scope_names.at(static_cast<std::size_t>(scope)); }
std::string to_string(FaultUnits units) {
  std::string text;
  for (const FaultUnit unit : all_fault_units)
    if (units.contains(unit)) text.append(text.empty() ? "" : "+").append(to_string(unit));
  return text;
}
FaultUnits fault_units(std::string_view name, std::string_view field) {
  std::optional<FaultUnits> units;
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end = std::min(name.find('+', start), name.size());
    const auto unit = named<FaultUnit>(unit_names, name.substr(start, end - start), field);
    if (units && units->contains(unit))
      throw Error(std::string(field), std::string(name), "names a unit twice");
    if (units)
      *units |= unit;
    else
      units = unit;
    start = end + 1;
  }
  return *units;
}
FaultScope fault_scope(std::string_view name, std::string_view field) {
  return named<FaultScope>(scope_names, name, field);
}

FaultComponents::FaultComponents(TopologyPtr topology, FaultUnits units, FaultScope scope)
    : topology_(std::move(topology)), units_(units), scope_(scope), offsets_{0} {
  for (const FaultUnit unit : all_fault_units)
    if (units.contains(unit))
      for (const std::uint32_t index : members_of(*topology_, unit, scope)) members_.push_back({unit, index});
  for (const auto& [unit, index] : members_) {
    const std::vector<ChannelId> channels = channels_of(*topology_, unit, index);
    channels_.insert(channels_.end(), channels.begin(), channels.end());
    offsets_.push_back(static_cast<std::uint32_t>(channels_.size()));
  }
}

std::string FaultComponents::name(std::size_t component) const {
  const auto& [unit, member] = members_[component];
  switch (unit) {
    case FaultUnit::channel:
      return topology_->name(ChannelId(member));
    case FaultUnit::link:
      return topology_->name(LinkId(member));
    case FaultUnit::switch_:
      return topology_->name(SwitchId(member));
    case FaultUnit::terminal:
      return topology_->name(TerminalId(member));
  }
  return {};
}

void FaultComponents::require(std::uint32_t component, std::string_view field) const {
  if (component >= count())
    throw Error(std::string(field), fmt::format("component {}", component),
                fmt::format("must be one of {} of unit {} and scope {} of {}", count(), to_string(units_),
                            to_string(scope_), topology_->name()));
}

FaultSet FaultComponents::fault_set(std::span<const std::uint32_t> components) const {
  FaultSet faults(*topology_);
  for (const std::uint32_t component : components) {
    require(component, "components");
    if (unit(component) == FaultUnit::switch_)
      faults.fail(*topology_, SwitchId(member(component)));
    else
      for (const ChannelId channel : channels(component)) faults.fail(channel);
  }
  return faults;
}

}  // namespace faultline
