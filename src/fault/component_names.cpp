// SPDX-License-Identifier: Apache-2.0
#include "faultline/fault/component_names.h"

#include <vector>

#include "base/number.h"
#include "faultline/base/error.h"
#include "faultline/topology/labellings.h"

namespace faultline {
namespace {

std::optional<SwitchId> find_switch(const Topology& topology, std::string_view word) {
  const auto* const fabric = topology.find_labelling<FabricLabelling>();
  for (const SwitchId at : topology.switches())
    if (topology.name(at) == word || (fabric != nullptr && fabric->node(at).id == word)) return at;
  return std::nullopt;
}

/// Of the cable at a port of a switch, "switch[port]".
std::optional<LinkId> find_link(const Topology& topology, std::string_view word) {
  const std::size_t bracket = word.rfind('[');
  if (bracket == std::string_view::npos || !word.ends_with(']')) return std::nullopt;
  const auto port = number_of<std::uint32_t>(word.substr(bracket + 1, word.size() - bracket - 2));
  const std::optional<SwitchId> at = find_switch(topology, word.substr(0, bracket));
  if (!port || !at) return std::nullopt;
  for (const ChannelId channel : topology.outputs(*at))
    if (topology.output_port(channel) == *port) return topology.link(channel);
  return std::nullopt;
}

std::optional<std::uint32_t> component_of(const FaultComponents& components, FaultUnit unit,
                                          std::size_t member) {
  for (std::uint32_t component = 0; component < components.count(); ++component)
    if (components.unit(component) == unit && components.member(component) == member) return component;
  return std::nullopt;
}

}  // namespace

std::unordered_map<std::string, std::uint32_t> components_by_name(const FaultComponents& components) {
  std::unordered_map<std::string, std::uint32_t> numbers;
  for (std::uint32_t component = 0; component < components.count(); ++component)
    numbers.emplace(components.name(component), component);
  return numbers;
}

std::optional<std::vector<std::uint32_t>> components_named(const FaultComponents& components,
                                                           std::span<const std::string> names) {
  const auto numbers = components_by_name(components);
  std::vector<std::uint32_t> found;
  for (const std::string& name : names) {
    const auto entry = numbers.find(name);
    if (entry == numbers.end()) return std::nullopt;
    found.push_back(entry->second);
  }
  return found;
}

std::optional<std::uint32_t> component_called(const FaultComponents& components, const std::string& word) {
  const Topology& topology = components.topology();
  if (const auto named = components_named(components, std::span(&word, 1))) return named->front();
  if (const auto link = find_link(topology, word))
    return component_of(components, FaultUnit::link, link->index());
  if (const auto at = find_switch(topology, word))
    return component_of(components, FaultUnit::switch_, at->index());
  return std::nullopt;
}

std::string nearest_component(std::string_view name, const FaultComponents& components) {
  constexpr std::size_t most = 20'000;
  if (components.count() > most) return {};
  std::vector<std::string> names;
  for (std::size_t component = 0; component < components.count(); ++component) {
    names.push_back(components.name(component));
    if (components.unit(component) == FaultUnit::link &&
        components.topology().name_from_other_end(LinkId(components.member(component))) == name)
      return names.back();
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  return nearest_name(name, known);
}

}  // namespace faultline
