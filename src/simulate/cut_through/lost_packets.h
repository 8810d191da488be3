// SPDX-License-Identifier: Apache-2.0
// Packets on channels that go down. Seldom used: compiled once and not for every number of ports.
#pragma once

#include "simulate/cut_through/buffer_state.h"

namespace faultline::cut_through {

/// When a packet that could start at `start` starts on the channel of an output, which is down at some time
/// of the run; `never` if the channel is down for good by then. It is lost if the channel goes down before
/// its tail has left it.
[[nodiscard]] Time start_on_failing_channel(BufferState& network, const Topology& topology,
                                            std::uint32_t output, Time start, PacketId id, Time flits);

/// Without an input buffer the head has waited on the channel until now, and its tail leaves the channel at
/// `until`.
void lose_if_failed(BufferState& network, std::uint32_t input, const Slot& head, Time until);

}  // namespace faultline::cut_through
