// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "faultline/topology/topology.h"

namespace faultline::app {

/// A node's ID, which contains its GUID, and the port: the same in every dump, as names need not be (one that
/// two nodes share is replaced by their IDs).
using CableEndId = std::pair<std::string, std::uint32_t>;

/// By the ends of a cable, the lesser one first.
using CableNames = std::map<std::pair<CableEndId, CableEndId>, std::string>;

/// Of a `topology` with a FabricLabelling.
[[nodiscard]] CableNames cable_names(const Topology& topology);

}  // namespace faultline::app
