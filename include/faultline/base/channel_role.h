// SPDX-License-Identifier: Apache-2.0
// Which ends a channel connects.
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
namespace faultline {

/// Between switches, from a terminal to a switch, from a switch to a terminal.
enum class ChannelRole : std::uint8_t { network, injection, ejection };

}  // namespace faultline
#pragma GCC visibility pop
