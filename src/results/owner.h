// SPDX-License-Identifier: Apache-2.0
// The holder of a claim: a process, so that others on the same machine see when it has ended.
#pragma once

#include <string>
#include <string_view>

namespace faultline {

/// A text for one user within this process: machine, process, and a random part.
[[nodiscard]] std::string new_owner();

/// The process that `owner` names ran on this machine (since its last start, in this container) and has
/// ended. False where that cannot be told.
[[nodiscard]] bool has_ended(std::string_view owner);

}  // namespace faultline
