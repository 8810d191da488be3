// SPDX-License-Identifier: Apache-2.0
#include "faultline/fault/component_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/number.h"
#include "faultline/base/error.h"
#include "faultline/topology/labellings.h"

namespace faultline {
namespace {

/// By the name that the program gives it or, in a fabric, by its own, which others may have as well, or by
/// its id.
bool is_called(const Topology& topology, SwitchId at, std::string_view word) {
  if (topology.name(at) == word) return true;
  const auto* const fabric = topology.find_labelling<FabricLabelling>();
  return fabric != nullptr && !word.empty() &&
         (fabric->node(at).id == word || fabric->node(at).description == word);
}

std::vector<SwitchId> switches_called(const Topology& topology, std::string_view word) {
  std::vector<SwitchId> found;
  for (const SwitchId at : topology.switches())
    if (is_called(topology, at, word)) found.push_back(at);
  return found;
}

/// The cables at this port of a switch, "switch[port]".
std::vector<LinkId> links_called(const Topology& topology, std::string_view word) {
  const std::size_t bracket = word.rfind('[');
  if (bracket == std::string_view::npos || !word.ends_with(']')) return {};
  const auto port = number_of<std::uint32_t>(word.substr(bracket + 1, word.size() - bracket - 2));
  if (!port) return {};
  std::vector<LinkId> found;
  for (const SwitchId at : switches_called(topology, word.substr(0, bracket)))
    for (const ChannelId channel : topology.outputs(at))
      if (topology.output_port(channel) == *port) found.push_back(topology.link(channel));
  return found;
}

/// By its ends in the other order, or by the terminal at one end.
bool may_call(const Topology& topology, LinkId link, std::string_view name) {
  const TerminalId terminal = topology.terminal(topology.channels(link).front());
  return topology.name_from_other_end(link) == name || (terminal.valid() && topology.name(terminal) == name);
}

/// A link of one channel is that channel.
bool are_the_same(const FaultComponents& components, std::uint32_t a, std::uint32_t b) {
  const auto is_channel = [&](std::uint32_t component) {
    return components.unit(component) == FaultUnit::channel || components.unit(component) == FaultUnit::link;
  };
  return is_channel(a) && is_channel(b) && std::ranges::equal(components.channels(a), components.channels(b));
}

}  // namespace

std::unordered_map<std::string, NamedComponent> components_by_name(const FaultComponents& components) {
  std::unordered_map<std::string, NamedComponent> found;
  for (std::uint32_t component = 0; component < components.count(); ++component) {
    const auto [entry, is_new] = found.try_emplace(components.name(component), NamedComponent{component, {}});
    if (!is_new && !are_the_same(components, entry->second.component, component))
      entry->second.other = component;
  }
  return found;
}

std::uint32_t only_component(const FaultComponents& components, const NamedComponent& named,
                             std::string_view field, const Location& location) {
  if (!named.other) return named.component;
  const std::string_view first = to_string(components.unit(named.component)),
                         second = to_string(components.unit(*named.other));
  throw Error(std::string(field), components.name(named.component),
              fmt::format("is the name of two components, a {} and {} {}; rename one of them", first,
                          first == second ? "another" : "a", second),
              location);
}

std::optional<std::vector<std::uint32_t>> components_named(const FaultComponents& components,
                                                           std::span<const std::string> names) {
  const auto numbers = components_by_name(components);
  std::vector<std::uint32_t> found;
  for (const std::string& name : names) {
    const auto entry = numbers.find(name);
    if (entry == numbers.end()) return std::nullopt;
    found.push_back(only_component(components, entry->second, "components"));
  }
  return found;
}

std::vector<std::uint32_t> components_called(const FaultComponents& components, const std::string& word) {
  const Topology& topology = components.topology();
  const std::vector<LinkId> links = links_called(topology, word);
  const std::vector<SwitchId> switches = switches_called(topology, word);
  const auto is_one_of = [](const auto& ids, std::uint32_t member) {
    return std::ranges::any_of(ids, [&](auto id) { return id.value() == member; });
  };
  std::vector<std::uint32_t> found;
  for (std::uint32_t component = 0; component < components.count(); ++component) {
    const FaultUnit unit = components.unit(component);
    const std::uint32_t member = components.member(component);
    if (components.name(component) == word || (unit == FaultUnit::link && is_one_of(links, member)) ||
        (unit == FaultUnit::switch_ && is_one_of(switches, member)))
      found.push_back(component);
  }
  return found;
}

std::string nearest_component(std::string_view name, const FaultComponents& components) {
  constexpr std::size_t most = 20'000;
  if (components.count() > most) return {};
  std::vector<std::string> names;
  for (std::size_t component = 0; component < components.count(); ++component) {
    names.push_back(components.name(component));
    if (components.unit(component) == FaultUnit::link &&
        may_call(components.topology(), LinkId(components.member(component)), name))
      return names.back();
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  return nearest_name(name, known);
}

}  // namespace faultline
