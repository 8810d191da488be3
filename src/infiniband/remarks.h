// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "infiniband/cabling.h"

namespace faultline::infiniband {

/// Remarks on descriptions, GUIDs and LIDs that several nodes share, and on adapters without a cable.
void remark_on_repetitions(Fabric& fabric);

/// Remarks on LIDs that the two ends of a cable state differently.
void remark_on_remote_lids(const std::vector<Listing>& listings, Fabric& fabric);

/// Remarks on cables that carry no traffic in the network: between adapters, and from a switch to itself.
void remark_on_unused_cables(Fabric& fabric);

/// A remark where links have different rates, which no engine distinguishes.
void remark_on_rates(Fabric& fabric);

}  // namespace faultline::infiniband
