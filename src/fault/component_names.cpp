// SPDX-License-Identifier: Apache-2.0
#include "faultline/fault/component_names.h"

#include <vector>

#include "faultline/base/error.h"

namespace faultline {

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
