// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#pragma GCC visibility push(default)
namespace faultline {

/// Called from time to time by long work, possibly from several threads: `done` of `total` (0: not
/// known) of `what`, which changes from one stage of the work to the next; 0 done begins a stage.
using Progress = std::function<void(std::string_view what, std::uint64_t done, std::uint64_t total)>;

}  // namespace faultline
#pragma GCC visibility pop
