// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "faultline/topology/topology.h"

#pragma GCC visibility push(default)
namespace faultline {

/// Terminals by the switches, ascending, that their injection channels lead to, or that their ejection
/// channels come from, as `role` says; a switch counts once a channel. Terminals of one group are attached
/// alike: only their own channels tell them apart.
[[nodiscard]] std::map<std::vector<SwitchId>, std::vector<TerminalId>> terminals_by_switches(
    const Topology& topology, ChannelRole role);

}  // namespace faultline
#pragma GCC visibility pop
