// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "faultline/fault/components.h"

#pragma GCC visibility push(default)
namespace faultline {

/// The number of each component by its name; of several with one name, the first.
[[nodiscard]] std::unordered_map<std::string, std::uint32_t> components_by_name(
    const FaultComponents& components);

/// The numbers of the components with these names; absent where a name is none of them.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> components_named(const FaultComponents& components,
                                                                         std::span<const std::string> names);

/// The components that an operator may call `word`: by its name(), a cable by one of its ends,
/// "switch[port]", or a switch; a switch by its name or, in a real fabric, by its name or id in the dump.
/// There are several where a name is also what another one may be called. Without repetition, in ascending
/// order.
[[nodiscard]] std::vector<std::uint32_t> components_called(const FaultComponents& components,
                                                           const std::string& word);

/// The name of the link that `name` calls by its ends in the other order or by the terminal at one end, or of
/// a component that is spelt nearly like `name`; empty if there is none, or if there are more than 20,000
/// components.
[[nodiscard]] std::string nearest_component(std::string_view name, const FaultComponents& components);

}  // namespace faultline
#pragma GCC visibility pop
