// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "faultline/fault/fault_set.h"
#include "faultline/infiniband/fabric.h"

#pragma GCC visibility push(default)
namespace faultline {

/// The real fabric that `topology` was read from, without the cables that have a dead channel: what a dump
/// would hold once they are gone, but for nodes that no cable leads to any more, which stay. Throws
/// Error("topology") for a network that was not read from a fabric.
[[nodiscard]] infiniband::Fabric living_fabric(const Topology& topology, const FaultSet& dead);

}  // namespace faultline
#pragma GCC visibility pop
