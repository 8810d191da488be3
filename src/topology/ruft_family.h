// SPDX-License-Identifier: Apache-2.0
// The construction that the four RUFT topologies share (paper 1, sections 3.2 and 4; PAPERS.md, section 1).
#pragma once

#include "faultline/topology/builder.h"
#include "faultline/topology/labellings.h"

namespace faultline {

struct RuftShape {
  std::uint32_t k = 0;
  std::uint32_t n = 0;
  std::uint32_t parallel = 1;  ///< channels between two neighbouring switches
  RuftLabelling::Attachment attachment = RuftLabelling::Attachment::single;
  bool static_selection = false;
};

/// Throws Error when k^n is too large, or odd where terminals are attached crosswise.
[[nodiscard]] Topology build_ruft(const RuftShape& shape, const std::string& name);

}  // namespace faultline
