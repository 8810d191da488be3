// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "faultline/topology/labellings.h"

#pragma GCC visibility push(default)
namespace faultline {

/// The network as an InfiniBand fabric: a switch for each switch, an adapter with a port for each link of a
/// terminal, and LIDs for all of them, those of adapters first. A switch's port has the number that the
/// topology gives it plus one. The fabric that a network was read from stays as it is. Throws
/// Error("topology") unless every link is two-way with the same ports in both directions, for a port beyond
/// 254, and for more end ports than a subnet has LIDs (49,151).
[[nodiscard]] FabricLabelling fabric_of(const Topology& topology);

}  // namespace faultline
#pragma GCC visibility pop
