// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "faultline/topology/kind.h"

namespace faultline {

/// "torus:radix=4x4".
inline TopologyPtr topology_named(std::string_view text) {
  return build_topology(parse_compact("topology", text));
}

}  // namespace faultline
