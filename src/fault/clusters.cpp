// SPDX-License-Identifier: Apache-2.0
#include "faultline/fault/clusters.h"

#include <algorithm>

#include "fault/surroundings.h"

namespace faultline {

Clusters::Clusters(const FaultComponents& components, std::uint32_t radius, std::uint32_t least) {
  Surroundings surroundings(components);
  const std::size_t enough = std::min<std::size_t>(least, components.count());
  for (const SwitchId centre : components.topology().switches()) {
    surroundings.around(centre, radius, enough, members_);
    offsets_.push_back(members_.size());
  }
}

}  // namespace faultline
