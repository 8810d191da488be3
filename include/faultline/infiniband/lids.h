// SPDX-License-Identifier: Apache-2.0
// The LIDs of end ports.
#pragma once

#include <string>
#include <vector>

#include "faultline/infiniband/fabric.h"

#pragma GCC visibility push(default)
namespace faultline::infiniband {

/// Packets to any of `port.lid` … `port.lid + lid_count(port) - 1` are for this port. 1 where it has no LID.
[[nodiscard]] constexpr std::uint32_t lid_count(const EndPort& port) {
  return port.lid == 0 ? 1U : 1U << port.lmc;
}

/// A port tells its LIDs by all but the last `port.lmc` bits, so that it takes packets for
/// `port.lid` … `port.lid + lid_count(port) - 1` only if `port.lid` is a multiple of their number (InfiniBand
/// Architecture Specification, volume 1, section 4.1; OpenSM's osm_lid_mgr.c gives other ports a new LID).
[[nodiscard]] constexpr bool lid_fits_lmc(const EndPort& port) { return port.lid % lid_count(port) == 0; }

/// It has a LID that is a unicast LID: packets can be sent to it, and tables have entries for it.
[[nodiscard]] constexpr bool has_lid(const EndPort& port) {
  return port.lid != 0 && port.lid <= last_unicast_lid;
}

/// visit(lid) for each LID of the port that is a unicast LID, ascending; for none where the port has no LID.
template <class Visit>
void for_each_lid(const EndPort& port, Visit visit) {
  if (port.lid == 0) return;
  for (std::uint32_t lid = port.lid; lid < port.lid + lid_count(port) && lid <= last_unicast_lid; ++lid)
    visit(static_cast<Lid>(lid));
}

struct SharedLid {
  Lid lid = 0;
  std::vector<std::string> ports;  ///< two or more: "H-0000000000000011[1]", in the order of the dump
};

/// The LIDs that several end ports of the fabric have, ascending.
[[nodiscard]] std::vector<SharedLid> shared_lids(const Fabric& fabric);

}  // namespace faultline::infiniband
#pragma GCC visibility pop
