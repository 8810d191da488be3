// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace faultline {

/// Called from time to time by whoever works long, possibly from several threads: `done` of `total` (0: not
/// known).
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

}  // namespace faultline
