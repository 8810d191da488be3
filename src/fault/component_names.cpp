// SPDX-License-Identifier: Apache-2.0
#include "faultline/fault/component_names.h"

namespace faultline {

std::unordered_map<std::string, std::uint32_t> components_by_name(const FaultComponents& components) {
  std::unordered_map<std::string, std::uint32_t> numbers;
  for (std::uint32_t component = 0; component < components.count(); ++component)
    numbers.emplace(components.name(component), component);
  return numbers;
}

}  // namespace faultline
