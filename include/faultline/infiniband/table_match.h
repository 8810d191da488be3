// SPDX-License-Identifier: Apache-2.0
// Whether forwarding tables fit the fabric that they are read with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "faultline/infiniband/fabric.h"
#include "faultline/infiniband/forwarding_tables.h"

#pragma GCC visibility push(default)
namespace faultline::infiniband {

/// What does not fit, each sort once, counted and with its first example: tables of unknown switches,
/// switches without a table, adapters without a LID, entries for LIDs of adapters that are missing or cannot
/// lead there, entries for LIDs of switches that lead nowhere or in a circle, LIDs that no port has (of nodes
/// that are switched off, for example), and LIDs that the tables give to ports of another GUID. Switches
/// without any cable have nothing to forward; they are not examined. Entries for LIDs of switches may be
/// missing: some routing engines of OpenSM make none between certain switches.
[[nodiscard]] std::vector<std::string> remarks_on_match(const ForwardingTables& tables, const Fabric& fabric);
/// The same without what is said of single entries, which a repair changes.
[[nodiscard]] std::vector<std::string> remarks_on_nodes(const ForwardingTables& tables, const Fabric& fabric);

/// Throws Error(field, file) for tables of another fabric, of which no switch of this one has any.
void require_same_fabric(const ForwardingTables& tables, const Fabric& fabric, std::string_view field,
                         const std::string& file);

}  // namespace faultline::infiniband
#pragma GCC visibility pop
