// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "faultline/base/error.h"
#include "faultline/fault/components.h"

#pragma GCC visibility push(default)
namespace faultline {

/// What a name stands for.
struct NamedComponent {
  std::uint32_t component = 0;         ///< the first of this name
  std::optional<std::uint32_t> other;  ///< another one of this name: it is ambiguous
};

/// The components by their names. A link of one channel has the channel's name, which does not matter: the
/// first stands for both. A switch or terminal of a file may have a link's name, which is ambiguous.
[[nodiscard]] std::unordered_map<std::string, NamedComponent> components_by_name(
    const FaultComponents& components);

/// Throws Error(field) where the name may also be the other one's.
[[nodiscard]] std::uint32_t only_component(const FaultComponents& components, const NamedComponent& named,
                                           std::string_view field, const Location& location = {});

/// The numbers of the components with these names; absent where a name is none of them. Throws
/// Error("components") where one is ambiguous.
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
