// SPDX-License-Identifier: Apache-2.0
// Builds cables with two ends from the port lines of each record.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "infiniband/dump_lines.h"

namespace faultline::infiniband {

/// A port line, with the record (an index into Fabric::nodes) and the line of the file in which it stands.
struct Listing {
  std::uint32_t node = 0;
  PortLine port;
  int line = 0;
};

/// What stands in a dump, before its cables are laid.
struct Dump {
  Fabric fabric;  ///< nodes only
  std::vector<Listing> listings;
  std::vector<std::string> remarks;  ///< on lines and nodes, which follow those on cables
};

inline constexpr std::string_view retake = "; the dump is cut short or inconsistent, take it again";

/// Adds the port, keeping them in ascending order.
void add_end_port(Node& node, const EndPort& port);

/// Fills fabric.cables and remarks on what does not match. Throws Error if a cable ends at no record, at a
/// port that its node does not have, or at two ports, and if the last record does not list a port that
/// others are cabled to.
void lay_cables(const std::vector<Listing>& listings, const std::string& file, Fabric& fabric);

}  // namespace faultline::infiniband
