// SPDX-License-Identifier: Apache-2.0
// The holder of a claim: a process, so that others on the same machine see when it has ended.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace faultline {

/// A text for one user within this process: machine, process, and a random part.
[[nodiscard]] std::string new_owner();

/// `unknown`: it runs, or ran, on another machine, in another container or before the last start of this one,
/// or it is hidden from us.
enum class OwnerState : std::uint8_t { lives, ended, unknown };
[[nodiscard]] OwnerState state_of(std::string_view owner);

}  // namespace faultline
