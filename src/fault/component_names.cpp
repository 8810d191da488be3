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

std::string nearest_component(std::string_view name, const FaultComponents& components) {
  constexpr std::size_t most = 20'000;
  if (components.count() > most) return {};
  std::vector<std::string> names;
  for (std::size_t component = 0; component < components.count(); ++component)
    names.push_back(components.name(component));
  const std::vector<std::string_view> known(names.begin(), names.end());
  return nearest_name(name, known);
}

}  // namespace faultline
