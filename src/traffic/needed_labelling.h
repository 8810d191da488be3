// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include "faultline/base/error.h"
#include "faultline/topology/topology.h"

namespace faultline {

/// The labelling that `pattern` needs. Throws Error("traffic") where the topology has another or none.
template <std::derived_from<Labelling> L>
[[nodiscard]] const L& needed_labelling(const Topology& topology, std::string_view pattern) {
  if (const auto* found = topology.find_labelling<L>()) return *found;
  throw Error("traffic", std::string(pattern),
              fmt::format("needs the {}, which {} does not have", L::needed, topology.name()));
}

}  // namespace faultline
